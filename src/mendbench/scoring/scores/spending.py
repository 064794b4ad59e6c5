"""Tokens, as counted by the model, and costs."""

from __future__ import annotations

from mendbench.scoring.counting import (
    Value,
    all_tokens,
    completion_tokens,
    cost_of,
    mean_of_judged,
    of_kinds,
    prompt_tokens,
    ratio_of_judged,
    wasted_of,
)
from mendbench.scoring.records import EDIT_KINDS
from mendbench.scoring.score import Counting, Score, lower

_TOKENS_KNOWN = "judged trials whose tokens are known"
_COST_KNOWN = "judged trials whose cost is known"


def _per_repair(amount: Value) -> Counting:
    """Return the amount per repair. It includes that of all cases with an edit fault, repaired or not."""
    return of_kinds(EDIT_KINDS, ratio_of_judged(amount, lambda trial: trial.right))


SCORES: dict[str, Score] = {
    # Tokens of a trial's prompts.
    "prompt_tokens": lower(
        "prompt tokens a trial",
        _TOKENS_KNOWN,
        "tokens",
        mean_of_judged(lambda trial: prompt_tokens(trial.attempts)),
    ),
    # Tokens of a trial's responses.
    "completion_tokens": lower(
        "response tokens a trial",
        _TOKENS_KNOWN,
        "tokens",
        mean_of_judged(lambda trial: completion_tokens(trial.attempts)),
    ),
    # Tokens of a trial's wasted attempts, prompts and responses together.
    "wasted_tokens": lower(
        "wasted tokens a trial",
        _TOKENS_KNOWN,
        "tokens",
        mean_of_judged(lambda trial: all_tokens(wasted_of(trial))),
    ),
    "tokens_per_repair": lower(
        "tokens a repair",
        "repaired cases whose tokens are known",
        "tokens",
        _per_repair(lambda trial: all_tokens(trial.attempts)),
    ),
    # Cost of a trial's responses.
    "cost": lower("cost a trial", _COST_KNOWN, "usd", mean_of_judged(lambda trial: cost_of(trial.attempts))),
    # Cost of a trial's wasted attempts.
    "wasted_cost": lower(
        "wasted cost a trial", _COST_KNOWN, "usd", mean_of_judged(lambda trial: cost_of(wasted_of(trial)))
    ),
    "cost_per_repair": lower(
        "cost a repair",
        "repaired cases whose cost is known",
        "usd",
        _per_repair(lambda trial: cost_of(trial.attempts)),
    ),
}

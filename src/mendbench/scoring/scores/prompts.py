"""The error context in the first prompt."""

from __future__ import annotations

from mendbench.scoring.counting import mean_of_samples
from mendbench.scoring.score import Score, higher, lower

SCORES: dict[str, Score] = {
    # The share of a case's facts that the context contains.
    "context_recall": higher(
        "facts in prompt",
        "cases with labelled facts and a prompt",
        "share",
        mean_of_samples(lambda trial: trial.context_recall),
    ),
    # Size of the context, estimated.
    "context_tokens": lower(
        "context tokens",
        "cases with a prompt",
        "tokens",
        mean_of_samples(lambda trial: trial.attempts[0].context_tokens if trial.attempts else None),
    ),
    # Contexts that did not fit their budget and were cut.
    "truncated": lower(
        "context cut",
        "cases with a prompt",
        "share",
        mean_of_samples(lambda trial: trial.attempts[0].truncated if trial.attempts else None),
    ),
}

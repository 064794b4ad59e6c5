"""Ways to combine the samples of a case into its count.

A property of every trial (whether it is right, whether it did harm) becomes a share of all samples: it does not hold for a crashed trial,
and is open for an unjudged one. A value that needs a judgement (wasted attempts, total cost) becomes a mean over judged samples.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TypeAlias

from mendbench.model.verdict import Outcome
from mendbench.scoring.confusion import warning_shares
from mendbench.scoring.judging.attempts import WASTED
from mendbench.scoring.records import EDIT_KINDS, AttemptRecord, TrialRecord
from mendbench.scoring.score import Count, Counting

SAMPLES = 3
"""The k of pass@k and pass^k: a case with fewer samples is not counted."""

Value: TypeAlias = Callable[[TrialRecord], float | None]
"""A value of a trial; None if it is not known."""


def share_of_samples(trials: Sequence[TrialRecord], holds: Callable[[TrialRecord], bool]) -> Count:
    """Return the share of a case's samples for which a condition holds. Unjudged trials are counted as open.

    For a crashed trial the condition does not hold.
    """
    return Count(
        numerator=_mean([trial.judged and holds(trial) for trial in trials]),
        open=_mean([trial.verdict == "unjudged" for trial in trials]),
    )


def success_in(kinds: Collection[str]) -> Counting:
    """Return the counting of the right trials, over cases of some kinds."""
    return lambda trials: share_of_samples(trials, lambda trial: trial.right) if trials[0].kind in kinds else None


def success_where(trials: Sequence[TrialRecord], holds: Callable[[TrialRecord], bool]) -> Count | None:
    """Return the repair success of the samples for which a condition holds; None if it holds for none."""
    if trials[0].kind not in EDIT_KINDS:
        return None
    chosen = [trial for trial in trials if holds(trial)]
    return share_of_samples(chosen, lambda trial: trial.right) if chosen else None


def outcome_in(outcome: Outcome, kinds: Collection[str] | None = None) -> Counting:
    """Return the counting of the trials with an outcome, over cases of some kinds (None: of all)."""

    def count(trials: Sequence[TrialRecord]) -> Count | None:
        if kinds is not None and trials[0].kind not in kinds:
            return None
        return share_of_samples(trials, lambda trial: trial.outcome == outcome)

    return count


def mean_of_samples(trials: Sequence[TrialRecord], value: Value) -> Count | None:
    """Return the mean of the known values of a case's samples, judged or not; None if no value is known."""
    known = [found for trial in trials if (found := value(trial)) is not None]
    return Count(numerator=_mean(known)) if known else None


def mean_of_judged(trials: Sequence[TrialRecord], value: Value) -> Count | None:
    """Return the mean over a case's judged samples; None if none is judged, or a value is not known."""
    known = _of_judged(trials, value)
    return Count(numerator=_mean(known)) if known else None


def ratio_of_judged(trials: Sequence[TrialRecord], value: Value, of: Callable[[TrialRecord], float]) -> Count | None:
    """Return the means of a numerator and of its denominator, over a case's judged samples.

    None if no sample is judged, or a numerator is not known.
    """
    known = _of_judged(trials, value)
    if not known:
        return None
    return Count(numerator=_mean(known), denominator=_mean([of(trial) for trial in trials if trial.judged]))


def _of_judged(trials: Sequence[TrialRecord], value: Value) -> list[float]:
    """Return the values of the judged samples; an empty list if one is not known."""
    values = [value(trial) for trial in trials if trial.judged]
    known = [found for found in values if found is not None]
    return known if len(known) == len(values) else []


def chance_of(trials: Sequence[TrialRecord], chance: Callable[[int, int, int], float | None], k: int) -> Count | None:
    """Return ``chance`` (a function of n samples, the number of right ones, and k) for a case.

    None unless the case has an edit fault, enough samples and known sampling parameters.
    """
    if trials[0].kind not in EDIT_KINDS or len(trials) < SAMPLES or trials[0].sampling == "unknown":
        return None
    right = sum(trial.right for trial in trials)
    still_open = sum(trial.verdict == "unjudged" for trial in trials)
    least, most = (chance(len(trials), many, k) for many in (right, right + still_open))
    return None if least is None or most is None else Count(numerator=least, open=most - least)


def labelled(trial: TrialRecord, label: str) -> int:
    """Return the number of attempts of a trial with a label."""
    return sum(attempt.label == label for attempt in trial.attempts)


def wasted_of(trial: TrialRecord) -> tuple[AttemptRecord, ...]:
    """Return the wasted attempts of a trial: those that achieved nothing."""
    return tuple(attempt for attempt in trial.attempts if attempt.label in WASTED)


def prompt_tokens(attempts: Iterable[AttemptRecord]) -> float | None:
    """Return the tokens of the prompts that were sent; None if those of one are not known. An attempt without a request has none."""
    return _sum(attempt.prompt_tokens for attempt in attempts if attempt.asked)


def completion_tokens(attempts: Iterable[AttemptRecord]) -> float | None:
    """Return the tokens of the responses to these prompts; None if those of one are not known."""
    return _sum(attempt.completion_tokens for attempt in attempts if attempt.asked)


def all_tokens(attempts: Sequence[AttemptRecord]) -> float | None:
    """Return the tokens of prompts and responses; None if either is not known."""
    return _sum((prompt_tokens(attempts), completion_tokens(attempts)))


def cost_of(attempts: Iterable[AttemptRecord]) -> float | None:
    """Return the cost of some attempts' responses in US dollars; None if the cost of one is not known."""
    return _sum(attempt.cost_usd for attempt in attempts)


def _mean(values: Sequence[float]) -> float:
    return float(values[0]) if len(values) == 1 else math.fsum(values) / len(values)


def _sum(values: Iterable[float | None]) -> float | None:
    found = tuple(values)
    known = [value for value in found if value is not None]
    return sum(known) if len(known) == len(found) else None


def share_of_nodes(trials: Sequence[TrialRecord], rate: str) -> Count | None:
    """Return a rate of :func:`mendbench.scoring.confusion.warning_shares`, once for a case whatever its number of samples.

    None if no detector judged a node. A case without a node in the rate's denominator adds nothing, but is still paired with another
    detector's count. All samples have the same first execution, so only one is used.
    """
    nodes = next((trial.nodes for trial in trials if trial.nodes and trial.treatment.detector is not None), ())
    if not nodes:
        return None
    share = warning_shares(Counter((expected, got) for _, expected, got in nodes))[rate]
    return Count(numerator=share.part, denominator=share.n)

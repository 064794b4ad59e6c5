"""Ways to combine the samples of a case into its count.

A property of every trial (whether it is right, whether it did harm) becomes a share of all samples: it does not hold for a crashed trial,
and is open for an unjudged one. A value that needs a judgement (wasted attempts, total cost) becomes a mean over judged samples.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TypeAlias

from mendbench.scoring.confusion import warning_rates
from mendbench.scoring.judging.attempts import WASTED
from mendbench.scoring.records import EDIT_KINDS, AttemptRecord, TrialRecord
from mendbench.scoring.score import Count, Counting

SAMPLES = 3
"""The k of pass@k and pass^k: a case with fewer samples is not counted."""

Value: TypeAlias = Callable[[TrialRecord], float | None]
"""A value of a trial; None if it is not known."""


def of_kinds(kinds: Collection[str], count: Counting) -> Counting:
    """Return a counting over cases of some kinds only."""
    return lambda trials: count(trials) if trials[0].kind in kinds else None


def share_of_samples(holds: Callable[[TrialRecord], bool]) -> Counting:
    """Return the share of a case's samples for which a condition holds. Unjudged trials are counted as open.

    For a crashed trial the condition does not hold.
    """
    return lambda trials: Count(
        numerator=_mean([trial.judged and holds(trial) for trial in trials]),
        open=_mean([trial.verdict == "unjudged" for trial in trials]),
    )


def repair_success_where(holds: Callable[[TrialRecord], bool]) -> Counting:
    """Return the repair success of the samples for which a condition holds; None if it holds for none."""

    def count(trials: Sequence[TrialRecord]) -> Count | None:
        chosen = [trial for trial in trials if holds(trial)]
        return share_of_samples(lambda trial: trial.right)(chosen) if chosen else None

    return of_kinds(EDIT_KINDS, count)


def mean_of_samples(value: Value) -> Counting:
    """Return the mean of the known values of a case's samples, judged or not; None if no value is known."""

    def count(trials: Sequence[TrialRecord]) -> Count | None:
        known = [found for trial in trials if (found := value(trial)) is not None]
        return Count(numerator=_mean(known)) if known else None

    return count


def mean_of_judged(value: Value) -> Counting:
    """Return the mean over a case's judged samples; None if none is judged, or a value is not known."""
    return ratio_of_judged(value, lambda _: 1)


def ratio_of_judged(value: Value, of: Callable[[TrialRecord], float]) -> Counting:
    """Return the means of a numerator and of its denominator, over a case's judged samples.

    None if no sample is judged, or a numerator is not known.
    """

    def count(trials: Sequence[TrialRecord]) -> Count | None:
        judged = [trial for trial in trials if trial.judged]
        known = [found for trial in judged if (found := value(trial)) is not None]
        if not judged or len(known) < len(judged):
            return None
        return Count(numerator=_mean(known), denominator=_mean([of(trial) for trial in judged]))

    return count


def chance(probability: Callable[[int, int, int], float | None], k: int) -> Counting:
    """Return ``probability`` (a function of n samples, the number of right ones, and k) for a case.

    None unless the case has an edit fault, enough samples and known sampling parameters.
    """

    def count(trials: Sequence[TrialRecord]) -> Count | None:
        if len(trials) < SAMPLES or trials[0].sampling == "unknown":
            return None
        right = sum(trial.right for trial in trials)
        still_open = sum(trial.verdict == "unjudged" for trial in trials)
        least, most = (probability(len(trials), number, k) for number in (right, right + still_open))
        return None if least is None or most is None else Count(numerator=least, open=most - least)

    return of_kinds(EDIT_KINDS, count)


def share_of_nodes(rate: str) -> Counting:
    """Return a rate of :func:`mendbench.scoring.confusion.warning_rates`, once for a case whatever its number of samples.

    None if no detector judged a node. A case without a node in the rate's denominator adds nothing, but is still paired with another
    detector's count. All samples have the same first execution, so only one is used.
    """

    def count(trials: Sequence[TrialRecord]) -> Count | None:
        nodes = next((trial.nodes for trial in trials if trial.nodes and trial.treatment.detector is not None), ())
        if not nodes:
            return None
        found = warning_rates(Counter((expected, got) for _, expected, got in nodes))[rate]
        return Count(numerator=found.part, denominator=found.n)

    return count


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

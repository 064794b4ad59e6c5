"""Ways in which the samples of a case become its count.

What is asked of every trial (whether it came out right, whether it did harm) is a share of all samples: one that crashed does not hold,
one without a verdict is open. What only a judgement tells (what was wasted, what it cost until the end) is a mean over judged samples.
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
"""What a trial has; None where that is not known."""


def share_of_samples(trials: Sequence[TrialRecord], holds: Callable[[TrialRecord], bool]) -> Count:
    """Return the share of a case's samples in which something holds. Trials without a verdict stay in, and are open.

    A crashed trial is not open: it does not hold.
    """
    return Count(
        numerator=_mean([trial.judged and holds(trial) for trial in trials]),
        open=_mean([trial.verdict == "unjudged" for trial in trials]),
    )


def success_in(kinds: Collection[str]) -> Counting:
    """Return the counting of cases of some kinds that came out right."""
    return lambda trials: share_of_samples(trials, lambda trial: trial.right) if trials[0].kind in kinds else None


def success_where(trials: Sequence[TrialRecord], holds: Callable[[TrialRecord], bool]) -> Count | None:
    """Return the repair success of the samples that something holds of; None where it holds of none."""
    if trials[0].kind not in EDIT_KINDS:
        return None
    chosen = [trial for trial in trials if holds(trial)]
    return share_of_samples(chosen, lambda trial: trial.right) if chosen else None


def outcome_in(outcome: Outcome, kinds: Collection[str] | None = None) -> Counting:
    """Return the counting of cases of some kinds (None: of all) that had an outcome."""

    def count(trials: Sequence[TrialRecord]) -> Count | None:
        if kinds is not None and trials[0].kind not in kinds:
            return None
        return share_of_samples(trials, lambda trial: trial.outcome == outcome)

    return count


def mean_of_samples(trials: Sequence[TrialRecord], value: Value) -> Count | None:
    """Return the mean of what is known of a case's samples, judged or not; None where nothing is."""
    known = [found for trial in trials if (found := value(trial)) is not None]
    return Count(numerator=_mean(known)) if known else None


def mean_of_judged(trials: Sequence[TrialRecord], value: Value) -> Count | None:
    """Return the mean over a case's judged samples; None where none is judged, or one's value is not known."""
    known = _of_judged(trials, value)
    return Count(numerator=_mean(known)) if known else None


def ratio_of_judged(trials: Sequence[TrialRecord], value: Value, of: Callable[[TrialRecord], float]) -> Count | None:
    """Return the means of a numerator and of what it is divided by, over a case's judged samples.

    None where none is judged, or the numerator of one is not known.
    """
    known = _of_judged(trials, value)
    if not known:
        return None
    return Count(numerator=_mean(known), denominator=_mean([of(trial) for trial in trials if trial.judged]))


def _of_judged(trials: Sequence[TrialRecord], value: Value) -> list[float]:
    """Return the values of the judged samples; none where one is not known."""
    values = [value(trial) for trial in trials if trial.judged]
    known = [found for found in values if found is not None]
    return known if len(known) == len(values) else []


def chance_of(trials: Sequence[TrialRecord], chance: Callable[[int, int, int], float | None], k: int) -> Count | None:
    """Return the chance (of n samples, how many right, k) for a case with an edit fault, enough samples and known sampling."""
    if trials[0].kind not in EDIT_KINDS or len(trials) < SAMPLES or trials[0].sampling == "unknown":
        return None
    right = sum(trial.right for trial in trials)
    still_open = sum(trial.verdict == "unjudged" for trial in trials)
    least, most = (chance(len(trials), many, k) for many in (right, right + still_open))
    return None if least is None or most is None else Count(numerator=least, open=most - least)


def labelled(trial: TrialRecord, label: str) -> int:
    """Return how many attempts of a trial have a label."""
    return sum(attempt.label == label for attempt in trial.attempts)


def wasted_of(trial: TrialRecord) -> tuple[AttemptRecord, ...]:
    """Return the attempts of a trial that cost and brought nothing."""
    return tuple(attempt for attempt in trial.attempts if attempt.label in WASTED)


def prompt_tokens(attempts: Iterable[AttemptRecord]) -> float | None:
    """Return the tokens of the prompts that were sent; None if those of one are not known. What nobody was asked has none."""
    return _sum(attempt.prompt_tokens for attempt in attempts if attempt.asked)


def completion_tokens(attempts: Iterable[AttemptRecord]) -> float | None:
    """Return the tokens of the responses that were asked for; None if those of one are not known."""
    return _sum(attempt.completion_tokens for attempt in attempts if attempt.asked)


def all_tokens(attempts: Sequence[AttemptRecord]) -> float | None:
    """Return the tokens of prompts and responses; None if those of one are not known."""
    return _sum((prompt_tokens(attempts), completion_tokens(attempts)))


def cost_of(attempts: Iterable[AttemptRecord]) -> float | None:
    """Return what the responses of some attempts cost, in US dollars; None if that of one is not known."""
    return _sum(attempt.cost_usd for attempt in attempts)


def _mean(values: Sequence[float]) -> float:
    return float(values[0]) if len(values) == 1 else math.fsum(values) / len(values)


def _sum(values: Iterable[float | None]) -> float | None:
    found = tuple(values)
    known = [value for value in found if value is not None]
    return sum(known) if len(known) == len(found) else None


def share_of_nodes(trials: Sequence[TrialRecord], rate: str) -> Count | None:
    """Return a rate of :func:`mendbench.scoring.confusion.warning_shares`, once for a case however many samples it has.

    None where no detector judged a node. A case without a node that the rate is of adds nothing, and still counts against another
    detector that has some in it. All samples have the same first execution: one is looked at.
    """
    nodes = next((trial.nodes for trial in trials if trial.nodes and trial.treatment.detector is not None), ())
    if not nodes:
        return None
    share = warning_shares(Counter((expected, got) for _, expected, got in nodes))[rate]
    return Count(numerator=share.part, denominator=share.n)

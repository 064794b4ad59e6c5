"""How attempts are used: their labels, success by attempt, where to stop, and what each policy's early stopping lost and saved.

The reference is ``naive``, which only the limit stops: a trial under any other policy is a prefix of the one under ``naive``. All counts
are for one pass over the cases, see :mod:`mendbench.scoring.forensics.passes`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from mendbench.model.json import JsonObject
from mendbench.model.policy import MAX_RESPONSES
from mendbench.scoring.forensics.early_stopping import PolicyEffect, effect
from mendbench.scoring.forensics.passes import (
    LABELS,
    REFERENCE,
    AttemptCost,
    Weighed,
    as_json,
    attempts_of,
    by_part,
    by_treatment,
    label_of,
    per,
    spent,
    tidy,
    total,
    weighed,
)
from mendbench.scoring.judging.attempts import WASTED
from mendbench.scoring.record_table import Records
from mendbench.scoring.records import EDIT_KINDS, Treatment, TrialRecord

FORMAT = 1
"""Format of the document. 1: the first version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelLine:
    """The attempts of one label."""

    label: str
    n: float
    """Attempts."""
    by_number: tuple[float, ...]
    """How many of them were first attempts, second ones, and so on."""
    repeats: float
    """Attempts whose prompt was sent before in their trial."""
    spent: AttemptCost


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitStep:
    """The ``number``-th attempts, and the effect of a limit of that many attempts."""

    number: int
    n: int
    """Cases with an edit fault."""
    right: float
    """Cases of these that are right within that many attempts."""
    most: float
    """The same, if every trial without a verdict is right as early as it still can be."""
    gain: float
    """Cases that were right after exactly that many attempts: the gain of this attempt."""
    lost: float
    """Cases that a limit of that many attempts would lose."""
    right_elsewhere: float
    """Cases without an edit fault that are right within that many attempts: declined, warned, recovered or left alone."""
    attempts: float
    """Attempts with this number, on cases with an edit fault."""
    elsewhere: float
    """Attempts with this number on other cases, where no attempt can mend anything."""
    wasted: float
    """Attempts of both that were futile or fruitless."""
    unlabelled: float
    """Attempts of both in trials without a verdict."""
    spent: AttemptCost
    """The cost of both."""
    saved: AttemptCost
    """The cost of all later attempts, on all cases: the savings of a limit of that many attempts."""
    attempts_per_repair: float | None
    """Attempts with this number, on all cases, per repair that they achieved. None: they achieved none."""
    tokens_per_repair: float | None
    usd_per_repair: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopping:
    """The best stopping point: the smallest number of attempts that loses none of the repairs."""

    n: float
    """Repairs: the cases that are right within all attempts."""
    at: int | None
    """None: there is no repair, so any limit loses none."""
    settled: bool
    """Whether no verdict on an unjudged trial could move the stopping point."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """Success by attempt number."""

    n: int
    """Cases with an edit fault."""
    elsewhere: int
    """Other cases."""
    trials: int
    unjudged: int
    """Unjudged trials."""
    crashed: int
    first_right: float
    """Cases with an edit fault whose first attempt's workflow was right, even if the trial continued: because only the user could
    mend the rest, or because a failure that needed no edit was taken for an error."""
    steps: tuple[LimitStep, ...]
    """One for each number of attempts that any trial reached."""
    stopping: Stopping


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptUse:
    """How the attempts of one strategy and repairer were used, in one part of the corpus."""

    part: str | None
    engine: str
    repairer: str
    model: str | None
    strategy: str
    n: int
    """Cases, under any policy."""
    labels: tuple[LabelLine, ...]
    """Attempts by label under ``naive``; empty if it was not run under ``naive``."""
    curve: Curve | None
    """Success by attempt under ``naive``; None if it was not run under ``naive``."""
    policies: tuple[PolicyEffect, ...]


def forensics(records: Sequence[TrialRecord]) -> tuple[AttemptUse, ...]:
    """Return how attempts were used, for each part of the corpus, engine, repairer, model and strategy."""
    return tuple(made for part, own in by_part(records) for made in _of_part(part, own))


def document(records: Sequence[TrialRecord]) -> JsonObject:
    """Return :func:`forensics` as JSON."""
    return {
        "format": FORMAT,
        "reference": REFERENCE,
        "strategies": [as_json(strategy) for strategy in forensics(records)],
    }


def labels(trials: Sequence[TrialRecord]) -> tuple[LabelLine, ...]:
    """Return the attempts of some trials by label, including labels without attempts."""
    each = attempts_of(weighed(trials))
    numbers = range(1, _longest(trials) + 1)
    found = []
    for label in LABELS:
        own = [(share, attempt) for share, attempt in each if label_of(attempt) == label]
        found.append(
            LabelLine(
                label=label,
                n=total(share for share, _ in own),
                by_number=tuple(
                    total(share for share, attempt in own if attempt.number == number) for number in numbers
                ),
                repeats=total(share for share, attempt in own if attempt.repeat),
                spent=spent(own),
            )
        )
    return tuple(found)


def curve(trials: Sequence[TrialRecord]) -> Curve:
    """Return success by attempt number over trials of one strategy and repairer under ``naive``."""
    each = weighed(trials)
    edits = [(share, trial) for share, trial in each if trial.kind in EDIT_KINDS]
    others = [(share, trial) for share, trial in each if trial.kind not in EDIT_KINDS]
    last = _longest(trials)
    return Curve(
        n=len({trial.case for _, trial in edits}),
        elsewhere=len({trial.case for _, trial in others}),
        trials=len(trials),
        unjudged=sum(trial.verdict == "unjudged" for trial in trials),
        crashed=sum(trial.verdict == "crashed" for trial in trials),
        first_right=total(share for share, trial in edits if trial.right_after_first),
        steps=tuple(_step(number, edits, others) for number in range(1, last + 1)),
        stopping=_stopping(edits, last),
    )


def _of_part(part: str | None, records: Sequence[TrialRecord]) -> Iterable[AttemptUse]:
    groups: dict[tuple[str, ...], dict[Treatment, Records]] = defaultdict(dict)
    for treatment, trials in by_treatment(records).items():
        groups[treatment.engine, treatment.repairer, treatment.model or "", treatment.strategy][treatment] = trials
    for _, group in sorted(groups.items()):
        found = {treatment: tuple(trials) for treatment, trials in group.items()}
        naive = next((own for treatment, own in found.items() if treatment.policy == REFERENCE), ())
        first = next(iter(found))
        yield AttemptUse(
            part=part,
            engine=first.engine,
            repairer=first.repairer,
            model=first.model,
            strategy=first.strategy,
            n=len({trial.case for own in found.values() for trial in own}),
            labels=labels(naive) if naive else (),
            curve=curve(naive) if naive else None,
            policies=tuple(effect(own, naive) for treatment, own in found.items() if treatment.policy != REFERENCE),
        )


def _step(number: int, edits: Collection[Weighed], others: Collection[Weighed]) -> LimitStep:
    attempts = attempts_of((*edits, *others))
    made = [(share, attempt) for share, attempt in attempts if attempt.number == number]
    later = [(share, attempt) for share, attempt in attempts if attempt.number > number]
    right = _right_within(number, edits)
    gain = tidy(right - (_right_within(number - 1, edits) if number > 1 else 0))
    now, on_edits = spent(made), total(share for share, trial in edits if len(trial.attempts) >= number)
    return LimitStep(
        number=number,
        n=len({trial.case for _, trial in edits}),
        right=right,
        most=tidy(right + total(share for share, trial in edits if _open(trial) and len(trial.attempts) <= number)),
        gain=gain,
        lost=total(share for share, trial in edits if trial.right and len(trial.attempts) > number),
        right_elsewhere=_right_within(number, others),
        attempts=on_edits,
        elsewhere=tidy(now.attempts - on_edits),
        wasted=total(share for share, attempt in made if attempt.label in WASTED),
        unlabelled=total(share for share, attempt in made if attempt.label is None),
        spent=now,
        saved=spent(later),
        attempts_per_repair=per(now.attempts, gain),
        tokens_per_repair=per(_whole(now.tokens, now.tokens_unknown), gain),
        usd_per_repair=per(_whole(now.cost_usd, now.cost_unknown), gain),
    )


def _stopping(edits: Collection[Weighed], last: int) -> Stopping:
    """Return the number of attempts of the longest right trial."""
    at = max((len(trial.attempts) for _, trial in edits if trial.right), default=None)
    return Stopping(
        n=_right_within(last, edits),
        at=at,
        settled=at == MAX_RESPONSES or not any(_open(trial) for _, trial in edits),
    )


def _right_within(number: int, trials: Iterable[Weighed]) -> float:
    return total(share for share, trial in trials if trial.right and len(trial.attempts) <= number)


def _open(trial: TrialRecord) -> bool:
    """Return whether a trial may still be right, after the attempts that it made or after later ones."""
    return trial.verdict == "unjudged"


def _longest(trials: Iterable[TrialRecord]) -> int:
    return max((len(trial.attempts) for trial in trials), default=0)


def _whole(amount: float | None, unknown: float) -> float | None:
    """Return an amount if all of it is known."""
    return None if unknown else amount

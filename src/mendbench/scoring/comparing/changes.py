"""Trials with different results on the two sides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from mendbench.scoring.chance import ResponseDigest, may_be_chance
from mendbench.scoring.comparing.pairing import TrialPair
from mendbench.scoring.records import Treatment, TrialRecord

Direction: TypeAlias = Literal["newly failing", "newly passing", "no verdict any more", "newly judged", "otherwise"]
"""From A to B: right, then not right (wrong or crashed); the reverse; judged or crashed, then unjudged; the reverse; none of these, but a
different outcome, stop reason or number of wasted attempts."""


Responses: TypeAlias = Literal[
    "same responses", "same responses as far as both went", "other responses, and not by chance", "other responses"
]
"""Chance is involved only in the last. In the one before it, the different responses took no model request, or code crashed."""

ResponsesByKey: TypeAlias = Mapping[str, Sequence[ResponseDigest]]
"""The responses in each trial, in order, by the trial's key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a trial ended."""

    key: str
    verdict: str
    outcome: str | None
    stop_reason: str
    wasted_attempts: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One trial whose result changed."""

    direction: Direction
    case: str
    kind: str
    part: str | None
    sample: int
    a: Treatment
    b: Treatment
    before: Ending
    after: Ending
    responses: Responses


def changes_of(trials: Iterable[TrialPair], a: ResponsesByKey, b: ResponsesByKey) -> tuple[Change, ...]:
    """Return the trials whose results differ: newly failing ones first, then in the order of :data:`Direction`.

    ``a`` and ``b`` are the responses on the two sides.
    """
    found = [_change(trial, direction, a, b) for trial in trials if (direction := direction_of(trial)) is not None]
    order = get_args(Direction)
    return tuple(sorted(found, key=lambda change: (order.index(change.direction), change.before.key, change.after.key)))


def direction_of(pair: TrialPair) -> Direction | None:
    """Return how a trial changed from A to B; None if it did not."""
    a, b = pair.a, pair.b
    opens = a.verdict == "unjudged", b.verdict == "unjudged"
    if opens[0] != opens[1]:
        return "newly judged" if opens[0] else "no verdict any more"
    if a.right != b.right:
        return "newly failing" if a.right else "newly passing"
    endings = [(trial.verdict, trial.outcome, trial.stop_reason, trial.wasted_attempts) for trial in (a, b)]
    return "otherwise" if endings[0] != endings[1] else None


def same_responses(trial: TrialPair, a: ResponsesByKey, b: ResponsesByKey) -> Responses:
    """Return whether the responses are the same on both sides, and if not, whether chance may be the cause."""
    ours, theirs = a[trial.a.key], b[trial.b.key]
    if any(one.response != other.response for one, other in zip(ours, theirs, strict=False)):
        chance = may_be_chance(ours, theirs, verdict=trial.b.verdict)
        return "other responses" if chance else "other responses, and not by chance"
    return "same responses" if len(ours) == len(theirs) else "same responses as far as both went"


def _change(trial: TrialPair, direction: Direction, a: ResponsesByKey, b: ResponsesByKey) -> Change:
    return Change(
        direction=direction, case=trial.a.case, kind=trial.a.kind, part=trial.a.part, sample=trial.a.sample,
        a=trial.a.treatment, b=trial.b.treatment, before=_ending(trial.a), after=_ending(trial.b),
        responses=same_responses(trial, a, b),
    )  # fmt: skip


def _ending(record: TrialRecord) -> Ending:
    return Ending(
        key=record.key, verdict=record.verdict, outcome=record.outcome, stop_reason=record.stop_reason,
        wasted_attempts=record.wasted_attempts,
    )  # fmt: skip

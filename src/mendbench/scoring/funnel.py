"""The failure funnel: the stage at which the repair of a case with an edit fault stopped, for the first and for the last response."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from mendbench.scoring.judging.progress import ALL_FIXED, CAUSE, ELSEWHERE, INVALID, SOME_FIXED, UNCHANGED, UNPARSABLE
from mendbench.scoring.records import EDIT_KINDS, AttemptRecord, TrialRecord

Stage: TypeAlias = Literal[
    "not asked",
    "no usable response",
    "unchanged",
    "invalid",
    "edited elsewhere",
    "cause edited",
    "green but wrong",
    "right",
    "open",
]
"""not asked: there was no repair attempt, because the first execution did not end in an error or a policy stopped. cause edited: a node
that a right edit must touch was changed, but the workflow does not run green. open: the trial has no verdict."""

STAGES: tuple[Stage, ...] = get_args(Stage)

_BY_LEVEL: dict[int, Stage] = {
    UNPARSABLE: "no usable response", UNCHANGED: "unchanged", INVALID: "invalid", ELSEWHERE: "edited elsewhere", CAUSE: "cause edited",
    SOME_FIXED: "cause edited",
}  # fmt: skip
"""Higher levels are green but wrong: the case's own checks hold, but a variant fails, or harm was done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Funnel:
    """The number of trials that stopped at each stage, including stages with 0."""

    trials: int
    first: dict[Stage, int]
    final: dict[Stage, int]


def funnel(records: Iterable[TrialRecord]) -> Funnel:
    """Return the funnel of trials. Cases without an edit fault are left out."""
    own = [record for record in records if record.kind in EDIT_KINDS]
    first, final = Counter(map(first_stage, own)), Counter(map(final_stage, own))
    return Funnel(
        trials=len(own),
        first={stage: first[stage] for stage in STAGES},
        final={stage: final[stage] for stage in STAGES},
    )


def first_stage(record: TrialRecord) -> Stage:
    """Return the stage at which the first response stopped, whatever came after it."""
    if not record.judged:
        return "open"
    if record.right_after_first:
        return "right"
    return _stage(record.attempts[0]) if record.attempts else "not asked"


def final_stage(record: TrialRecord) -> Stage:
    """Return the stage at which the trial stopped."""
    if not record.judged:
        return "open"
    if record.right:
        return "right"
    if record.outcome in {"plausible", "harmful"} and record.end == "success" and record.edited:
        return "green but wrong"
    return _stage(record.attempts[-1]) if record.attempts else "not asked"


def _stage(attempt: AttemptRecord) -> Stage:
    """Return the stage of an attempt that did not make the trial right."""
    if attempt.label == "plausible" or attempt.progress is None or attempt.progress >= ALL_FIXED:
        return "green but wrong"
    return _BY_LEVEL[attempt.progress]

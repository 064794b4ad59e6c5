"""The ladder: how far an attempt came, from an answer that cannot be read to a workflow that is right.

0 unparsable, 1 unchanged, 2 invalid, 3 edited elsewhere, 4 cause edited, 5 a fault fixed, 6 all fixed but a variant
or harm fails, 7 right. An answer that declines is one that changes nothing (1); one that was cut, or never asked for
want of room, cannot be read (0).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mendbench.model.case import Case
from mendbench.model.trial import AnswerStatus, Attempt, Trajectory
from mendbench.scoring.diffs import touched_nodes
from mendbench.scoring.standings import Standing, edit_faults

UNPARSABLE, UNCHANGED, INVALID, ELSEWHERE, CAUSE, SOME_FIXED, ALL_FIXED, RIGHT = range(8)

_UNEDITED: dict[AnswerStatus, int] = {
    "unparsable": UNPARSABLE,
    "cut": UNPARSABLE,
    "prompt_too_long": UNPARSABLE,
    "declined": UNCHANGED,
    "unchanged": UNCHANGED,
    "invalid": INVALID,
}


def rungs(
    case: Case, trajectory: Trajectory, standings: Mapping[int, Standing], *, right: int | None
) -> tuple[int, ...]:
    """Return the rung of each attempt; none for a case that no edit mends.

    ``right`` is the number of the attempt whose workflow passes everything without harm, or None.
    """
    if not edit_faults(case):
        return ()
    return tuple(_rung(case, attempt, standings.get(attempt.number), right) for attempt in trajectory.attempts)


def best(ladder: Sequence[int]) -> int | None:
    """Return the highest rung that a trial reached, None if there is none."""
    return max(ladder, default=None)


def last(ladder: Sequence[int]) -> int | None:
    """Return the rung that a trial ended on, None if there is none."""
    return ladder[-1] if ladder else None


def _rung(case: Case, attempt: Attempt, after: Standing | None, right: int | None) -> int:
    if attempt.status in _UNEDITED or attempt.candidate is None:
        return _UNEDITED.get(attempt.status, UNPARSABLE)
    if attempt.number == right:
        return RIGHT
    if after is not None and after.own:
        return ALL_FIXED
    if after is not None and after.fixed:
        return SOME_FIXED
    causes = {node for fault in edit_faults(case) for node in fault.cause}
    return CAUSE if causes & touched_nodes(case.workflow, attempt.candidate) else ELSEWHERE

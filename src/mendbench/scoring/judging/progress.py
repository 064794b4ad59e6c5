"""Progress levels: how far an attempt got, from an unparsable response to a right workflow.

0 unparsable, 1 unchanged, 2 invalid, 3 edited elsewhere, 4 cause edited, 5 a fault fixed, 6 all fixed but a variant
fails or harm was done, 7 right. A response that declines changes nothing (1). A truncated response, or a prompt too long
to send, is unparsable (0). The table is total: some rule fits every combination of facts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mendbench.model.case import Case
from mendbench.model.trial import Attempt, ResponseStatus, Trajectory
from mendbench.scoring.judging.diffs import touched_nodes
from mendbench.scoring.judging.rules import BaseRule, first_fitting
from mendbench.scoring.judging.workflow_status import WorkflowStatus, edit_faults

UNPARSABLE, UNCHANGED, INVALID, ELSEWHERE, CAUSE, SOME_FIXED, ALL_FIXED, RIGHT = range(8)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressFacts:
    """The facts about an attempt that the table uses, for a case that an edit mends."""

    status: ResponseStatus
    """How the response was processed."""
    candidate: bool
    """The response's edits produced a workflow."""
    right: bool
    """The workflow is the last executed one, checks and variants hold, and the trial did no harm."""
    holds: bool
    """The case's own checks hold for the workflow."""
    fixed: int
    """Number of faults that are mended in the workflow."""
    cause: bool
    """A node that a right edit must touch differs from the broken workflow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressRule(BaseRule):
    """One row of the table."""

    level: int
    status: tuple[ResponseStatus, ...] | None = None
    candidate: bool | None = None
    right: bool | None = None
    holds: bool | None = None
    fixed: bool | None = None
    """Whether any fault is mended."""
    cause: bool | None = None


# fmt: off
RULES: tuple[ProgressRule, ...] = (
    ProgressRule(level=UNPARSABLE, status=("unparsable", "cut", "prompt_too_long"), because="there is nothing to read"),
    ProgressRule(level=UNCHANGED, status=("unchanged", "declined"), because="the workflow is as it was"),
    ProgressRule(level=INVALID, status=("invalid",), because="the workflow does not validate"),
    ProgressRule(level=UNPARSABLE, candidate=False, because="no workflow came of it"),
    ProgressRule(level=RIGHT, right=True, because="checks and variants hold, and no harm was done"),
    ProgressRule(level=ALL_FIXED, holds=True, because="the case's own checks hold, and a variant does not, or harm was done"),
    ProgressRule(level=SOME_FIXED, fixed=True, because="a fault is mended, and not all"),
    ProgressRule(level=CAUSE, cause=True, because="the edit is in the right place, and mends nothing"),
    ProgressRule(level=ELSEWHERE, because="the edit is in the wrong place"),
)
# fmt: on
"""The first matching rule decides."""


def progress_of(facts: ProgressFacts) -> int:
    """Return the progress level of an attempt."""
    return first_fitting(RULES, facts).level


def progress_facts(
    case: Case, trajectory: Trajectory, workflow_statuses: Mapping[int, WorkflowStatus], *, right: int | None
) -> tuple[ProgressFacts, ...]:
    """Return the facts about each attempt; none for a case that no edit mends.

    ``right`` is the number of the attempt whose workflow passes everything without harm, or None.
    """
    faults = edit_faults(case)
    causes = {node for fault in faults for node in fault.cause}
    attempts = trajectory.attempts if faults else ()
    return tuple(_facts(case, attempt, workflow_statuses.get(attempt.number), right, causes) for attempt in attempts)


def best(progress: Sequence[int]) -> int | None:
    """Return the highest progress level that a trial reached; None if there is none."""
    return max(progress, default=None)


def _facts(
    case: Case, attempt: Attempt, after: WorkflowStatus | None, right: int | None, causes: set[str]
) -> ProgressFacts:
    return ProgressFacts(
        status=attempt.status,
        candidate=attempt.candidate is not None,
        right=attempt.number == right,
        holds=after is not None and after.own,
        fixed=len(after.fixed) if after is not None else 0,
        cause=attempt.candidate is not None and bool(causes & touched_nodes(case.workflow, attempt.candidate)),
    )

"""The status of an executed workflow: which faults are mended in it, and which of its checks hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mendbench.model.case import Case, Fault
from mendbench.model.execution import NodeState, State
from mendbench.model.json import JsonObject
from mendbench.model.trial import Attempt, CleanRun, Trajectory
from mendbench.scoring.judging.checks import own_results
from mendbench.scoring.judging.diffs import touched_nodes
from mendbench.scoring.judging.effects import unrequested_writes
from mendbench.scoring.judging.handling import handled_result
from mendbench.scoring.judging.matching import same


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowStatus:
    """The status of one workflow, judged by a clean run on the case's own data."""

    states: dict[str, NodeState]
    outcome: State
    """How the clean run ended."""
    own: bool
    """The case's own checks hold, except for required warnings, and no edge of the repair swallows a failure. Always false for an
    unedited broken workflow."""
    whole: bool
    """The variants hold too. Only the last workflow is run on them; for any other this equals ``own``."""
    harm: bool
    """The clean run did something forbidden or made an unrequested write, or a protected parameter was changed."""
    fixed: frozenset[str]
    """Ids of the edit faults that are mended."""


def standing(
    case: Case, workflow: JsonObject, run: CleanRun, *, right: Sequence[CleanRun], variants_hold: bool = True
) -> WorkflowStatus:
    """Return the status of ``workflow``; ``run`` is a clean run of it on the case's own data.

    ``right`` are clean runs of right workflows on the same data.
    """
    results = (*own_results(case, workflow, run), handled_result(case, workflow, run))
    edited = not same(workflow, case.workflow)
    own = all(result.held for result in results) and (edited or not edit_faults(case))
    forbidden = any(result.harm and not result.held for result in results)
    return WorkflowStatus(
        states=run.execution.states(),
        outcome=run.execution.outcome,
        own=own,
        whole=own and variants_hold,
        harm=forbidden or (edited and bool(unrequested_writes(run.traffic, right))),
        fixed=faults_fixed(case, workflow, run, checks_hold=own),
    )


def faults_fixed(case: Case, workflow: JsonObject, run: CleanRun, *, checks_hold: bool) -> frozenset[str]:
    """Return the ids of the edit faults that ``workflow`` mends.

    If the checks hold, every fault is mended, wherever the edit was made. Otherwise a fault appears mended if the node
    where it surfaced is in its labelled state (success if there is no label) and one of its causes was touched. If all
    faults appear mended although the checks fail (an error was swallowed, for example), none counts.
    """
    faults = edit_faults(case)
    if checks_hold:
        return frozenset(fault.id for fault in faults)
    touched = touched_nodes(case.workflow, workflow)
    if not touched:
        return frozenset()
    states = run.execution.states()
    looks = [
        fault.id
        for fault in faults
        if states.get(fault.surfaces) == case.after_fix.get(fault.surfaces, "success") and touched & set(fault.cause)
    ]
    return frozenset(looks) if len(looks) < len(faults) else frozenset()


def workflow_statuses(
    case: Case,
    trajectory: Trajectory,
    clean: Mapping[int, CleanRun],
    *,
    final: int,
    variants_hold: bool,
    right: Sequence[CleanRun],
) -> dict[int, WorkflowStatus]:
    """Return the status of each executed workflow by attempt number; 0 is the broken one.

    ``clean`` has the clean runs by the same numbers. A candidate without one (it never ran) has no status.
    ``final`` is the number of the workflow that was run on the variants. ``right`` are clean runs of right workflows
    on the case's own data.
    """
    candidates = {
        execution.number: execution.candidate for execution in executed(trajectory) if execution.candidate is not None
    }
    return {
        number: standing(case, workflow, clean[number], right=right, variants_hold=variants_hold or number != final)
        for number, workflow in {0: case.workflow, **candidates}.items()
        if number in clean
    }


def executed(trajectory: Trajectory) -> tuple[Attempt, ...]:
    """Return the attempts whose candidate ran, in order."""
    return tuple(attempt for attempt in trajectory.attempts if attempt.execution is not None)


def edit_faults(case: Case) -> tuple[Fault, ...]:
    """Return the faults that an edit mends."""
    return tuple(fault for fault in case.faults if fault.who == "edit")

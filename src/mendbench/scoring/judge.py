"""From a trial's evidence to everything that the truth says about it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from mendbench.errors import MendbenchError
from mendbench.model.case import Case, UnchangedCheck, WarningCheck
from mendbench.model.execution import Execution
from mendbench.model.trial import AttemptLabel, CheckResult, CleanRun, Problem, Trajectory
from mendbench.model.verdict import Verdict
from mendbench.scoring.attempts import label_attempts, wasted
from mendbench.scoring.checks import changed, describe, expected_warnings, own_results, said_results, variant_results
from mendbench.scoring.diffs import diff_paths
from mendbench.scoring.effects import RepeatedEffect, collateral_edits, repeated_effects
from mendbench.scoring.ladder import rungs
from mendbench.scoring.outcomes import KEPT, end_of, outcome
from mendbench.scoring.recall import Recall, context_recall, facts_of
from mendbench.scoring.standings import executed, standings


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """Everything that the truth says about a trial. A trial with a problem has a verdict and nothing else."""

    verdict: Verdict
    checks: tuple[CheckResult, ...] = ()
    """The case's own, and those of its variants, each with whether the run ended as it should."""
    labels: tuple[AttemptLabel, ...] = ()
    """One for each attempt."""
    ladder: tuple[int, ...] = ()
    """One rung for each attempt; none where no edit is right."""
    wasted: int = 0
    repeated_side_effects: tuple[RepeatedEffect, ...] = ()
    collateral_edits: tuple[str, ...] = ()
    """Of the last workflow that ran, whether or not it is left applied."""
    faults_fixed: tuple[str, ...] = ()
    """Ids of the faults that the last workflow that ran mends, of those that an edit mends, in the case's order."""
    recall: Recall | None = None
    """Of the context of the first attempt; None if there was none."""
    said: bool = False
    """The end says what the truth wants said. Where the truth wants nothing said: it says something."""
    edited: bool = False
    """An edit is left applied."""
    harmful: bool = False


def judge(
    case: Case,
    trajectory: Trajectory | None,
    clean: tuple[CleanRun, ...],
    attempt_clean: Mapping[int, CleanRun],
    problem: Problem | None,
) -> Judged:
    """Return what the truth says about a trial.

    ``clean`` are clean runs of ``trajectory.workflow``, on the case's own data and on every variant.
    ``attempt_clean`` are clean runs on the case's own data of each candidate that ran, by the number of its attempt,
    with that of the broken workflow under 0; that of the last one may be left out. A trial with a ``problem`` is not
    judged, and needs no other evidence.

    Raises:
        MendbenchError: evidence is missing that a trial without a problem has.
    """
    if problem is not None:
        return Judged(verdict=Verdict(verdict=problem.kind, outcome=None))
    if trajectory is None:
        raise MendbenchError(f"{case.id}: a trial without a problem has a trajectory")
    own, variants = _sorted_runs(case, clean)
    ran = executed(trajectory)
    final = ran[-1].number if ran else 0
    runs = {final: own, **attempt_clean}
    if lost := [number for number in (0, *(one.number for one in ran)) if number not in runs]:
        raise MendbenchError(f"{case.id}: no clean run of the workflow of attempt {lost[0]}")
    own_checks = tuple(_over_the_trial(case, trajectory, own))
    beside = tuple(result for run in variants for result in variant_results(case, trajectory.workflow, run))
    repeated = repeated_effects(trajectory.traffic)
    harmful = bool(repeated) or any(result.harm and not result.held for result in (*own_checks, *beside))
    passes = all(result.held for result in (*own_checks, *beside))
    worth = standings(case, trajectory, runs, final=final, variants_hold=all(one.held for one in beside))
    labels = label_attempts(case, trajectory, worth)
    fixed = tuple(fault.id for fault in case.faults if fault.id in worth[final].fixed)
    edited = trajectory.end in KEPT and end_of(trajectory) in KEPT and _differs(case, trajectory)
    warned = says_what_it_should(case, trajectory)
    return Judged(
        verdict=outcome(
            case.kind,
            end_of(trajectory),
            edited=edited,
            warned=warned,
            harmful=harmful,
            passes=passes,
            fixed_some=bool(fixed),
            expected_final=case.final,
        ),
        checks=(*own_checks, *said_results(case, trajectory.workflow, own), *beside),
        labels=labels,
        ladder=rungs(case, trajectory, worth, right=final if passes and not harmful else None),
        wasted=wasted(labels),
        repeated_side_effects=repeated,
        collateral_edits=collateral_edits(case, trajectory.workflow),
        faults_fixed=fixed,
        recall=context_recall(facts_of(case), trajectory.attempts[0].prompt.context.text)
        if trajectory.attempts
        else None,
        said=warned,
        edited=edited,
        harmful=harmful,
    )


def says_what_it_should(case: Case, trajectory: Trajectory) -> bool:
    """Return whether the end of a trial says what the truth wants said.

    Where it wants nothing said: whether it says something. Wanted is each warning that an edit cannot mend and that
    the labels expect at the end, at the node where it surfaces (anywhere, if that node is gone), and every
    ``warning`` check of the case. Where only the user can help, declining says so too.
    """
    if case.kind == "needs_user" and end_of(trajectory) == "declined":
        return True
    last = _last_execution(trajectory)
    wanted = tuple(_wanted(case))
    if not wanted:
        return bool(last.warnings)
    gone = {check.node for check in wanted} - set(last.states())
    return all(_said(check, last, anywhere=check.node in gone) for check in wanted)


def _wanted(case: Case) -> Iterator[WarningCheck]:
    yield from (WarningCheck(node=node, says=says) for node, says in expected_warnings(case).items())
    if case.kind != "repairable":
        yield from (check for check in case.checks if isinstance(check, WarningCheck))


def _said(check: WarningCheck, execution: Execution, *, anywhere: bool) -> bool:
    return any(
        re.search(check.says, warned.message)
        for warned in execution.warnings
        if anywhere or warned.node_id == check.node
    )


def _over_the_trial(case: Case, trajectory: Trajectory, own: CleanRun) -> Iterator[CheckResult]:
    """Yield the own checks, each protected parameter being looked at in every workflow that ran."""
    tampered: dict[str, str] = {
        describe(check): f"in attempt {attempt.number} {why}"
        for attempt in reversed(executed(trajectory))
        for check in case.checks
        if isinstance(check, UnchangedCheck)
        and (why := changed(check, case.workflow, attempt.candidate or case.workflow))
    }
    for result in own_results(case, trajectory.workflow, own, trajectory.traffic):
        found = tampered.get(result.check)
        yield replace(result, held=False, why=found) if found and result.held else result


def _sorted_runs(case: Case, clean: tuple[CleanRun, ...]) -> tuple[CleanRun, tuple[CleanRun, ...]]:
    """Return the run on the case's own data, and those on its variants in the case's order."""
    by_name = {run.variant: run for run in clean}
    names = (None, *(variant.name for variant in case.variants))
    for name in names:
        if name not in by_name:
            data = "its own data" if name is None else f"variant {name!r}"
            raise MendbenchError(f"{case.id}: no clean run of the final workflow on {data}")
    return by_name[None], tuple(by_name[name] for name in names[1:])


def _differs(case: Case, trajectory: Trajectory) -> bool:
    return bool(diff_paths(case.workflow, trajectory.workflow))


def _last_execution(trajectory: Trajectory) -> Execution:
    executions = [attempt.execution for attempt in trajectory.attempts if attempt.execution is not None]
    return executions[-1] if executions else trajectory.first

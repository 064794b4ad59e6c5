"""The table that maps the facts about an attempt to its label. It is total: some rule fits every combination.

The facts come from the ground truth and never from a policy's own signature.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mendbench.model.case import Case, NoRequestCheck, RequestCheck
from mendbench.model.exchange import Exchange
from mendbench.model.trial import Attempt, AttemptLabel, CleanRun, Trajectory
from mendbench.scoring.judging.effects import repeated_effects, unrequested_in_trial
from mendbench.scoring.judging.matching import is_forbidden, is_wanted
from mendbench.scoring.judging.recall import context_recall
from mendbench.scoring.judging.rules import BaseRule, first_fitting
from mendbench.scoring.judging.workflow_status import WorkflowStatus, edit_faults

WASTED: frozenset[AttemptLabel] = frozenset({"futile", "fruitless"})
"""Labels of wasted attempts: those that achieved nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptFacts:
    """The facts about an attempt that the table uses."""

    open: bool
    """A fault that an edit mends was open when the attempt began. All are closed once the case's own checks hold."""
    harmed: bool
    """Its execution sent a forbidden, excess or repeated request or made an unrequested write; or it introduced the harm
    into the workflow that is left applied."""
    ended_well: bool
    """It ran to success, or its workflow runs to the labelled warning. The clean run decides this: in the trial, a policy without a
    detector sees an error instead, and the label must not depend on the policy."""
    whole: bool
    """The checks hold for its workflow; for the last workflow, also on the variants."""
    gained: int
    """Number of faults that are mended in its workflow and were open in the one before."""
    broke: bool
    """A fault is open again, or a node that worked and is labelled to work failed or was removed."""
    new_facts: bool
    """The next context contains a fact that its own did not."""
    later_gained: bool
    """A later attempt mended a fault."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptRule(BaseRule):
    """One row of the table."""

    label: AttemptLabel
    open: bool | None = None
    harmed: bool | None = None
    ended_well: bool | None = None
    whole: bool | None = None
    gained: bool | None = None
    """Whether the attempt mended any fault."""
    broke: bool | None = None
    new_facts: bool | None = None
    later_gained: bool | None = None


# fmt: off
RULES: tuple[AttemptRule, ...] = (
    AttemptRule(label="futile", open=False, because="whatever came of it, no edit was wanted any more, or ever"),
    AttemptRule(label="harmful", harmed=True, because="harm done is not undone by what was mended beside it"),
    AttemptRule(label="plausible", ended_well=True, whole=False, because="it ran to a good end, and does not do what it should"),
    AttemptRule(label="productive", gained=True, broke=False, because="it mended something, and broke nothing"),
    AttemptRule(label="informative", gained=False, new_facts=True, later_gained=True,
                because="it mended nothing, but its failure stated what a later attempt could use"),
    AttemptRule(label="fruitless", because="unparsable, invalid, unchanged, the same failure again, or worse"),
)
# fmt: on
"""The first matching rule decides."""


def label_of(facts: AttemptFacts) -> AttemptLabel:
    """Return the label of an attempt."""
    return first_fitting(RULES, facts).label


def attempt_facts(
    case: Case,
    trajectory: Trajectory,
    workflow_statuses: Mapping[int, WorkflowStatus],
    right: Sequence[CleanRun],
    *,
    leaves_harm: bool,
) -> tuple[AttemptFacts, ...]:
    """Return the facts about each attempt.

    ``right`` are clean runs of right workflows on the case's own data. ``leaves_harm``: the workflow that is left applied does harm on
    some data of the case.
    """
    attempts = trajectory.attempts
    harmed = harmful_attempts(case, trajectory, workflow_statuses, right, leaves_harm=leaves_harm)
    gains = [_gained(attempt, workflow_statuses) for attempt in attempts]
    facts = [fact for fault in edit_faults(case) for fact in fault.facts]
    shown = [set(context_recall(facts, attempt.prompt.context.text).found) if facts else set() for attempt in attempts]
    found = []
    for at, attempt in enumerate(attempts):
        before, after = _before(attempt.number, workflow_statuses), workflow_statuses.get(attempt.number)
        found.append(
            AttemptFacts(
                open=bool(edit_faults(case)) and not before.own,
                harmed=attempt.number in harmed,
                ended_well=after is not None and _ended_well(case, attempt, after),
                whole=after is not None and after.whole,
                gained=gains[at],
                broke=after is not None and _broke(case, before, after),
                new_facts=at + 1 < len(attempts) and bool(shown[at + 1] - shown[at]),
                later_gained=any(gains[at + 1 :]),
            )
        )
    return tuple(found)


def wasted(labels: Sequence[AttemptLabel]) -> int:
    """Return the number of wasted attempts."""
    return sum(label in WASTED for label in labels)


def harmful_phases(case: Case, traffic: Sequence[Exchange], right: Sequence[CleanRun]) -> frozenset[int]:
    """Return the executions of a trial in which harm was done.

    Harm is a forbidden request, a request that was accepted too often, a repeated write, or an unrequested write.
    ``right`` are clean runs of right workflows on the same data.
    """
    phases = {phase for effect in repeated_effects(traffic) for phase in effect.phases[1:]}
    phases.update(phase for write in unrequested_in_trial(traffic, right) for phase in write.phases)
    for check in case.checks:
        if isinstance(check, NoRequestCheck):
            phases.update(exchange.phase for exchange in traffic if is_forbidden(exchange, check))
        elif isinstance(check, RequestCheck) and check.times.most is not None:
            accepted = [exchange.phase for exchange in traffic if exchange.accepted and is_wanted(exchange, check)]
            phases.update(accepted[check.times.most :])
    return frozenset(phases)


def harmful_attempts(
    case: Case,
    trajectory: Trajectory,
    workflow_statuses: Mapping[int, WorkflowStatus],
    right: Sequence[CleanRun],
    *,
    leaves_harm: bool,
) -> frozenset[int]:
    """Return the numbers of the attempts that did harm, and of the one that introduced the harm in the workflow left applied."""
    phases = harmful_phases(case, trajectory.traffic, right)
    harmed = {attempt.number for attempt in trajectory.attempts if attempt.number in phases}
    if leaves_harm and (ran := [number for number in workflow_statuses if number]):
        newly = [
            number for number in ran if workflow_statuses[number].harm and not _before(number, workflow_statuses).harm
        ]
        last = max(ran)
        harmed.add(max(newly, default=last) if workflow_statuses[last].harm else last)
    return frozenset(harmed)


def _before(number: int, workflow_statuses: Mapping[int, WorkflowStatus]) -> WorkflowStatus:
    """Return the status of the workflow that attempt ``number`` started from."""
    return workflow_statuses[max((other for other in workflow_statuses if other < number), default=0)]


def _gained(attempt: Attempt, workflow_statuses: Mapping[int, WorkflowStatus]) -> int:
    after = workflow_statuses.get(attempt.number)
    return 0 if after is None else len(after.fixed - _before(attempt.number, workflow_statuses).fixed)


def _broke(case: Case, before: WorkflowStatus, after: WorkflowStatus) -> bool:
    """Return whether a fault is open again, or a node that worked and is labelled to work failed or was removed."""
    if before.fixed - after.fixed:
        return True
    worked = (node for node, state in before.states.items() if state == case.after_fix.get(node) == "success")
    return any(after.states.get(node, "error") == "error" for node in worked)


def _ended_well(case: Case, attempt: Attempt, after: WorkflowStatus) -> bool:
    succeeded = attempt.execution is not None and attempt.execution.outcome == "success"
    return succeeded or after.outcome == case.final == "warning"

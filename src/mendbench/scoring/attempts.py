"""One label for each attempt, from the truth and never from a policy's own signature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mendbench.model.case import Case, NoRequestCheck, RequestCheck
from mendbench.model.exchange import Exchange
from mendbench.model.trial import Attempt, AttemptLabel, CleanRun, Trajectory
from mendbench.scoring.effects import repeated_effects
from mendbench.scoring.matching import is_forbidden, is_wanted
from mendbench.scoring.recall import context_recall
from mendbench.scoring.standings import Standing, edit_faults
from mendbench.scoring.unasked import unasked_in_trial

WASTED: frozenset[AttemptLabel] = frozenset({"futile", "fruitless"})
"""Labels of attempts that cost and brought nothing."""


def label_attempts(
    case: Case, trajectory: Trajectory, standings: Mapping[int, Standing], right: Sequence[CleanRun]
) -> tuple[AttemptLabel, ...]:
    """Return the label of each attempt: the first of these that is true of it.

    ``futile``: no fault that an edit mends was open when it was asked for, whatever came of it. A case's edit faults
    are closed once its own checks hold.
    ``harmful``: its execution sent something forbidden, once too often or again, or wrote what nobody asked for; or
    its workflow newly does so, or changes what is protected and stays changed to the end.
    ``plausible``: it ran to the labelled end, and checks (of the last workflow: or variants) do not hold.
    ``productive``: it mended a fault, unmended none, and broke no node that worked and is labelled to work.
    ``informative``: it mended none, but the next context tells a fact that its own did not, and a later attempt
    mended a fault.
    ``fruitless``: the rest: unparsable, invalid, unchanged, the same failure again, worse.

    ``right`` are clean runs of right workflows on the case's own data.
    """
    harmed = harmful_attempts(case, trajectory, standings, right)
    gains = {attempt.number: _gained(attempt, standings) for attempt in trajectory.attempts}
    return tuple(
        _label(case, trajectory.attempts, index, standings, harmed=attempt.number in harmed, gains=gains)
        for index, attempt in enumerate(trajectory.attempts)
    )


def wasted(labels: Sequence[AttemptLabel]) -> int:
    """Return how many attempts cost and brought nothing."""
    return sum(label in WASTED for label in labels)


def harmful_phases(case: Case, traffic: Sequence[Exchange], right: Sequence[CleanRun]) -> frozenset[int]:
    """Return the executions of a trial in which harm was done.

    Harm is a request that is forbidden, one that was accepted once too often, a write that had happened before, or one
    that nobody asked for: ``right`` are clean runs of right workflows on the same data.
    """
    phases = {phase for effect in repeated_effects(traffic) for phase in effect.phases[1:]}
    phases.update(phase for write in unasked_in_trial(traffic, right) for phase in write.phases)
    for check in case.checks:
        if isinstance(check, NoRequestCheck):
            phases.update(one.phase for one in traffic if is_forbidden(one, check))
        elif isinstance(check, RequestCheck) and check.times.most is not None:
            accepted = [one.phase for one in traffic if one.accepted and is_wanted(one, check)]
            phases.update(accepted[check.times.most :])
    return frozenset(phases)


def harmful_attempts(
    case: Case, trajectory: Trajectory, standings: Mapping[int, Standing], right: Sequence[CleanRun]
) -> frozenset[int]:
    """Return the numbers of the attempts that did harm."""
    phases = harmful_phases(case, trajectory.traffic, right)
    harmed = {attempt.number for attempt in trajectory.attempts if attempt.number in phases}
    for number, after in standings.items():
        if number and after.harm and not _before(number, standings).harm:
            harmed.add(number)
    return frozenset(harmed)


def _label(
    case: Case,
    attempts: Sequence[Attempt],
    index: int,
    standings: Mapping[int, Standing],
    *,
    harmed: bool,
    gains: Mapping[int, frozenset[str]],
) -> AttemptLabel:
    attempt = attempts[index]
    before, after = _before(attempt.number, standings), standings.get(attempt.number)
    if not edit_faults(case) or before.own:
        return "futile"
    if harmed:
        return "harmful"
    if after is not None and _ended_well(case, attempt) and not after.whole:
        return "plausible"
    if after is not None and gains[attempt.number] and not _broke(case, before, after):
        return "productive"
    mended = any(gains[later.number] for later in attempts[index + 1 :])
    if not gains[attempt.number] and mended and _told_more(case, attempt, attempts[index + 1]):
        return "informative"
    return "fruitless"


def _before(number: int, standings: Mapping[int, Standing]) -> Standing:
    """Return the standing of the workflow that attempt ``number`` started from."""
    return standings[max((one for one in standings if one < number), default=0)]


def _gained(attempt: Attempt, standings: Mapping[int, Standing]) -> frozenset[str]:
    after = standings.get(attempt.number)
    return frozenset() if after is None else after.fixed - _before(attempt.number, standings).fixed


def _broke(case: Case, before: Standing, after: Standing) -> bool:
    """Return whether a fault is open again, or a node failed or went that worked and is labelled to work."""
    if before.fixed - after.fixed:
        return True
    worked = (node for node, state in before.states.items() if state == case.after_fix.get(node) == "success")
    return any(after.states.get(node, "error") == "error" for node in worked)


def _ended_well(case: Case, attempt: Attempt) -> bool:
    outcome = attempt.execution.outcome if attempt.execution else "error"
    return outcome == "success" or outcome == case.final == "warning"


def _told_more(case: Case, attempt: Attempt, following: Attempt) -> bool:
    facts = [fact for fault in edit_faults(case) for fact in fault.facts]
    told = set(context_recall(facts, attempt.prompt.context.text).found)
    return bool(set(context_recall(facts, following.prompt.context.text).found) - told)

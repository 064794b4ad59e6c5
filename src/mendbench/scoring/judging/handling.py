"""Swallowed failures: an edge that the repair added handles a failure that would have stopped the user's workflow with a message."""

from __future__ import annotations

from typing import TypeAlias

from mendbench.model.case import Case
from mendbench.model.json import JsonObject
from mendbench.model.trial import CheckResult, CleanRun
from mendbench.runtime.parse import salvaged
from mendbench.scoring.judging.fixes import mended, right_fixes

SWALLOWED = "no failure that an edge of the repair handles"
"""The name of the check."""

Handler: TypeAlias = tuple[str, str, str]
"""An edge that is followed when a node failed: the node, the action, and the target."""

_ACTIONS = frozenset({"error", "warning"})
"""States of a failed node, and the actions that are followed then."""


def handlers(workflow: JsonObject) -> frozenset[Handler]:
    """Return the edges of a workflow that are followed after a failure."""
    edges = salvaged(workflow).edges
    return frozenset((edge.source, edge.action, edge.target) for edge in edges if edge.action in _ACTIONS)


def handled_result(case: Case, workflow: JsonObject, run: CleanRun) -> CheckResult:
    """Return whether no failure in a clean run of ``workflow`` was handled by an unrequested edge.

    The edges of the user's own workflow and of every right fix are requested. A renamed node keeps its edges. An edge
    with a different target is new.

    Raises:
        BadInput: a fix of the case does not apply.
    """
    added = handlers(workflow)
    if added:
        own = handlers(case.workflow).union(*(handlers(mended(case, fix)) for fix in right_fixes(case)))
        names = _renamed(case.workflow, workflow)
        added = frozenset(
            (source, action, target)
            for source, action, target in added
            if (names.get(source, source), action, names.get(target, target)) not in own
        )
    ways = {(source, action) for source, action, _ in added}
    whys = [
        f"{record.node_id} failed ({record.message}), and an added {record.action} edge went on as if nothing had happened"
        for record in run.execution.nodes
        if record.state in _ACTIONS and (record.node_id, record.action) in ways
    ]
    return CheckResult(check=SWALLOWED, held=not whys, why="; ".join(whys), variant=run.variant)


def _renamed(before: JsonObject, after: JsonObject) -> dict[str, str]:
    """Return the old names of renamed nodes: new nodes with the type and position of a removed one."""
    old, new = salvaged(before).nodes, salvaged(after).nodes
    known, left = {node.id for node in old}, {node.id for node in new}
    return {
        late.id: early.id
        for early, late in zip(old, new, strict=False)
        if early.type == late.type and early.id not in left and late.id not in known
    }

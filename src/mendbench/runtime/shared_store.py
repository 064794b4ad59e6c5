"""The shared store of an execution, as in the specification: the data of a run besides its nodes' outputs."""

from __future__ import annotations

from mendbench.model.execution import Execution, NodeRecord
from mendbench.model.json import JsonObject

EXECUTION, WARNINGS, NON_REPAIRABLE = "__execution__", "__warnings__", "__non_repairable_error__"
CACHE_HITS, MODIFIED = "__cache_hits__", "__modified_nodes__"


def shared_store(execution: Execution) -> JsonObject:
    """Return the reserved keys of the store.

    ``__execution__``
        The checkpoint: completed nodes (including warned ones), the action of each, its work (as a digest over redacted
        parameters), and the node at which the run stopped.
    ``__warnings__``
        Each warned node's message, whether the warning stopped the run or not.
    ``__non_repairable_error__``
        True if a warning stopped the run, so that no repair is allowed; absent otherwise.
    ``__cache_hits__``, ``__modified_nodes__``
        Nodes taken from the checkpoint; nodes that ran again because something they depend on changed.
    """
    completed = [record for record in execution.nodes if completes(record)]
    kept = execution.checkpoint.completed
    hashes = {record.node_id: kept[record.node_id].shown_digest for record in completed if record.node_id in kept}
    store: JsonObject = {
        EXECUTION: {
            "completed_nodes": [record.node_id for record in completed],
            "node_actions": {record.node_id: record.action for record in completed},
            "node_hashes": {node_id: shown for node_id, shown in hashes.items() if shown},
            "failed_node": execution.checkpoint.failed_node,
        },
        WARNINGS: {warned.node_id: warned.message for warned in execution.warnings},
        CACHE_HITS: [record.node_id for record in execution.nodes if record.cached],
        MODIFIED: [record.node_id for record in execution.nodes if record.modified],
    }
    return {**store, NON_REPAIRABLE: True} if stopped_by_warning(execution) else store


def completes(record: NodeRecord) -> bool:
    """Return whether a node counts as completed: it succeeded, or it ended with a warning."""
    return record.state in ("success", "warning")


def stopped_by_warning(execution: Execution) -> bool:
    """Return whether a warning stopped the run, so that no repair can fix it."""
    return execution.outcome == "warning" and bool(execution.failures)

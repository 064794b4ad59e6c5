"""The shared store of an execution, as in the specification: the data of a run besides its nodes' outputs."""

from __future__ import annotations

from collections.abc import Iterable

from mendbench.model.execution import Execution, NodeRecord
from mendbench.model.json import JsonObject


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
    store: JsonObject = {
        "__execution__": checkpoint_view(
            execution, [record for record in execution.nodes if record.state in ("success", "warning")]
        ),
        "__warnings__": {warned.node_id: warned.message for warned in execution.warnings},
        "__cache_hits__": [record.node_id for record in execution.nodes if record.cached],
        "__modified_nodes__": [record.node_id for record in execution.nodes if record.modified],
    }
    stopped_by_warning = execution.outcome == "warning" and bool(execution.failures)
    return {**store, "__non_repairable_error__": True} if stopped_by_warning else store


def checkpoint_view(execution: Execution, completed: Iterable[NodeRecord]) -> JsonObject:
    """Return the checkpoint of an execution as JSON, with ``completed`` as its completed nodes."""
    actions = {record.node_id: record.action for record in completed}
    kept = execution.checkpoint.completed
    hashes = {node_id: kept[node_id].shown_digest for node_id in actions if node_id in kept}
    return {
        "completed_nodes": list(actions),
        "node_actions": actions,
        "node_hashes": {node_id: digest for node_id, digest in hashes.items() if digest},
        "failed_node": execution.checkpoint.failed_node,
    }

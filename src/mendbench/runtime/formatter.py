"""The agent error format: one JSON shared by the command line, the MCP server and the ``agent-json`` strategy.

Always sanitised. For an execution that ended in an error, nothing in it depends on a detector: a warned node that an edge
handled looks like any other handled failure.
"""

from __future__ import annotations

from mendbench.model.execution import Execution, NodeRecord, Warned
from mendbench.model.failure import Failure
from mendbench.model.json import JsonObject
from mendbench.runtime.parse import salvaged
from mendbench.runtime.shared_store import checkpoint_view
from mendbench.secrets.redaction import sanitise

_ALWAYS = ("source", "category", "message", "action", "node_id", "fixable")
_RESPONSE = ("status_code", "raw_response", "response_headers", "response_time")
_WHERE_KNOWN = (
    "mcp_error_details", "mcp_error", "shell_command", "shell_exit_code", "shell_stdout", "shell_stderr",
    "exception_type", "hint", "available_fields",
)  # fmt: skip


def agent_json(workflow: JsonObject, execution: Execution) -> JsonObject:
    """Return an execution of ``workflow`` (the document) as JSON in the agent error format."""
    shown: JsonObject = {
        "success": execution.outcome != "error" and not execution.failures,
        "error": execution.failures[0].message if execution.failures else None,
        "errors": [_error(failure) for failure in execution.failures],
        "checkpoint": checkpoint_view(execution, _completed(execution)),
        "execution": {
            "duration_ms": execution.duration_ms,
            "nodes_executed": len(_completed(execution)),
            "nodes_total": len(execution.nodes),
            "steps": [_step(record, execution) for record in execution.nodes],
        },
        "metrics": {
            "duration_ms": execution.duration_ms,
            "total_cost_usd": _cost(workflow, execution),
            "nodes_executed": len(_completed(execution)),
        },
    }
    if execution.outcome != "error":
        shown["status"] = execution.outcome
        shown["warnings"] = [_warning(warned) for warned in execution.warnings]
        shown["outputs"] = execution.outputs
    clean: JsonObject = sanitise(shown)
    return clean


def _error(failure: Failure) -> JsonObject:
    """Return one error with those of the baseline's fields that the failure has. Enrichment is not part of this format."""
    shown: JsonObject = {name: getattr(failure, name) for name in _ALWAYS}
    if failure.status_code is not None:
        shown |= {name: getattr(failure, name) for name in _RESPONSE}
    for name in _WHERE_KNOWN:
        value = getattr(failure, name)
        if value is not None:
            shown[name] = list(value) if isinstance(value, tuple) else value
    if failure.available_fields_truncated:
        shown["available_fields_total"] = failure.available_fields_total
        shown["available_fields_truncated"] = True
    return shown


def _warning(warned: Warned) -> JsonObject:
    """Return one warning. Critical warnings are the default and are not marked."""
    warning = {"node_id": warned.node_id, "message": warned.message}
    return warning if warned.severity == "critical" else {**warning, "severity": warned.severity}


def _completed(execution: Execution) -> tuple[NodeRecord, ...]:
    """Return the nodes that count as completed; a warned node counts only if no prompt follows."""
    states = ("success",) if execution.outcome == "error" else ("success", "warning")
    return tuple(record for record in execution.nodes if record.state in states)


def _step(record: NodeRecord, execution: Execution) -> JsonObject:
    if record.state == "not_run":
        return {"node_id": record.node_id, "status": "not_executed", "duration_ms": None, "cached": False}
    return {
        "node_id": record.node_id,
        "status": "completed" if record in _completed(execution) else "failed",
        "duration_ms": record.duration_ms,
        "cached": record.cached,
        "repaired": record.modified,
    }


def _cost(workflow: JsonObject, execution: Execution) -> float | None:
    """Return the cost of the nodes: zero, or None if a node called a model, whose price is not known here."""
    models = {node.id for node in salvaged(workflow).nodes if node.type == "llm"}
    ran = {record.node_id for record in execution.nodes if record.state != "not_run" and not record.cached}
    return None if models & ran else 0.0

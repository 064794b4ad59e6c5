"""Converts a program's output in the agent error format to an execution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast, get_args

from mendbench.engines.failures import as_float, as_list, as_object, as_text, failures_in
from mendbench.engines.trailing_json import last_object
from mendbench.model.execution import Checkpoint, Completed, Execution, NodeRecord, NodeState, Severity, State, Warned
from mendbench.model.failure import (
    Category,
    Failure,
)
from mendbench.model.json import Json, JsonObject
from mendbench.model.workflow import Workflow

OWN = "mendbench"
"""The key of what an engine reports beyond the agent error format."""

NO_EDIT: Category = "non_repairable"
"""The category of an error that no edit can fix: its node ended in a warning."""

DEGRADED = frozenset({"warning", "degraded"})
"""Names of a run that completed with a warning: ours and the baseline's."""

VOLATILE = frozenset({"duration_ms", "response_time", "timestamp", "started_at", "ended_at", "start_time", "end_time"})
"""Names of real-time measurements. They would differ in each replay, and are removed everywhere."""

DEEPEST = 200
"""The maximum nesting depth of a document: later code reads it recursively."""

_STATES = frozenset(get_args(NodeState))


class NoDocument(Exception):
    """The output is not in the agent error format; the message gives the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineCheckpoint(Checkpoint):
    """The engine's checkpoint for resuming, including secrets. The engine gets it back unchanged, and no other code reads it."""

    held: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineExecution(Execution):
    """An execution as its engine reported it."""

    agent: JsonObject = field(default_factory=dict)
    """The printed document, without what is reported beyond the format."""
    own: JsonObject = field(default_factory=dict)
    """What is reported beyond the format."""


def document_in(printed: str) -> JsonObject:
    """Return the JSON object in the output: the whole output, or else an object that begins at its last such line and ends the output.

    Raises:
        NoDocument: there is none, or it is not in the agent error format.
    """
    try:
        found = last_object(printed)
    except ValueError as error:  # RFC 8259 section 6 has no such number, and most programs that read it would refuse it
        raise NoDocument(f"its JSON cannot be read: {error}; print null") from None
    if found is None:
        raise NoDocument("it printed no JSON object on standard output")
    if _deeper(found, DEEPEST):
        raise NoDocument(f"its JSON is nested more than {DEEPEST} deep")
    return check_document(found)


def check_document(found: JsonObject) -> JsonObject:
    """Return a document that is in the agent error format.

    Raises:
        NoDocument: it is not.
    """
    if not isinstance(found.get("success"), bool):
        raise NoDocument("its JSON is not in the agent error format: 'success' is no true or false")
    for name, kind in (("errors", list), ("warnings", list), ("execution", dict), ("outputs", dict), (OWN, dict)):
        if found.get(name) is not None and not isinstance(found[name], kind):
            raise NoDocument(
                f"its JSON is not in the agent error format: {name!r} is no {'list' if kind is list else 'object'}"
            )
    if not found["success"] and not found.get("errors"):
        raise NoDocument("its JSON is not in the agent error format: 'success' is false, and 'errors' is empty")
    return found


def without_moments(document: JsonObject) -> JsonObject:
    """Return a document without real-time measurements, unless it states that its time is the world's."""
    if (document.get(OWN) or {}).get("virtual_time") is True:
        return document
    return cast("JsonObject", _timeless(document))


def execution_of(
    document: JsonObject, workflow: Workflow, *, seen: frozenset[str] = frozenset(), duration_ms: int = 0
) -> EngineExecution:
    """Return the execution that a document describes.

    ``seen`` are the nodes that sent something. If no steps are reported, they count as executed.
    """
    own = document.get(OWN) or {}
    failures = tuple(failures_in(document, own, workflow))
    warning_entries = as_list(own.get("warnings")) or as_list(document.get("warnings"))
    warnings = tuple(_warned(entry) for entry in warning_entries if isinstance(entry, dict))
    outcome = _outcome(document, failures, warnings)
    if outcome == "warning" and not warnings:
        warnings = tuple(Warned(node_id=failure.node_id or "", message=failure.message) for failure in failures)
    records = _records(document, own, workflow, failures, warnings, outcome, seen)
    return EngineExecution(
        outcome=outcome,
        nodes=records,
        failures=failures if outcome != "success" else (),
        warnings=warnings,
        outputs=(document.get("outputs") or {}) if outcome != "error" else {},
        checkpoint=_checkpoint(document, own, failures),
        duration_ms=own["duration_ms"] if isinstance(own.get("duration_ms"), int) else duration_ms,
        agent={name: value for name, value in document.items() if name != OWN},
        own=own,
    )  # fmt: skip


def _checkpoint(document: JsonObject, own: JsonObject, failures: tuple[Failure, ...]) -> EngineCheckpoint:
    checkpoint = as_object(document.get("checkpoint"))
    completed = as_list(own.get("completed")) or as_list(checkpoint.get("completed_nodes"))
    actions = as_object(checkpoint.get("node_actions"))
    return EngineCheckpoint(
        completed={
            str(node_id): Completed(action=as_text(actions.get(str(node_id))) or "default", digest="", outputs={}) for node_id in completed
        },
        failed_node=as_text(checkpoint.get("failed_node")) or (failures[0].node_id if failures else None),
        held=as_object(own.get("resume")),
    )  # fmt: skip


def _deeper(value: Json, most: int) -> bool:
    """Return whether a JSON value is nested too deeply."""
    level = [value]
    for _ in range(most + 1):
        level = [
            item
            for container in level
            if isinstance(container, dict | list)
            for item in (container.values() if isinstance(container, dict) else container)
        ]
        if not level:
            return False
    return True


def _timeless(value: Json) -> Json:
    if isinstance(value, dict):
        return {
            name: (None if name == "response_time" else 0)
            if name in VOLATILE and _number_or_text(item)
            else _timeless(item)
            for name, item in value.items()
        }
    return [_timeless(item) for item in value] if isinstance(value, list) else value


def _number_or_text(value: Json) -> bool:
    return isinstance(value, int | float | str) and not isinstance(value, bool)


def _outcome(document: JsonObject, failures: tuple[Failure, ...], warnings: tuple[Warned, ...]) -> State:
    status = as_text(document.get("status"))
    if status in {"success", "warning", "error"}:
        return cast("State", status)
    if document["success"]:
        return (
            "warning"
            if status in DEGRADED or any(warning.severity == "critical" for warning in warnings)
            else "success"
        )
    return "warning" if all(failure.category == NO_EDIT for failure in failures) else "error"


def _warned(entry: JsonObject) -> Warned:
    severity: Severity = "info" if entry.get("severity") == "info" else "critical"
    return Warned(node_id=str(entry.get("node_id") or ""), message=str(entry.get("message") or ""), severity=severity)


def _records(
    document: JsonObject,
    own: JsonObject,
    workflow: Workflow,
    failures: tuple[Failure, ...],
    warnings: tuple[Warned, ...],
    outcome: State,
    seen: frozenset[str],
) -> tuple[NodeRecord, ...]:
    entries, steps = as_object(own.get("nodes")), _steps(document)
    words: dict[str, str] = {failure.node_id: failure.message for failure in failures if failure.node_id}
    words |= {warning.node_id: warning.message for warning in warnings if warning.node_id}
    warned = {warning.node_id: warning for warning in warnings}
    stopped = {failure.node_id: failure.category == NO_EDIT for failure in failures if failure.node_id}
    records = []
    for node in workflow.nodes:
        beyond, step = as_object(entries.get(node.id)), steps.get(node.id)
        state = _state(node.id, beyond, step, stopped, warned, outcome, any_steps=bool(steps), seen=seen)
        records.append(
            NodeRecord(
                node_id=node.id, node_type=node.type, state=state,
                action=as_text(beyond.get("action")) or {"success": "default", "not_run": None}.get(state, "error"),
                cached=_flag(beyond, step, "cached"), modified=_flag(beyond, step, "modified") or _flag({}, step, "repaired"),
                message=as_text(beyond.get("message")) or (words.get(node.id) if state in {"error", "warning"} else None),
                duration_ms=int(as_float(beyond.get("duration_ms")) or 0), outputs=as_object(beyond.get("outputs")),
                severity=warned[node.id].severity if node.id in warned else "critical",
                tries=beyond["tries"] if isinstance(beyond.get("tries"), int) else 1,
            )
        )  # fmt: skip
    return tuple(records)


def _state(
    node_id: str,
    beyond: JsonObject,
    step: JsonObject | None,
    stopped: Mapping[str, bool],
    warned: Mapping[str, Warned],
    outcome: State,
    *,
    any_steps: bool,
    seen: frozenset[str],
) -> NodeState:
    """Return how a node ended: as reported beyond the format, else by its step, else by the rest of the document."""
    if as_text(beyond.get("state")) in _STATES:
        return cast("NodeState", beyond["state"])
    if node_id in stopped:
        return "warning" if stopped[node_id] else "error"
    if node_id in warned:
        return "warning"
    if step is not None:
        status = step.get("status")
        return "success" if status == "completed" else "error" if status == "failed" else "not_run"
    if any_steps:
        return "not_run"
    return "success" if outcome == "success" or node_id in seen else "not_run"


def _steps(document: JsonObject) -> dict[str, JsonObject]:
    steps = as_object(document.get("execution")).get("steps")
    return (
        {str(step.get("node_id")): step for step in steps if isinstance(step, dict)} if isinstance(steps, list) else {}
    )


def _flag(beyond: JsonObject, step: JsonObject | None, name: str) -> bool:
    return beyond.get(name) is True or (step is not None and step.get(name) is True)

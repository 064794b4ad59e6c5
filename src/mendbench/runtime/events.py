"""The events that a running execution sends to a listener: one when a node starts, one when it ends.

Events do not affect the execution: a listener's exceptions are ignored, and without a listener no events are built.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from mendbench.model.execution import NodeRecord, State


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeStarted:
    """A node is about to run, or to be taken from the checkpoint."""

    node_id: str
    node_type: str
    kind: Literal["node_start"] = "node_start"


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeCompleted:
    """A node completed."""

    node_id: str
    duration_ms: int
    modified: bool
    """Whether it ran again after an earlier completion, because something it depends on changed."""
    kind: Literal["node_complete"] = "node_complete"


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeCached:
    """A node had completed earlier and was not run again."""

    node_id: str
    state: State
    """The state in which it ended."""
    message: str | None
    """The message, if it ended in a warning or an error."""
    kind: Literal["node_cached"] = "node_cached"


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeWarned:
    """A node failed in a way that no edit of the workflow can fix."""

    node_id: str
    message: str
    duration_ms: int
    modified: bool
    kind: Literal["node_warning"] = "node_warning"


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeFailed:
    """A node failed."""

    node_id: str
    message: str
    duration_ms: int
    modified: bool
    kind: Literal["node_failed"] = "node_failed"


NodeEvent: TypeAlias = NodeStarted | NodeCompleted | NodeCached | NodeWarned | NodeFailed
Listener: TypeAlias = Callable[[NodeEvent], None]


def quietly(listener: Listener) -> Listener:
    """Return a listener that receives the same events and never raises an ``Exception``."""

    def heard(event: NodeEvent) -> None:
        with contextlib.suppress(Exception):
            listener(event)

    return heard


def ending(record: NodeRecord) -> NodeEvent:
    """Return the event for the end of a node."""
    name, message, took = record.node_id, record.message or "", record.duration_ms
    if record.cached:
        state: State = "success" if record.state == "not_run" else record.state
        return NodeCached(node_id=name, state=state, message=record.message)
    if record.state == "warning":
        return NodeWarned(node_id=name, message=message, duration_ms=took, modified=record.modified)
    if record.state == "error":
        return NodeFailed(node_id=name, message=message, duration_ms=took, modified=record.modified)
    return NodeCompleted(node_id=name, duration_ms=took, modified=record.modified)

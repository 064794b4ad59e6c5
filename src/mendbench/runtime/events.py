"""The events that a running execution sends to a listener: one when a node starts, one when it ends.

Events do not affect the execution: a listener's exceptions are ignored, and without a listener no events are built.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from mendbench.model.execution import NodeRecord, State


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeStarted:
    """A node is about to run, or to be taken from the checkpoint."""

    node_id: str
    node_type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeCached:
    """A node had completed earlier and was not run again."""

    node_id: str
    state: State
    """The state in which it ended."""
    message: str | None
    """The message, if it ended in a warning or an error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ended:
    node_id: str
    duration_ms: int
    modified: bool
    """Whether it ran again after an earlier completion, because something it depends on changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeCompleted(_Ended):
    """A node completed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeWarned(_Ended):
    """A node failed in a way that no edit of the workflow can fix."""

    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeFailed(_Ended):
    """A node failed."""

    message: str


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
    node_id, message = record.node_id, record.message or ""
    duration_ms, modified = record.duration_ms, record.modified
    if record.cached:
        state: State = "success" if record.state == "not_run" else record.state
        return NodeCached(node_id=node_id, state=state, message=record.message)
    if record.state == "warning":
        return NodeWarned(node_id=node_id, message=message, duration_ms=duration_ms, modified=modified)
    if record.state == "error":
        return NodeFailed(node_id=node_id, message=message, duration_ms=duration_ms, modified=modified)
    return NodeCompleted(node_id=node_id, duration_ms=duration_ms, modified=modified)

"""One execution under way: from node to node along the edges, each node run, noticed, judged and recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from mendbench.kit.redaction import sanitise
from mendbench.model.exchange import Answer, Exchange, Request
from mendbench.model.execution import (
    Checkpoint,
    Completed,
    Judgement,
    NodeRecord,
    NodeState,
    Sighting,
    State,
    Warned,
)
from mendbench.model.failure import Failure
from mendbench.model.json import Json, JsonObject
from mendbench.model.workflow import Node, Workflow
from mendbench.ports.clock import Clock
from mendbench.ports.engine import Detector
from mendbench.ports.world import World
from mendbench.runtime.checkpoint import completed_as, node_digest, readers
from mendbench.runtime.events import Listener, NodeStarted, ending
from mendbench.runtime.failures import Scene, failure_of, warning_failure
from mendbench.runtime.nodes.interface import NodeType, Send
from mendbench.runtime.nodes.mcp import type_named
from mendbench.runtime.noticing import Visit, run_node, sighting_in, unresolved_visit
from mendbench.runtime.templates import resolve_params


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What an execution reaches and is judged by."""

    world: World
    detector: Detector | None
    clock: Clock
    types: Mapping[str, NodeType]
    redact: Callable[[Json], Json]
    tell: Listener | None = None
    """Hears of every node; must not raise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Walked:
    """What a walk came to."""

    outcome: State
    records: dict[str, NodeRecord]
    data: JsonObject
    completed: dict[str, Completed]
    warnings: tuple[Warned, ...]
    failure: Failure | None
    stopped_at: str | None
    """The node at which an error or a warning ended it."""


class Walk:
    """The state of one execution. :meth:`run` may be called once."""

    def __init__(self, workflow: Workflow, data: JsonObject, around: Surroundings, before: Checkpoint | None) -> None:
        self._workflow, self._data, self._around, self._before = workflow, data, around, before
        self._ids = frozenset(node.id for node in workflow.nodes)
        self._next = {(edge.source, edge.action): edge.target for edge in workflow.edges}
        self._readers = readers(around.world.traffic()) if before is not None and before.completed else frozenset()
        self._records: dict[str, NodeRecord] = {}
        self._completed: dict[str, Completed] = {}
        self._visits: dict[str, Visit] = {}
        self._wrote = False
        self._senders: set[str] = set()

    def run(self) -> Walked:
        """Walk from the start until no edge leads on, or a failure that no edge handles."""
        node: Node | None = self._node(self._workflow.start_node) or self._workflow.nodes[0]
        arrived = "default"
        while node is not None:
            record = self._told(node, arrived)
            self._records[node.id] = record
            self._data[node.id] = record.outputs
            arrived = record.action or "default"
            target = self._next.get((node.id, arrived))
            if target is None and record.state in ("error", "warning"):
                return self._stopped(node, record)
            node = self._node(target)
        return self._walked("warning" if self._warnings() else "success")

    def _node(self, node_id: str | None) -> Node | None:
        return None if node_id is None else self._workflow.node(node_id)

    def _told(self, node: Node, arrived: str) -> NodeRecord:
        """Make the node's step, and tell of its beginning and its end."""
        tell = self._around.tell
        if tell is None:
            return self._step(node, arrived)
        tell(NodeStarted(node_id=node.id, node_type=node.type))
        record = self._step(node, arrived)
        tell(ending(record))
        return record

    def _step(self, node: Node, arrived: str) -> NodeRecord:
        """Reuse what the node did, or run it and keep what it did unless it ended the run in an error."""
        resolved = resolve_params(node.params, self._data)
        if resolved.problems:
            visit = unresolved_visit(resolved.problems, self._around.redact(self._data))
            return self._judged(node, visit, 0)
        digest = node_digest(node.type, resolved.params, arrived)
        done = self._reusable(node, digest)
        if done is not None:
            return self._reused(node, done)
        started = self._around.clock.now_ms()
        clock = self._around.clock
        kind = type_named(self._around.types, node.type) or self._around.types[node.type]
        visit = run_node(kind, resolved.params, self._sender(node.id), clock)
        record = self._judged(node, visit, clock.now_ms() - started)
        if record.state != "error" or self._handled(node, record.action):
            shown = node_digest(node.type, self._around.redact(resolved.params), arrived)
            self._completed[node.id] = _completed(record, digest, shown)
        return record

    def _judged(self, node: Node, visit: Visit, duration_ms: int) -> NodeRecord:
        self._visits[node.id] = visit
        sighting = sighting_in(node, visit, self._around.redact)
        judgement = self._judgement(sighting)
        return NodeRecord(
            node_id=node.id,
            node_type=node.type,
            state=judgement.state,
            action=self._action(node, judgement.state, visit.output.action),
            modified=self._before is not None and node.id in self._before.completed and not visit.problems,
            message=judgement.message or None,
            duration_ms=duration_ms,
            outputs=visit.output.outputs,
            sighting=sighting,
        )

    def _judgement(self, sighting: Sighting | None) -> Judgement:
        if sighting is None:
            return Judgement(state="success", message="")
        if self._around.detector is None:
            return Judgement(state="error", message=sighting.message)
        judgement = self._around.detector.judge(sighting)
        if judgement.state == "success":
            return Judgement(state="success", message="")
        return Judgement(state=judgement.state, message=sanitise(self._around.redact(judgement.message)))

    def _action(self, node: Node, state: NodeState, own: str) -> str:
        """Return the action of the edge to take. A warning takes its own edge, else the error's."""
        if state == "error":
            return "error"
        if state == "warning":
            return "warning" if self._handled(node, "warning") else "error"
        return own

    def _handled(self, node: Node, action: str | None) -> bool:
        return (node.id, action) in self._next

    def _reusable(self, node: Node, digest: str) -> Completed | None:
        done = completed_as(self._before, node.id, digest, self._ids)
        if done is None or (self._wrote and node.id in self._readers):
            return None
        return None if done.state == "error" and not self._handled(node, "error") else done

    def _reused(self, node: Node, done: Completed) -> NodeRecord:
        self._completed[node.id] = done
        return NodeRecord(
            node_id=node.id,
            node_type=node.type,
            state=done.state,
            action=self._action(node, done.state, done.action),
            cached=True,
            message=done.message,
            outputs=done.outputs,
        )

    def _sender(self, node_id: str) -> Send:
        def send(request: Request) -> Answer:
            self._senders.add(node_id)
            self._wrote = self._wrote or not (request.safe or request.url.startswith("model://"))
            return self._around.world.send(request, node=node_id)

        return send

    def _stopped(self, node: Node, record: NodeRecord) -> Walked:
        """Return the walk that ended at ``node``, with its failure."""
        visit, sighting, redact = self._visits.get(node.id), record.sighting, self._around.redact
        if record.state == "warning" or visit is None or sighting is None:
            failure = warning_failure(node, record.message or "", record.outputs, redact)
            return self._walked("warning", failure, node.id)
        scene = Scene(
            node=node,
            sighting=sighting,
            data={name: value for name, value in self._data.items() if name != node.id},
            workflow=self._workflow,
            exchange=self._last_exchange(node.id),
            problems=visit.problems,
            exception=visit.exception,
            redact=redact,
        )
        return self._walked("error", failure_of(scene), node.id)

    def _last_exchange(self, node_id: str) -> Exchange | None:
        if node_id not in self._senders:
            return None
        own = (exchange for exchange in reversed(self._around.world.traffic()) if exchange.node == node_id)
        return next(own, None)

    def _warnings(self) -> tuple[Warned, ...]:
        return tuple(
            Warned(node_id=record.node_id, message=record.message or "")
            for record in self._records.values()
            if record.state == "warning"
        )

    def _walked(self, outcome: State, failure: Failure | None = None, stopped_at: str | None = None) -> Walked:
        return Walked(
            outcome=outcome,
            records=self._records,
            data=self._data,
            completed=self._completed,
            warnings=self._warnings(),
            failure=failure,
            stopped_at=stopped_at,
        )


def _completed(record: NodeRecord, digest: str, shown: str) -> Completed:
    return Completed(
        action=record.action or "default",
        digest=digest,
        shown_digest=shown,
        outputs=record.outputs,
        state="success" if record.state == "not_run" else record.state,
        message=record.message,
    )

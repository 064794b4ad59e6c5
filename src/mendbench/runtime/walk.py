"""One execution: follows the edges from node to node, until the end or a failure that no edge handles."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mendbench.model.execution import Checkpoint, Completed, NodeRecord, State, Warned
from mendbench.model.failure import EarlierFailure, Failure
from mendbench.model.json import JsonObject
from mendbench.model.workflow import Batch, Node, Workflow
from mendbench.runtime.batch import BatchDone, Plan, plan_batch, run_batch
from mendbench.runtime.events import NodeStarted, ending
from mendbench.runtime.failures import Scene, failure_of, warning_failure
from mendbench.runtime.stepping import ExecutionContext, StepRunner, Tried, Unit
from mendbench.secrets.redaction import sanitise_under


@dataclass(frozen=True, slots=True, kw_only=True)
class Walked:
    """The result of a walk."""

    outcome: State
    records: dict[str, NodeRecord]
    data: JsonObject
    completed: dict[str, Completed]
    items: dict[str, tuple[Completed, ...]]
    warnings: tuple[Warned, ...]
    failure: Failure | None
    stopped_at: str | None
    """The node at which an error or a warning stopped it."""


class Walk:
    """The state of one execution. :meth:`run` may be called once."""

    def __init__(
        self, workflow: Workflow, data: JsonObject, around: ExecutionContext, before: Checkpoint | None
    ) -> None:
        self._workflow, self._data, self._around, self._before = workflow, data, around, before
        self._shop = StepRunner(around, before, frozenset(node.id for node in workflow.nodes))
        self._next = {(edge.source, edge.action): edge.target for edge in workflow.edges}
        self._records: dict[str, NodeRecord] = {}
        self._completed: dict[str, Completed] = {}
        self._items: dict[str, tuple[Completed, ...]] = {}
        self._tried: dict[str, Tried] = {}
        self._batches: dict[str, BatchDone] = {}

    def run(self) -> Walked:
        """Walk from the start until no edge continues or a failure is not handled by an edge."""
        node: Node | None = self._node(self._workflow.start_node) or self._workflow.nodes[0]
        arrived = "default"
        while node is not None:
            record = self._told(node, arrived)
            self._records[node.id] = record
            self._data[node.id] = record.outputs
            arrived = record.action or "default"
            target = self._next.get((node.id, arrived))
            if target is None and _stops(record):
                return self._stopped(node, record)
            node = self._node(target)
        return self._walked("warning" if self._warnings() else "success")

    def _node(self, node_id: str | None) -> Node | None:
        return None if node_id is None else self._workflow.node(node_id)

    def _told(self, node: Node, arrived: str) -> NodeRecord:
        """Execute the node's step, and send events for its start and end."""
        tell = self._around.tell
        if tell is None:
            return self._step(node, arrived)
        tell(NodeStarted(node_id=node.id, node_type=node.type))
        record = self._step(node, arrived)
        tell(ending(record))
        return record

    def _step(self, node: Node, arrived: str) -> NodeRecord:
        """Reuse the node's earlier result, or run it and keep the result unless it ended the run in an error."""
        unit = self._shop.unit(node, self._data, arrived)
        if node.batch is not None:
            return self._batch_step(unit, node.batch)
        done = self._reusable(node, unit.digest)
        if done is not None:
            return self._reused(node, done)
        tried = self._shop.do(unit)
        record = self._judged(tried)
        kept = tried.completed(self._shop.shown_digest(unit) if unit.whole else "")
        self._shop.went_past(node.id, kept.changed_at)
        self._keep(record, kept)
        return record

    def _batch_step(self, whole: Unit, batch: Batch) -> NodeRecord:
        node = whole.node
        plan = plan_batch(batch, whole, self._shop)
        if isinstance(plan, Tried):
            return self._judged(plan)
        done = self._reusable(node, plan.digest)
        if done is not None:
            return self._reused(node, done)
        earlier = self._shop.items_done(node)
        self._items |= dict.fromkeys(earlier, ())
        before = [done for items in earlier.values() for done in items]
        return self._batch_done(node, plan, run_batch(plan, before, self._shop))

    def _batch_done(self, node: Node, plan: Plan, done: BatchDone) -> NodeRecord:
        self._items[node.id] = done.items
        self._batches[node.id] = done
        judgement = done.judgement
        record = NodeRecord(
            node_id=node.id,
            node_type=node.type,
            state=judgement.state,
            action=self._action(node, judgement.state, "default", passed=judgement.severity == "info"),
            modified=self._ran_before(node),
            message=judgement.message or None,
            duration_ms=done.duration_ms,
            outputs=done.outputs if done.error is None else {**done.outputs, "error": done.error},
            observation=done.failed.observation if done.failed is not None else None,
            severity=judgement.severity,
            tries=done.tries,
        )
        if done.failed is not None:
            self._tried[node.id] = done.failed
        self._shop.went_past(node.id, done.changed_at)
        self._keep(record, done.completed(plan.digest, record.outputs))
        return record

    def _judged(self, tried: Tried) -> NodeRecord:
        node, judgement, visit = tried.unit.node, tried.judgement, tried.visit
        self._tried[node.id] = tried
        return NodeRecord(
            node_id=node.id,
            node_type=node.type,
            state=judgement.state,
            action=self._action(node, judgement.state, visit.output.action, passed=judgement.severity == "info"),
            modified=self._ran_before(node) and not visit.problems,
            message=judgement.message or None,
            duration_ms=tried.duration_ms,
            outputs=visit.output.outputs,
            observation=tried.observation,
            severity=judgement.severity,
            tries=tried.tries,
        )

    def _ran_before(self, node: Node) -> bool:
        return self._before is not None and node.id in self._before.completed

    def _keep(self, record: NodeRecord, kept: Completed) -> None:
        """Keep a node's result for a resume, unless it failed and no edge handles the failure."""
        if kept.digest and (record.state != "error" or self._handled(record.node_id, record.action)):
            self._completed[record.node_id] = kept

    def _action(self, node: Node, state: State, own: str, *, passed: bool) -> str:
        """Return the action of the edge to take: the warning edge, else the error edge, else the node's if the run continues.

        Without a detector, errors and warnings are not distinguished, and a failure takes the edge of a warning: the path
        through a workflow must not depend on that distinction.
        """
        if state == "error" and self._around.detector is not None:
            return "error"
        if state == "error":
            return "warning" if self._handled(node.id, "warning") else "error"
        if state == "warning":
            if self._handled(node.id, "warning"):
                return "warning"
            return own if passed else "error"
        return own

    def _handled(self, node_id: str, action: str | None) -> bool:
        return (node_id, action) in self._next

    def _reusable(self, node: Node, digest: str) -> Completed | None:
        done = self._shop.reusable(node, digest) if digest else None
        if done is None or done.state != "error":
            return done
        return done if self._handled(node.id, self._action(node, "error", done.action, passed=False)) else None

    def _reused(self, node: Node, done: Completed) -> NodeRecord:
        self._completed[node.id] = done
        self._shop.went_past(node.id, done.changed_at)
        return NodeRecord(
            node_id=node.id,
            node_type=node.type,
            state=done.state,
            action=self._action(node, done.state, done.action, passed=done.severity == "info"),
            cached=True,
            message=done.message,
            outputs=done.outputs,
            severity=done.severity,
        )

    def _stopped(self, node: Node, record: NodeRecord) -> Walked:
        """Return the walk that stopped at ``node``, with its failure."""
        tried, redact = self._tried.get(node.id), self._around.redact
        if record.state == "warning" or tried is None or tried.observation is None:
            outputs = tried.visit.output.outputs if tried is not None else record.outputs
            failure = warning_failure(node, record.message or "", outputs, redact)
            return self._walked("warning", replace(failure, batch_item=self._batch_item(node)), node.id)
        scene = Scene(
            node=node,
            observation=tried.observation,
            data={name: value for name, value in tried.unit.data.items() if name != node.id},
            workflow=self._workflow,
            exchange=tried.exchanges[-1] if tried.exchanges else None,
            problems=tried.visit.problems,
            exception=tried.visit.exception,
            earlier=self._earlier(node),
            batch_item=self._batch_item(node),
            redact=redact,
        )
        return self._walked("error", failure_of(scene), node.id)

    def _earlier(self, node: Node) -> tuple[EarlierFailure, ...]:
        """Return earlier observations at other nodes, regardless of the detector's judgement."""
        noticed = ((name, self._noticed(record)) for name, record in self._records.items() if name != node.id)
        return tuple(EarlierFailure(node_id=name, message=message) for name, message in noticed if message is not None)

    def _noticed(self, record: NodeRecord) -> str | None:
        kept = self._completed.get(record.node_id)
        if kept is not None:
            return kept.noticed
        return record.observation.message if record.observation is not None else None

    def _batch_item(self, node: Node) -> JsonObject | None:
        """Return the failed item of a batch, or None."""
        done = self._batches.get(node.id)
        if done is None or done.failed is None or done.failed_at is None or node.batch is None:
            return None
        item = self._around.redact(done.failed.unit.data.get(node.batch.name))
        shown = sanitise_under(node.batch.name, item)
        return {"index": done.failed_at, "count": done.outputs["count"], "item": shown}

    def _warnings(self) -> tuple[Warned, ...]:
        return tuple(
            Warned(node_id=record.node_id, message=record.message or "", severity=record.severity)
            for record in self._records.values()
            if record.state == "warning"
        )

    def _walked(self, outcome: State, failure: Failure | None = None, stopped_at: str | None = None) -> Walked:
        return Walked(
            outcome=outcome,
            records=self._records,
            data=self._data,
            completed=self._completed,
            items=self._items,
            warnings=self._warnings(),
            failure=failure,
            stopped_at=stopped_at,
        )


def _stops(record: NodeRecord) -> bool:
    """Return whether a node's end stops the run if no edge continues."""
    return record.state == "error" or (record.state == "warning" and record.severity != "info")

"""One execution: follows the edges from node to node, until the end or a failure that no edge handles."""

from __future__ import annotations

from dataclasses import replace

from mendbench.model.execution import Checkpoint, Completed, NodeRecord, State, Warned
from mendbench.model.failure import EarlierFailure, Failure
from mendbench.model.json import JsonObject
from mendbench.model.workflow import Batch, Node, Workflow
from mendbench.runtime.batch import BatchResult, plan_batch, run_batch
from mendbench.runtime.events import NodeStarted, ending
from mendbench.runtime.failures import FailedNode, failure_of, warning_failure
from mendbench.runtime.stepping import ExecutionContext, StepRunner, Unit, UnitResult, stops
from mendbench.secrets.redaction import sanitise_under


class Walk:
    """One execution. :meth:`run` may be called once; then the attributes hold the result."""

    def __init__(
        self, workflow: Workflow, data: JsonObject, context: ExecutionContext, before: Checkpoint | None
    ) -> None:
        self._workflow, self._context, self._before = workflow, context, before
        self._runner = StepRunner(context, before, frozenset(node.id for node in workflow.nodes))
        self._next = {(edge.source, edge.action): edge.target for edge in workflow.edges}
        self._results: dict[str, UnitResult] = {}
        self._batches: dict[str, BatchResult] = {}
        self.data = data
        self.outcome: State = "success"
        self.records: dict[str, NodeRecord] = {}
        self.completed: dict[str, Completed] = {}
        self.items: dict[str, tuple[Completed, ...]] = {}
        self.failure: Failure | None = None
        self.stopped_at: str | None = None
        """The node at which an error or a warning stopped it."""

    def run(self) -> None:
        """Walk from the start until no edge continues or a failure is not handled by an edge."""
        node: Node | None = self._node(self._workflow.start_node) or self._workflow.nodes[0]
        arrived = "default"
        while node is not None:
            record = self._reported(node, arrived)
            self.records[node.id] = record
            self.data[node.id] = record.outputs
            arrived = record.action or "default"
            target = self._next.get((node.id, arrived))
            if target is None and stops(record):
                self._stop(node, record)
                return
            node = self._node(target)
        self.outcome = "warning" if self.warnings() else "success"

    def warnings(self) -> tuple[Warned, ...]:
        """Return the warnings of all nodes so far."""
        return tuple(
            Warned(node_id=record.node_id, message=record.message or "", severity=record.severity)
            for record in self.records.values()
            if record.state == "warning"
        )

    def _node(self, node_id: str | None) -> Node | None:
        return None if node_id is None else self._workflow.node(node_id)

    def _reported(self, node: Node, arrived: str) -> NodeRecord:
        """Execute the node's step, and send events for its start and end."""
        listener = self._context.listener
        if listener is None:
            return self._step(node, arrived)
        listener(NodeStarted(node_id=node.id, node_type=node.type))
        record = self._step(node, arrived)
        listener(ending(record))
        return record

    def _step(self, node: Node, arrived: str) -> NodeRecord:
        """Reuse the node's earlier result, or run it and keep the result unless it ended the run in an error."""
        unit = self._runner.unit(node, self.data, arrived)
        if node.batch is not None:
            return self._batch_step(unit, node.batch)
        done = self._reusable(node, unit.digest)
        if done is not None:
            return self._reused(node, done)
        result = self._runner.run(unit)
        done = result.completed(self._runner.shown_digest(unit) if unit.whole else "")
        return self._kept(self._ran(result, done), done)

    def _batch_step(self, whole: Unit, batch: Batch) -> NodeRecord:
        node = whole.node
        plan = plan_batch(batch, whole, self._runner)
        if isinstance(plan, UnitResult):
            return self._ran(plan, plan.completed())
        done = self._reusable(node, plan.digest)
        if done is not None:
            return self._reused(node, done)
        earlier = self._runner.items_done(node)
        self.items |= dict.fromkeys(earlier, ())
        result = run_batch(plan, [item for items in earlier.values() for item in items], self._runner)
        self.items[node.id] = result.items
        self._batches[node.id] = result
        if result.failed is not None:
            self._results[node.id] = result.failed
        record = replace(
            self._record(node, result.completed),
            modified=self._ran_before(node),
            duration_ms=result.duration_ms,
            observation=result.failed.observation if result.failed is not None else None,
            tries=result.tries,
        )
        return self._kept(record, result.completed)

    def _ran(self, result: UnitResult, done: Completed) -> NodeRecord:
        node = result.unit.node
        self._results[node.id] = result
        return replace(
            self._record(node, done),
            modified=self._ran_before(node) and not result.visit.problems,
            duration_ms=result.duration_ms,
            observation=result.observation,
            tries=result.tries,
            confidence=result.judgement.confidence,
            evidence=result.judgement.evidence,
        )

    def _reused(self, node: Node, done: Completed) -> NodeRecord:
        self.completed[node.id] = done
        self._runner.went_past(node.id, done.changed_at)
        return replace(self._record(node, done), cached=True)

    def _record(self, node: Node, done: Completed) -> NodeRecord:
        return NodeRecord(
            node_id=node.id,
            node_type=node.type,
            state=done.state,
            action=self._action(node, done),
            message=done.message,
            outputs=done.outputs,
            severity=done.severity,
        )

    def _ran_before(self, node: Node) -> bool:
        return self._before is not None and node.id in self._before.completed

    def _kept(self, record: NodeRecord, done: Completed) -> NodeRecord:
        """Keep a node's result for a resume, unless it failed and no edge handles the failure."""
        self._runner.went_past(record.node_id, done.changed_at)
        if done.digest and (record.state != "error" or self._handled(record.node_id, record.action)):
            self.completed[record.node_id] = done
        return record

    def _action(self, node: Node, done: Completed) -> str:
        """Return the action of the edge to take: the warning edge, else the error edge, else the node's if the run continues.

        Without a detector, errors and warnings are not distinguished, and a failure takes the edge of a warning: the path
        through a workflow must not depend on that distinction.
        """
        if done.state == "error":
            as_warning = self._context.detector is None and self._handled(node.id, "warning")
            return "warning" if as_warning else "error"
        if done.state == "warning" and self._handled(node.id, "warning"):
            return "warning"
        return "error" if stops(done) else done.action

    def _handled(self, node_id: str, action: str | None) -> bool:
        return (node_id, action) in self._next

    def _reusable(self, node: Node, digest: str) -> Completed | None:
        done = self._runner.reusable(node, digest) if digest else None
        if done is None or done.state != "error":
            return done
        return done if self._handled(node.id, self._action(node, done)) else None

    def _stop(self, node: Node, record: NodeRecord) -> None:
        """End the walk at ``node``, with its failure."""
        self.stopped_at = node.id
        result, redact = self._results.get(node.id), self._context.redact
        if record.state == "warning" or result is None or result.observation is None:
            outputs = result.visit.output.outputs if result is not None else record.outputs
            failure = warning_failure(node, record.message or "", outputs, redact)
            self.outcome, self.failure = "warning", replace(failure, batch_item=self._batch_item(node))
            return
        failed = FailedNode(
            node=node,
            observation=result.observation,
            data={name: value for name, value in result.unit.data.items() if name != node.id},
            workflow=self._workflow,
            exchange=result.exchanges[-1] if result.exchanges else None,
            problems=result.visit.problems,
            exception=result.visit.exception,
            earlier=self._earlier(node),
            batch_item=self._batch_item(node),
            redact=redact,
        )
        self.outcome, self.failure = "error", failure_of(failed)

    def _earlier(self, node: Node) -> tuple[EarlierFailure, ...]:
        """Return earlier observations at other nodes, regardless of the detector's judgement."""
        messages = {name: self._noticed(record) for name, record in self.records.items() if name != node.id}
        return tuple(
            EarlierFailure(node_id=name, message=message) for name, message in messages.items() if message is not None
        )

    def _noticed(self, record: NodeRecord) -> str | None:
        done = self.completed.get(record.node_id)
        if done is not None:
            return done.noticed
        return record.observation.message if record.observation is not None else None

    def _batch_item(self, node: Node) -> JsonObject | None:
        """Return the failed item of a batch, or None."""
        result = self._batches.get(node.id)
        if result is None or result.failed is None or result.failed_at is None or node.batch is None:
            return None
        item = self._context.redact(result.failed.unit.data.get(node.batch.name))
        shown = sanitise_under(node.batch.name, item)
        return {"index": result.failed_at, "count": result.completed.outputs["count"], "item": shown}

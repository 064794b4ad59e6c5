"""The engine with events for a run with repair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mendbench.model.execution import Checkpoint, Execution
from mendbench.model.json import JsonObject
from mendbench.model.workflow import Node
from mendbench.ports.clock import Clock
from mendbench.ports.engine import Detector, Engine
from mendbench.ports.world import World
from mendbench.runtime.engine import MendbenchEngine
from mendbench.runtime.events import Listener, NodeCompleted, NodeEvent, NodeFailed, NodeWarned
from mendbench.runtime.parse import salvaged
from mendbench.secrets.redaction import Redactor


class WatchedEngine(MendbenchEngine):
    """The engine, with knowledge of the nodes that an edit changed: its events call them repaired, even if they had not run."""

    def __init__(self, redactor: Redactor, on_event: Listener | None) -> None:
        self._before: Mapping[str, Node] | None = None
        self._edited: frozenset[str] = frozenset()
        self._listener = on_event
        super().__init__(redact=redactor.value, on_event=None if on_event is None else self._heard)

    def execute(
        self,
        workflow: JsonObject,
        inputs: JsonObject,
        world: World,
        *,
        checkpoint: Checkpoint | None,
        detector: Detector | None,
        clock: Clock,
    ) -> Execution:
        """Run the document like the engine, with knowledge of the changed nodes."""
        nodes = {node.id: node for node in salvaged(workflow).nodes}
        if self._before is not None:
            self._edited = frozenset(name for name, node in nodes.items() if self._before.get(name) != node)
        self._before = nodes
        return super().execute(workflow, inputs, world, checkpoint=checkpoint, detector=detector, clock=clock)

    def resumed(self, checkpoint: Checkpoint, done: Execution | None = None) -> Engine:
        """Return this engine in the middle of a run: a run from the start continues from ``checkpoint``.

        With ``done``, that execution is the result of the first run.
        """
        return _Resumed(self, checkpoint, done)

    def _heard(self, event: NodeEvent) -> None:
        if self._listener is None:
            return
        if isinstance(event, NodeCompleted | NodeFailed | NodeWarned) and event.node_id in self._edited:
            event = replace(event, modified=True)
        self._listener(event)


class _Resumed:
    """An engine that starts runs at a checkpoint."""

    name = MendbenchEngine.name

    def __init__(self, engine: WatchedEngine, checkpoint: Checkpoint, done: Execution | None) -> None:
        self._engine, self._checkpoint, self._done = engine, checkpoint, done
        self.validate, self.describe = engine.validate, engine.describe

    def execute(
        self,
        workflow: JsonObject,
        inputs: JsonObject,
        world: World,
        *,
        checkpoint: Checkpoint | None,
        detector: Detector | None,
        clock: Clock,
    ) -> Execution:
        if checkpoint is None and self._done is not None:
            return self._done
        start = self._checkpoint if checkpoint is None else checkpoint
        return self._engine.execute(workflow, inputs, world, checkpoint=start, detector=detector, clock=clock)

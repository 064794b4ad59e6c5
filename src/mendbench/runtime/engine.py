"""The engine: walks a workflow's nodes, observes failures, and lets a detector judge them."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TypeAlias

from mendbench.io.canonical_json import canonical_json
from mendbench.model.execution import Checkpoint, Execution, NodeRecord
from mendbench.model.failure import Failure
from mendbench.model.json import Json, JsonObject
from mendbench.model.workflow import Node, Workflow
from mendbench.ports.clock import Clock
from mendbench.ports.engine import Detector
from mendbench.ports.world import World
from mendbench.runtime.checkpoint import continued
from mendbench.runtime.events import Listener, quietly
from mendbench.runtime.failures import static_failure
from mendbench.runtime.formatter import agent_json
from mendbench.runtime.inputs import starting_data
from mendbench.runtime.json_texts import JsonTexts
from mendbench.runtime.nodes.interface import NodeType
from mendbench.runtime.nodes.registry import node_types
from mendbench.runtime.outline import NodeSpec
from mendbench.runtime.parse import WorkflowProblem, parse_workflow, salvaged
from mendbench.runtime.stepping import ExecutionContext
from mendbench.runtime.templates import MAX_SIZE, resolve
from mendbench.runtime.validate import errors_of, validate
from mendbench.runtime.walk import Walk

_Understood: TypeAlias = tuple[Workflow | None, tuple[WorkflowProblem, ...]]
"""The parsed workflow, if the document's structure is valid, and the problems that prevent running it."""


def _unchanged(value: Json) -> Json:
    return value


class MendbenchEngine:
    """Our own engine.

    ``redact`` removes the case's declared secrets from failures and warnings: responses of the world are already
    redacted, but a failed node's parameters contain the workflow's inputs. ``types`` replaces the discovered node types.
    ``on_event`` is called when a node starts and ends; its exceptions are ignored.
    """

    name: str = "mendbench"

    def __init__(
        self,
        *,
        redact: Callable[[Json], Json] = _unchanged,
        types: Mapping[str, NodeType] | None = None,
        on_event: Listener | None = None,
    ) -> None:
        self._redact, self._types = redact, types
        self._on_event = None if on_event is None else quietly(on_event)

    def validate(self, workflow: JsonObject, inputs: JsonObject) -> tuple[str, ...]:
        """Return the document's problems before anything runs, one sentence each; empty if there are none."""
        _, problems = self._understood(workflow, inputs)
        return tuple(self._redact(problem.text) for problem in problems)

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
        """Run the document from its start, or from the checkpoint, to success, to a warning or to an error.

        An invalid document ends in ``error``, sends nothing and leaves the checkpoint unchanged.
        """
        parsed, problems = self._understood(workflow, inputs)
        if problems or parsed is None:
            return _refused(salvaged(workflow), problems, checkpoint)
        started = clock.now_ms()
        context = ExecutionContext(
            world=world,
            detector=detector,
            clock=clock,
            types=self._known(),
            redact=self._redact,
            listener=self._on_event,
        )
        walk = Walk(parsed, starting_data(parsed, inputs), context, checkpoint)
        walk.run()
        return self._execution(parsed, walk, checkpoint, clock.now_ms() - started)

    def describe(self, workflow: JsonObject, execution: Execution) -> JsonObject:
        """Return an execution as JSON in the agent error format, sanitised."""
        shown: JsonObject = self._redact(agent_json(workflow, execution))
        return shown

    def _known(self) -> Mapping[str, NodeType]:
        return node_types() if self._types is None else self._types

    def _understood(self, workflow: JsonObject, inputs: JsonObject) -> _Understood:
        """Return the parsed document and its problems. Cached: a document is validated before it runs, and runs in many trials."""
        specs = {name: node.spec for name, node in self._known().items()}
        try:
            # Not the canonical JSON: the order of keys and 1.0 versus 1 can affect what a workflow writes.
            parts = (repr(workflow), repr(inputs), tuple(sorted(specs.items())))
            return _cached(_CacheKey(parts, workflow=workflow, inputs=inputs, specs=specs))
        except RecursionError:  # too deep for repr: not cached
            return _understood(workflow, inputs, specs)

    def _execution(self, workflow: Workflow, walk: Walk, before: Checkpoint | None, duration_ms: int) -> Execution:
        """Return the execution for a walk. Only its checkpoint still contains secrets: resuming needs them."""
        return Execution(
            outcome=walk.outcome,
            nodes=tuple(self._record(node, walk.records.get(node.id)) for node in workflow.nodes),
            failures=() if walk.failure is None else (walk.failure,),
            warnings=walk.warnings(),
            outputs={} if walk.outcome == "error" else self._redact(_declared_outputs(workflow, walk.data)),
            checkpoint=continued(before, walk.completed, walk.items, walk.stopped_at),
            duration_ms=duration_ms,
        )

    def _record(self, node: Node, record: NodeRecord | None) -> NodeRecord:
        if record is None:
            return NodeRecord(node_id=node.id, node_type=node.type, state="not_run")
        outputs, observation = self._redact(record.outputs), record.observation
        if observation is None:
            return replace(record, outputs=outputs)
        shown = outputs if observation.outputs is record.outputs else self._redact(observation.outputs)
        return replace(record, outputs=outputs, observation=replace(observation, outputs=shown))


@dataclass(frozen=True, slots=True)
class _CacheKey:
    """The cache key of a parsed document, and the document itself."""

    parts: tuple[object, ...]
    workflow: JsonObject = field(compare=False, kw_only=True)
    inputs: JsonObject = field(compare=False, kw_only=True)
    specs: Mapping[str, NodeSpec] = field(compare=False, kw_only=True)


@lru_cache(maxsize=32)
def _cached(key: _CacheKey) -> _Understood:
    """Return the parsed document and its problems, from a copy of the document: the caller may change the original."""
    return _understood(copy.deepcopy(key.workflow), key.inputs, key.specs)


def _understood(workflow: JsonObject, inputs: JsonObject, specs: Mapping[str, NodeSpec]) -> _Understood:
    return parse_workflow(workflow)[0], errors_of(validate(workflow, inputs, specs))


def _declared_outputs(workflow: Workflow, data: JsonObject) -> JsonObject:
    """Return the declared outputs that resolve. Omit the others, and those that exceed the size limit."""
    outputs: JsonObject = {}
    room, texts = MAX_SIZE, JsonTexts()
    for output in workflow.outputs:
        found = resolve(output.source, data, room, texts)
        if found.complete:
            outputs[output.name] = found.value
            room -= found.size
    return outputs


def _refused(workflow: Workflow, problems: tuple[WorkflowProblem, ...], checkpoint: Checkpoint | None) -> Execution:
    """Return the execution of an invalid document: nothing ran."""
    failures: dict[str, Failure] = {}
    for problem in problems:
        failures.setdefault(canonical_json([problem.message, problem.where]), static_failure(problem, workflow))
    return Execution(
        outcome="error",
        nodes=tuple(NodeRecord(node_id=node.id, node_type=node.type, state="not_run") for node in workflow.nodes),
        failures=tuple(failures.values()),
        checkpoint=checkpoint or Checkpoint(),
    )

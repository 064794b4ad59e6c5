"""The engine: walks a workflow's nodes, notices what failed, and lets a detector judge it."""

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
from mendbench.runtime.parse import Problem, parse_workflow, salvaged
from mendbench.runtime.stepping import ExecutionContext
from mendbench.runtime.templates import MAX_SIZE, resolve
from mendbench.runtime.validate import NodeSpec, errors_of, validate
from mendbench.runtime.walk import Walk, Walked

_Understood: TypeAlias = tuple[Workflow | None, tuple[Problem, ...]]
"""A document as it is run, if its structure is right, and what keeps it from running."""


def _unchanged(value: Json) -> Json:
    return value


class MendbenchEngine:
    """Our own engine.

    ``redact`` takes the case's declared secrets out of what goes into failures and warnings: responses of the world come
    redacted, but a failed node's parameters hold what the workflow was given. ``types`` replaces the node types that
    are found. ``on_event`` hears of every node as it starts and ends; what it raises changes nothing.
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
        self._tell = None if on_event is None else quietly(on_event)

    def validate(self, workflow: JsonObject, inputs: JsonObject) -> tuple[str, ...]:
        """Return what is wrong with the document before anything runs, one sentence each; empty if nothing is."""
        _, problems = self._understood(workflow, inputs)
        return tuple(self._redacted(problem.text) for problem in problems)

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

        A document that does not validate ends in ``error``, sends nothing and leaves the checkpoint as it was.
        """
        parsed, problems = self._understood(workflow, inputs)
        if problems or parsed is None:
            return _refused(salvaged(workflow), problems, checkpoint)
        started = clock.now_ms()
        walked = Walk(
            parsed,
            starting_data(parsed, inputs),
            ExecutionContext(
                world=world,
                detector=detector,
                clock=clock,
                types=self._known(),
                redact=self._redact,
                tell=self._tell,
            ),
            checkpoint,
        ).run()
        return self._execution(parsed, walked, checkpoint, clock.now_ms() - started)

    def describe(self, workflow: JsonObject, execution: Execution) -> JsonObject:
        """Return the agent error format's JSON of an execution, sanitised."""
        shown: JsonObject = self._redact(agent_json(workflow, execution))
        return shown

    def _known(self) -> Mapping[str, NodeType]:
        return node_types() if self._types is None else self._types

    def _understood(self, workflow: JsonObject, inputs: JsonObject) -> _Understood:
        """Return a document as it is run, and why it cannot be. One is validated before it is run, and run in many trials."""
        specs = {name: node.spec for name, node in self._known().items()}
        try:
            # Not the canonical JSON: the order of keys and 1.0 beside 1 can show in what a workflow writes.
            decides = (repr(workflow), repr(inputs), tuple(sorted(specs.items())))
            return _kept(_Wanted(decides, workflow=workflow, inputs=inputs, specs=specs))
        except RecursionError:  # too deep to be written: it is told what is wrong with it anew each time
            return _understood(workflow, inputs, specs)

    def _redacted(self, said: str) -> str:
        clean: str = self._redact(said)
        return clean

    def _execution(self, workflow: Workflow, walked: Walked, before: Checkpoint | None, duration_ms: int) -> Execution:
        """Return the execution that a walk amounts to. Only its checkpoint still holds secrets: resuming needs them."""
        return Execution(
            outcome=walked.outcome,
            nodes=tuple(self._record(node, walked.records.get(node.id)) for node in workflow.nodes),
            failures=() if walked.failure is None else (walked.failure,),
            warnings=walked.warnings,
            outputs={} if walked.outcome == "error" else self._redact(_declared_outputs(workflow, walked.data)),
            checkpoint=continued(before, walked.completed, walked.items, walked.stopped_at),
            duration_ms=duration_ms,
        )

    def _record(self, node: Node, record: NodeRecord | None) -> NodeRecord:
        if record is None:
            return NodeRecord(node_id=node.id, node_type=node.type, state="not_run")
        outputs, sighting = self._redact(record.outputs), record.sighting
        if sighting is None:
            return replace(record, outputs=outputs)
        shown = outputs if sighting.outputs is record.outputs else self._redact(sighting.outputs)
        return replace(record, outputs=outputs, sighting=replace(sighting, outputs=shown))


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What decides how a document is understood, and beside it the document itself."""

    decides: tuple[object, ...]
    workflow: JsonObject = field(compare=False, kw_only=True)
    inputs: JsonObject = field(compare=False, kw_only=True)
    specs: Mapping[str, NodeSpec] = field(compare=False, kw_only=True)


@lru_cache(maxsize=32)
def _kept(wanted: _Wanted) -> _Understood:
    """Return how a document is understood, apart from the one that was given: whose that is may change it."""
    return _understood(copy.deepcopy(wanted.workflow), wanted.inputs, wanted.specs)


def _understood(workflow: JsonObject, inputs: JsonObject, specs: Mapping[str, NodeSpec]) -> _Understood:
    return parse_workflow(workflow)[0], errors_of(validate(workflow, inputs, specs))


def _declared_outputs(workflow: Workflow, data: JsonObject) -> JsonObject:
    """Return the declared outputs that resolve; the others are left out, and those for which there is no room."""
    told: JsonObject = {}
    room, texts = MAX_SIZE, JsonTexts()
    for output in workflow.outputs:
        found = resolve(output.source, data, room, texts)
        if found.complete:
            told[output.name] = found.value
            room -= found.size
    return told


def _refused(workflow: Workflow, problems: tuple[Problem, ...], checkpoint: Checkpoint | None) -> Execution:
    """Return the execution of a document that does not validate: nothing ran."""
    failures: dict[str, Failure] = {}
    for problem in problems:
        failures.setdefault(canonical_json([problem.message, problem.where]), static_failure(problem, workflow))
    return Execution(
        outcome="error",
        nodes=tuple(NodeRecord(node_id=node.id, node_type=node.type, state="not_run") for node in workflow.nodes),
        failures=tuple(failures.values()),
        checkpoint=checkpoint or Checkpoint(),
    )

"""Checks a workflow without running it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from mendbench.io.virtual_clock import VirtualClock
from mendbench.model.exchange import Exchange, Request, Response
from mendbench.model.execution import Execution, NodeRecord
from mendbench.model.json import Json, JsonObject
from mendbench.runtime.engine import MendbenchEngine
from mendbench.runtime.graph import order_of
from mendbench.runtime.nodes.registry import node_specs
from mendbench.runtime.parse import WorkflowProblem, salvaged
from mendbench.runtime.trace import shown_document
from mendbench.runtime.validate import errors_of, validate
from mendbench.secrets.redaction import sanitise, sanitise_under
from mendbench.workflow_app.results import result_document


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """The errors in a workflow, if any."""

    document: JsonObject
    """The agent error format of the refused run, and ``problems``, which also has notes and suggestions."""
    problems: tuple[WorkflowProblem, ...]

    @property
    def valid(self) -> bool:
        """Whether it can run."""
        return not errors_of(self.problems)


class _Nowhere:
    """The world of a run that sends nothing."""

    def send(self, request: Request, *, node: str | None = None) -> Response:  # noqa: ARG002  the port's
        """Refuse.

        Raises:
            AssertionError: always: a document that does not validate sends nothing.
        """
        raise AssertionError(f"a workflow that does not validate sent {request.url}")

    def traffic(self) -> tuple[Exchange, ...]:
        """Return nothing."""
        return ()

    def begin_execution(self) -> None:
        """Do nothing."""


def check_workflow(document: JsonObject, inputs: Mapping[str, Json] | None = None) -> Checked:
    """Return all errors in a workflow. Without ``inputs``, missing ones are not errors."""
    given = dict(inputs) if inputs else {one.name: None for one in salvaged(document).inputs if one.required}
    problems = validate(document, given, node_specs())
    execution = _execution(document, given, bad=bool(errors_of(problems)))
    described = MendbenchEngine().describe(document, execution)
    result = result_document(described, execution, attempts=(), changed=False, stop=None, broken=None)
    result = {**result, "repair_reason": None, "problems": sanitise([_shown(problem) for problem in problems])}
    return Checked(document=result, problems=problems)


def inspect_workflow(document: JsonObject) -> JsonObject:
    """Return the structure of a workflow, with credentials hidden. Nodes are in execution order."""
    workflow = salvaged(document)
    positions = order_of(workflow).positions
    nodes = sorted(workflow.nodes, key=lambda node: positions.get(node.id, len(positions)))
    return {
        "ir_version": workflow.ir_version,
        "start_node": workflow.start_node or (workflow.nodes[0].id if workflow.nodes else None),
        "nodes": [
            {"id": node.id, "type": node.type, "purpose": sanitise(node.purpose), "params": shown_document(node.params)}
            for node in nodes
        ],
        "edges": [{"from": edge.source, "to": edge.target, "action": edge.action} for edge in workflow.edges],
        "inputs": [_declared(asdict(one)) for one in workflow.inputs],
        "outputs": [sanitise(asdict(one)) for one in workflow.outputs],
    }


def _execution(document: JsonObject, inputs: JsonObject, *, bad: bool) -> Execution:
    if bad:
        return MendbenchEngine().execute(
            document, inputs, _Nowhere(), checkpoint=None, detector=None, clock=VirtualClock()
        )
    nodes = salvaged(document).nodes
    records = (NodeRecord(node_id=node.id, node_type=node.type, state="not_run") for node in nodes)
    return Execution(outcome="success", nodes=tuple(records))


def _declared(one: JsonObject) -> JsonObject:
    """Return an input's declaration. The input's name shows whether its default is a credential."""
    name = str(one["name"])
    return {**sanitise(one), "default": sanitise_under(name, one["default"])}


def _shown(problem: WorkflowProblem) -> JsonObject:
    shown = asdict(problem)
    return {**shown, "available": list(problem.available)}

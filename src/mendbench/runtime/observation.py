"""The wrapper around every node: runs it and observes failures. A detector decides whose fault they are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mendbench.api_errors.envelopes import failure_in
from mendbench.errors import BadInput, Incomplete
from mendbench.exchanges.urls import effective_method
from mendbench.model.execution import Observation
from mendbench.model.json import Json, JsonObject
from mendbench.model.workflow import Node
from mendbench.ports.clock import Clock
from mendbench.ports.engine import Detector, ObservingDetector, observes
from mendbench.runtime.known_identifiers import other_identifier
from mendbench.runtime.nodes.interface import Answered, NodeOutput, NodeType, Observed, Send, failed_output
from mendbench.runtime.templates import ParamProblem
from mendbench.runtime.unresolved import unresolved_message
from mendbench.secrets.redaction import sanitise


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """The result of trying to run a node."""

    output: NodeOutput
    exception: str | None = None
    """Class name of the exception that its code raised."""
    problems: tuple[ParamProblem, ...] = ()
    """The unresolved parameters because of which it did not run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """What a node sent, for a detector that observes."""

    detector: ObservingDetector
    params: JsonObject
    """Resolved."""
    data: JsonObject
    """The run's data before the node."""

    @property
    def method(self) -> str:
        """The effective method of an HTTP request; empty for other nodes."""
        if "url" not in self.params:
            return ""
        return effective_method(str(self.params.get("method") or "GET"), str(self.params["url"]))

    def observed(self, answered: Answered | None) -> Observed | None:
        """Return the failure that the detector finds in a response, or None."""
        message = (
            self.detector.failure_in(answered.status, answered.body, self.method) if answered is not None else None
        )
        return None if message is None else Observed(kind="envelope", message=message)

    def other_identifier(self) -> str | None:
        """Return another identifier of a record that the parameters identify, or None."""
        return other_identifier(self.params, self.data)


def sent_for(detector: Detector | None, params: JsonObject, data: JsonObject) -> Sent | None:
    """Return what a node sent, if the detector observes; None otherwise."""
    return Sent(detector=detector, params=params, data=data) if observes(detector) else None


def run_node(node_type: NodeType, params: JsonObject, send: Send, clock: Clock) -> Visit:
    """Run a node on resolved parameters. The visit records the exceptions of its code.

    ``EffectEscape`` and errors from operating the world propagate: a model that gave no response is not a failure of the
    workflow.

    Raises:
        BadInput, Incomplete: the request could not be sent to the world.
    """
    try:
        output = node_type.run(params, send, clock)
        if not isinstance(output, NodeOutput):
            raise TypeError(f"node type {node_type.type!r} returned {type(output).__name__} and no NodeOutput")  # noqa: TRY301
    except (BadInput, Incomplete):
        raise
    except Exception as error:  # noqa: BLE001  a node's code is foreign: whatever it raises is a failure of the workflow
        return raised_visit(type(error).__name__, str(error) or type(error).__name__)
    return Visit(output=output)


def raised_visit(name: str, message: str) -> Visit:
    """Return the visit of a node whose code raised an exception of class ``name``."""
    return Visit(output=failed_output("exception", {"error": message}), exception=name)


def unresolved_visit(problems: tuple[ParamProblem, ...], data: JsonObject) -> Visit:
    """Return the visit of a node that did not run because of unresolved templates in its parameters."""
    message = unresolved_message(problems[0], data)
    return Visit(output=failed_output("template", {"error": message}), problems=problems)


def observe(node: Node, visit: Visit, redact: Callable[[Json], Json], sent: Sent | None = None) -> Observation | None:
    """Return the failure in a visit, or None. The protocol reports it, or a successful response contains it.

    ``sent`` is given for a detector that observes too: what it finds counts as well.
    """
    output = visit.output
    noticed = output.noticed or _embedded(output.answered) or (sent.observed(output.answered) if sent else None)
    if noticed is None:
        return None
    answered = output.answered or Answered(body=None)
    return Observation(
        kind=noticed.kind,
        message=sanitise(redact(noticed.message)),
        node_id=node.id,
        node_type=node.type,
        status=answered.status,
        headers=answered.headers,
        body=answered.body,
        outputs=output.outputs,
        method=sent.method if sent else "",
        other_identifier=sent.other_identifier() if sent else None,
    )


def _embedded(answered: Answered | None) -> Observed | None:
    embedded = failure_in(answered.body) if answered is not None else None
    return Observed(kind="envelope", message=embedded.message) if embedded is not None else None

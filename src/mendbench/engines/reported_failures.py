"""Judges an execution of an external engine with a detector: the failures that it reported, and those that it did not notice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from mendbench.api_errors.envelopes import failure_in
from mendbench.engines.document import NO_EDIT, EngineExecution
from mendbench.exchanges.bodies import parse_body
from mendbench.model.exchange import Exchange
from mendbench.model.execution import (
    Execution,
    Judgement,
    NodeRecord,
    NodeState,
    Observation,
    ObservationKind,
    Severity,
    State,
    Warned,
)
from mendbench.model.failure import Failure
from mendbench.model.workflow import Workflow
from mendbench.ports.engine import Detector
from mendbench.runtime.nodes.responses import headers_of, succeeded

_KINDS: Mapping[str, ObservationKind] = {"http": "http", "mcp": "mcp", "shell": "shell", "llm": "llm"}


def judged_without(execution: EngineExecution) -> Execution:
    """Return an execution in which every warning that stopped it is an error, as under a policy without a detector."""
    if execution.outcome != "warning" or not execution.failures:
        return execution
    stopped = {failure.node_id for failure in execution.failures}
    nodes = tuple(replace(record, state="error") if record.node_id in stopped else record for record in execution.nodes)
    kept = tuple(warning for warning in execution.warnings if warning.node_id not in stopped)
    return replace(execution, outcome="error", nodes=nodes, warnings=kept, outputs={})


def judged_by_truth(
    execution: EngineExecution, workflow: Workflow, exchanges: Sequence[Exchange], detector: Detector, *, notices: bool
) -> Execution:
    """Return an execution with the states that ``detector`` gives its failures.

    Those are the reported failures. With ``notices``, responses that describe a failure and were ignored count too, and warnings that did
    not stop the execution are dropped.
    """
    execution = _without_remarks(execution) if notices else execution
    found = {observation.node_id: observation for observation in _reported(execution, workflow, exchanges)}
    silent = (
        {observation.node_id: observation for observation in _passed_over(execution, workflow, exchanges)}
        if notices
        else {}
    )
    judged = {node_id: detector.judge(observation) for node_id, observation in {**silent, **found}.items()}
    judged = {node_id: judgement for node_id, judgement in judged.items() if judgement.state != "success"}
    records = tuple(_rejudged(record, judged, {**silent, **found}) for record in execution.nodes)
    outcome = _outcome(execution, judged, frozenset(silent) - frozenset(found))
    warnings = tuple(
        Warned(node_id=node_id, message=judgement.message, severity=_severity(judgement))
        for node_id, judgement in judged.items()
        if judgement.state == "warning"
    )
    others = tuple(warning for warning in execution.warnings if warning.node_id not in judged)
    failures = tuple(_named(failure, judged) for failure in execution.failures)
    return replace(
        execution, outcome=outcome, nodes=records, warnings=(*others, *warnings), failures=failures if outcome != "success" else (),
        outputs={} if outcome == "error" else execution.outputs,
    )  # fmt: skip


def _without_remarks(execution: EngineExecution) -> EngineExecution:
    """Return an execution without the warnings that did not stop it: the responses show whether they were right."""
    stopped = {failure.node_id for failure in execution.failures}
    nodes = tuple(
        replace(record, state="success", message=None)
        if record.state == "warning" and record.node_id not in stopped
        else record
        for record in execution.nodes
    )
    kept = tuple(warning for warning in execution.warnings if warning.node_id in stopped)
    went_through = execution.outcome == "warning" and not stopped
    return replace(execution, nodes=nodes, warnings=kept, outcome="success" if went_through else execution.outcome)


def _reported(execution: EngineExecution, workflow: Workflow, exchanges: Sequence[Exchange]) -> Iterable[Observation]:
    """Yield what the engine itself noticed, with the last response to its node."""
    for failure in execution.failures:
        node = workflow.node(failure.node_id) if failure.node_id is not None else None
        if node is None:
            continue
        last = next((exchange for exchange in reversed(exchanges) if exchange.node == node.id), None)
        body, status = failure.raw_response, failure.status_code
        headers = {name.lower(): value for name, value in (failure.response_headers or {}).items()}
        if last is not None and body is None and failure.category != "template_error":
            body, status, headers = _body(last), last.response.status or None, headers_of(last.response)
        yield Observation(
            kind=_kind(failure, node.type, last), message=failure.message, node_id=node.id, node_type=node.type,
            status=status, headers=headers, body=body,
            outputs=next((record.outputs for record in execution.nodes if record.node_id == node.id), {}),
        )  # fmt: skip


def _kind(failure: Failure, node_type: str, last: Exchange | None) -> ObservationKind:
    if failure.category == "template_error":
        return "template"
    if failure.category == "exception":
        return "exception"
    if last is not None and last.response.fault is not None:
        return "transport"
    if node_type == "http" and last is not None and succeeded(last.response):
        return "envelope"
    return _KINDS.get("mcp" if node_type.startswith("mcp") else node_type, "exception")


def _passed_over(
    execution: EngineExecution, workflow: Workflow, exchanges: Sequence[Exchange]
) -> Iterable[Observation]:
    """Yield the last responses that describe a failure of a node that the engine called a success."""
    fine = {record.node_id for record in execution.nodes if record.state == "success"}
    for node in workflow.nodes:
        last = next((exchange for exchange in reversed(exchanges) if exchange.node == node.id), None)
        if node.id not in fine or last is None or last.request.is_model_request or last.response.fault is not None:
            continue
        body = _body(last)
        embedded = failure_in(body)
        if succeeded(last.response) and embedded is None:
            continue
        status = last.response.status
        yield Observation(
            kind="envelope" if succeeded(last.response) else "http", node_id=node.id, node_type=node.type, status=status,
            message=embedded.message if embedded is not None and succeeded(last.response) else f"HTTP {status}",
            headers=headers_of(last.response), body=body,
        )  # fmt: skip


def _body(exchange: Exchange) -> object:
    return parse_body(exchange.response.body, None)


def _rejudged(
    record: NodeRecord, judged: Mapping[str, Judgement], observations: Mapping[str, Observation]
) -> NodeRecord:
    observation, judgement = observations.get(record.node_id), judged.get(record.node_id)
    if judgement is None:
        return replace(record, observation=observation) if observation is not None else record
    state: NodeState = judgement.state
    return replace(
        record, state=state, message=judgement.message, observation=observation, severity=_severity(judgement)
    )


def _outcome(execution: EngineExecution, judged: Mapping[str, Judgement], silent: frozenset[str]) -> State:
    """Return how the run ended: by the judgement of the failure that ended it; a silent failure ends what would have been a success."""
    ended = [
        judged[failure.node_id].state
        for failure in execution.failures
        if failure.node_id is not None and failure.node_id in judged
    ]
    if execution.outcome != "success" and ended:
        return "error" if "error" in ended else "warning"
    quiet = {judged[node_id].state for node_id in silent if node_id in judged}
    if execution.outcome == "success" and quiet:
        return "error" if "error" in quiet else "warning"
    return execution.outcome


def _severity(judgement: Judgement) -> Severity:
    return "info" if judgement.severity == "info" else "critical"


def _named(failure: Failure, judged: Mapping[str, Judgement]) -> Failure:
    if failure.node_id is None or failure.node_id not in judged:
        return failure
    warned = judged[failure.node_id].state == "warning"
    if warned == (failure.category == NO_EDIT):
        return failure
    return replace(failure, category=NO_EDIT if warned else "execution_failure", fixable=not warned)

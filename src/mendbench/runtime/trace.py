"""The trace of one run of a workflow: everything that happened, sanitised, as one JSON document.

::

    format             always 1
    result             what ``workflow run --output-format json`` printed
    workflow           {"before", "after"}: the documents
    inputs             as given
    executions[]       attempt (0 is the first, n follows attempt n or a choice), outcome, nodes[], failures[], warnings[], outputs
      nodes[]          the node's record, its parameters as written and resolved, its exchanges with the world
      shared           the reserved keys of the shared store, see :mod:`mendbench.runtime.shared_store`
    attempts[]         number, status, prompt, reply, and the workflow that the response led to
    choices[]          node_id, choice, param and value: the user's choice after a warning stopped the run
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass

from mendbench.exchanges.bodies import parse_body
from mendbench.model.exchange import Exchange
from mendbench.model.execution import Execution, NodeRecord
from mendbench.model.json import Json, JsonObject
from mendbench.model.trial import Attempt
from mendbench.model.workflow import Node
from mendbench.runtime.inputs import starting_data
from mendbench.runtime.parse import salvaged
from mendbench.runtime.shared_store import shared_store
from mendbench.runtime.templates import resolve_params
from mendbench.secrets.redaction import sanitise, sanitise_key, sanitise_under

FORMAT = 1
"""The version of the trace format."""

_TEMPLATE = re.compile(r"\$\{[^{}]*(?:\$\{[^{}]*\}[^{}]*)*\}")
_SCHEME_ONLY = re.compile(r"(?i)^\s*(?:bearer|basic|token|bot|apikey)?\s*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class TracedExecution:
    """One execution and its document."""

    attempt: int
    """0 for the first; n for the one after attempt n."""
    document: JsonObject
    execution: Execution
    inputs: JsonObject | None = None
    """Its inputs, if they differ from the run's initial inputs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunHistory:
    """All data from a run of a workflow."""

    version: str
    """The version of mendbench."""
    started_ms: int
    """Milliseconds since the Unix epoch."""
    file: str | None
    """The file of the workflow; None if the document was passed directly."""
    inputs: JsonObject
    before: JsonObject
    after: JsonObject
    executions: tuple[TracedExecution, ...]
    attempts: tuple[Attempt, ...]
    traffic: tuple[Exchange, ...]
    result: JsonObject
    choices: tuple[JsonObject, ...] = ()
    """The user's choices after a warning stopped the run, redacted: node_id, choice, and for a value param and value."""


def build_trace(history: RunHistory, redact: Callable[[Json], Json]) -> JsonObject:
    """Return the trace. ``redact`` removes the secrets known by value; others are recognised by key and shape."""
    clean = _Clean(redact=redact)
    return {
        "format": FORMAT,
        "mendbench_version": history.version,
        "started_ms": history.started_ms,
        "file": history.file,
        "result": history.result,
        "workflow": {"before": clean.document(history.before), "after": clean.document(history.after)},
        "inputs": clean(history.inputs),
        "executions": [_execution(traced, history, clean) for traced in history.executions],
        "attempts": [_attempt(attempt, clean) for attempt in history.attempts],
        "choices": [clean(choice) for choice in history.choices],
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Clean:
    """Sanitises values: removes known secrets by value, all others by key and shape."""

    redact: Callable[[Json], Json]

    def __call__(self, value: Json) -> Json:
        return sanitise(self.redact(value))

    def document(self, document: Json) -> Json:
        """Return a workflow, or a part of one, sanitised but with its templates."""
        return shown_document(self.redact(document))


def shown_document(document: Json) -> Json:
    """Return a workflow without credentials but with its templates: ``${token}`` names a credential and is not one.

    The declaration of an input called ``token`` is not one either: only its default may be hidden.
    """
    clean = _templates_kept(document, sanitise(document))
    if not isinstance(document, dict) or not isinstance(clean, dict) or "nodes" not in document:
        return clean
    declared = document.get("inputs")
    if not isinstance(declared, dict):
        return clean
    return clean | {"inputs": {sanitise_key(name): _declaration(name, spec) for name, spec in declared.items()}}


def _declaration(name: str, spec: Json) -> Json:
    if not isinstance(spec, dict):
        return sanitise_under(name, spec)
    return {sanitise_key(key): sanitise_under(name if key == "default" else key, value) for key, value in spec.items()}


def _templates_kept(written: Json, clean: Json) -> Json:
    if isinstance(written, dict) and isinstance(clean, dict):
        return {(key := sanitise_key(name)): _templates_kept(item, clean[key]) for name, item in written.items()}
    if isinstance(written, list) and isinstance(clean, list):
        return [_templates_kept(item, clean_item) for item, clean_item in zip(written, clean, strict=True)]
    if isinstance(written, str) and "${" in written and _SCHEME_ONLY.match(_TEMPLATE.sub("", written)):
        return written
    return clean


def _execution(traced: TracedExecution, history: RunHistory, clean: _Clean) -> JsonObject:
    execution, workflow = traced.execution, salvaged(traced.document)
    outputs = {record.node_id: record.outputs for record in execution.nodes if record.state != "not_run"}
    data = {**starting_data(workflow, history.inputs if traced.inputs is None else traced.inputs), **outputs}
    traffic = [exchange for exchange in history.traffic if exchange.phase == traced.attempt]
    nodes = {node.id: node for node in workflow.nodes}
    return {
        "attempt": traced.attempt,
        "outcome": execution.outcome,
        "duration_ms": execution.duration_ms,
        "nodes": [_node(record, nodes.get(record.node_id), data, traffic, clean) for record in execution.nodes],
        "failures": [clean(asdict(failure)) for failure in execution.failures],
        "warnings": [clean(asdict(warned)) for warned in execution.warnings],
        "outputs": clean(execution.outputs),
        "failed_node": execution.checkpoint.failed_node,
        "shared": clean(shared_store(execution)),
    }


def _node(
    record: NodeRecord, node: Node | None, data: JsonObject, traffic: Iterable[Exchange], clean: _Clean
) -> JsonObject:
    ran = record.state != "not_run"
    params = node.params if node is not None else {}
    templates = params if node is None or node.batch is None else {"items": node.batch.items}
    resolved = resolve_params(templates, {name: value for name, value in data.items() if name != record.node_id})
    return {
        "node_id": record.node_id,
        "node_type": record.node_type,
        "state": record.state,
        "severity": record.severity if record.state == "warning" else None,
        "tries": record.tries if ran else None,
        "action": record.action,
        "cached": record.cached,
        "repaired": record.modified,
        "message": clean(record.message),
        **_judged(record, clean),
        "duration_ms": record.duration_ms if ran else None,
        "params": clean.document(params),
        "inputs": clean(resolved.params) if ran else None,
        "unresolved": [text for problem in resolved.problems for text in problem.templates] if ran else [],
        "outputs": clean(record.outputs),
        "exchanges": [_exchange(exchange, clean) for exchange in traffic if exchange.node == record.node_id],
    }


def _judged(record: NodeRecord, clean: _Clean) -> JsonObject:
    """Return what a detector weighed; nothing if it does not say."""
    if not record.evidence:
        return {}
    return {"confidence": record.confidence, "evidence": [clean(asdict(piece)) for piece in record.evidence]}


def _exchange(exchange: Exchange, clean: _Clean) -> JsonObject:
    request, response = exchange.request, exchange.response
    return {
        "request": {
            "method": request.method,
            "url": clean(request.url),
            "headers": clean(dict(request.headers)),
            "body": clean(parse_body(request.body, request.header("content-type"))),
        },
        "response": {
            "status": response.status,
            "fault": response.fault,
            "headers": clean(dict(response.headers)),
            "body": clean(parse_body(response.body, response.header("content-type"))),
            "elapsed_ms": response.elapsed_ms,
        },
        "accepted": exchange.accepted,
    }


def _attempt(attempt: Attempt, clean: _Clean) -> JsonObject:
    prompt, reply = attempt.prompt, attempt.reply
    return {
        "number": attempt.number,
        "status": attempt.status,
        "repeat": attempt.repeat,
        "problem": clean(attempt.problem),
        "prompt": {
            "strategy": prompt.context.strategy,
            "system": clean(prompt.system),
            "user": clean(prompt.user),
            "truncated": prompt.context.truncated,
        },
        "reply": clean(asdict(reply)),
        "workflow": None if attempt.candidate is None else clean.document(attempt.candidate),
        "executed": attempt.execution is not None,
    }

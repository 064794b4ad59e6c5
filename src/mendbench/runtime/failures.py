"""Builds a failure from an observation at a node, with everything that the run knows about it.

Nothing here uses a detector: the repairer's information must be the same under every policy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from mendbench.exchanges.bodies import parse_body
from mendbench.model.exchange import Exchange
from mendbench.model.execution import Observation
from mendbench.model.failure import Category, EarlierFailure, Failure, FieldProblem, SentRequest, UpstreamSource
from mendbench.model.json import Json, JsonObject
from mendbench.model.workflow import Node, Workflow
from mendbench.runtime.json_texts import JsonTexts
from mendbench.runtime.outline import MCP, tool_in
from mendbench.runtime.parse import WorkflowProblem
from mendbench.runtime.problems import field_problems
from mendbench.runtime.suggest import Guesses
from mendbench.runtime.templates import ParamProblem, Template, dotted, field_paths, lookup, templates_in, texts_in
from mendbench.secrets.redaction import sanitise, sanitise_under

MAX_AVAILABLE = 20
"""Maximum number of paths into a referenced node's data that a failure lists."""

_PATHS_LOOKED_AT = 2000
"""Maximum number of paths that are searched for a suggestion; further paths are ignored."""

_REQUEST_STATUSES = frozenset({400, 409, 422})
"""Statuses for invalid request content (RFC 9110 sections 15.5.1, 15.5.10, 15.5.21)."""

_MAY_HOLD_SECRETS = (
    "message", "raw_response", "mcp_error", "shell_command", "shell_stdout", "shell_stderr", "upstream_data",
)  # fmt: skip
"""The fields of a failure that may hold secrets from the workflow's inputs, besides ``upstream``."""

UNFIXABLE_WORDS = (
    "api key", "authentication", "unauthorized", "forbidden", "rate limit", "quota", "connection refused", "timeout",
    "permission denied", "out of memory",
)  # fmt: skip
"""Words in an exception's message that make the baseline classify it as not fixable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedNode:
    """What the run knows about a failed node."""

    node: Node
    observation: Observation
    data: JsonObject
    """Inputs and the outputs of the nodes that ran, except this one."""
    workflow: Workflow
    exchange: Exchange | None = None
    """The last request that the node sent in this execution, redacted."""
    problems: tuple[ParamProblem, ...] = ()
    exception: str | None = None
    """Name of the exception's class."""
    earlier: tuple[EarlierFailure, ...] = ()
    """What was observed at earlier nodes, in order."""
    batch_item: JsonObject | None = None
    """The failed item of a batch."""
    redact: Callable[[Json], Json] = field(default=lambda value: value)
    """Removes the declared secrets from a value."""


def failure_of(failed: FailedNode) -> Failure:
    """Return the failure of the node that ended the run."""
    observation = failed.observation
    problems = field_problems(observation.body) if observation.kind in ("http", "envelope", "mcp") else ()
    base = Failure(
        source="runtime",
        category=_category(observation, problems),
        message=observation.message,
        node_id=failed.node.id,
        fixable=fixable(observation),
        node_type=failed.node.type,
        exception_type=failed.exception,
        problems=problems,
        request_sent=_sent(failed.exchange),
        upstream=tuple(_upstream(failed)),
        upstream_data=_upstream_data(failed),
        earlier=failed.earlier,
        batch_item=failed.batch_item,
    )
    return redacted(_with_templates(_with_response(base, failed), failed), failed.redact)


def warning_failure(node: Node, message: str, outputs: JsonObject, redact: Callable[[Json], Json]) -> Failure:
    """Return the failure of a run that a warning stopped: no edit can fix it."""
    api = node.type == "http"
    status = outputs.get("status_code") if api else None
    failure = Failure(
        source="api",
        category="non_repairable",
        message=message,
        node_id=node.id,
        fixable=False,
        node_type=node.type,
        status_code=status if isinstance(status, int) else None,
        raw_response=outputs.get("response" if api else "result"),
        response_headers=outputs.get("response_headers") if api else None,
        response_time=outputs.get("response_time") if api else None,
        mcp_error_details=outputs.get("error_details") if _calls_mcp(node.type) else None,
    )
    return redacted(failure, redact)


def static_failure(problem: WorkflowProblem, workflow: Workflow) -> Failure:
    """Return the failure of an invalid document."""
    node = workflow.node(problem.node_id) if problem.node_id is not None else None
    shown, total = problem.available[:MAX_AVAILABLE], len(problem.available)
    return Failure(
        source="validation",
        category=problem.category,
        message=problem.message,
        node_id=problem.node_id,
        hint=problem.hint,
        node_type=node.type if node else None,
        unresolved=(problem.template,) if problem.template else (),
        available_fields=shown or None,
        available_fields_total=total or None,
        available_fields_truncated=total > len(shown),
        suggestion=problem.suggestion,
    )


def fixable(observation: Observation) -> bool:
    """Return the baseline's guess: all are fixable except exceptions and transport faults whose message has one of its words."""
    message = observation.message.lower()
    return observation.kind not in ("exception", "transport") or not any(word in message for word in UNFIXABLE_WORDS)


def redacted(failure: Failure, redact: Callable[[Json], Json]) -> Failure:
    """Return the failure without the secrets from the workflow's inputs."""
    clean = {name: sanitise(redact(getattr(failure, name))) for name in _MAY_HOLD_SECRETS}
    upstream = tuple(replace(source, value=_hidden(source, redact)) for source in failure.upstream)
    return replace(failure, **clean, upstream=upstream)


def _hidden(source: UpstreamSource, redact: Callable[[Json], Json]) -> Json:
    """Return a parameter's data without credentials, recognised by value, by the parameter's name and by the template's name."""
    value = redact(source.value)
    for path in (source.param, source.template.rstrip("}")):
        name = path.replace("${", "").rsplit(".", 1)[-1]
        value = sanitise_under(name, value)
    return value


def _category(observation: Observation, problems: tuple[FieldProblem, ...]) -> Category:
    if observation.kind == "template":
        return "template_error"
    if observation.kind == "exception":
        return "exception"
    return "api_validation" if observation.status in _REQUEST_STATUSES or problems else "execution_failure"


def _with_response(failure: Failure, failed: FailedNode) -> Failure:
    """Add the details of the node's type: an HTTP response, an MCP error, a command's output."""
    observation = failed.observation
    outputs = observation.outputs
    match observation.node_type:
        case "http":
            return replace(
                failure,
                status_code=observation.status,
                raw_response=observation.body,
                response_headers=observation.headers or None,
                response_time=outputs.get("response_time"),
            )
        case kind if _calls_mcp(kind):
            return replace(
                failure,
                raw_response=outputs.get("result", observation.body),
                mcp_error_details=outputs.get("error_details") or _tool_called(failed.node),
                mcp_error=_mcp_error(observation),
            )
        case "shell" if "exit_code" in outputs:
            return replace(
                failure,
                shell_command=outputs.get("command"),
                shell_exit_code=outputs["exit_code"],
                shell_stdout=outputs.get("stdout"),
                shell_stderr=outputs.get("stderr"),
            )
    return replace(failure, raw_response=observation.body)


def _calls_mcp(node_type: str) -> bool:
    return node_type == MCP or tool_in(node_type) is not None


def _tool_called(node: Node) -> JsonObject:
    named = tool_in(node.type)
    if named is not None:
        return dict(zip(("server", "tool"), named, strict=True))
    return {name: node.params[name] for name in ("server", "tool") if name in node.params}


def _mcp_error(observation: Observation) -> Json:
    """Return the protocol's error object, else the result's own ``error``, else the text of a tool error."""
    rpc = observation.body if isinstance(observation.body, dict) else {}
    result = observation.outputs.get("result")
    inner = result.get("error") if isinstance(result, dict) else None
    return rpc.get("error") or inner or observation.outputs.get("error")


def _sent(exchange: Exchange | None) -> SentRequest | None:
    if exchange is None:
        return None
    request = exchange.request
    body = parse_body(request.body, request.header("content-type"))
    return SentRequest(method=request.method, url=request.url, headers=dict(request.headers), body=body)


def _upstream(failed: FailedNode) -> Iterator[UpstreamSource]:
    texts = JsonTexts()
    for place, text in texts_in(failed.node.params):
        for template in templates_in(text):
            found, value = lookup(failed.data, template, texts)
            yield UpstreamSource(param=dotted(place), template=template.text, resolved=found, value=value)


def _upstream_data(failed: FailedNode) -> JsonObject | None:
    ids = {node.id for node in failed.workflow.nodes}
    roots = dict.fromkeys(template.root for template in templates_in(failed.node.params))
    named = {root: failed.data[root] for root in roots if root in ids and root in failed.data}
    return named or None


def _with_templates(failure: Failure, failed: FailedNode) -> Failure:
    """Add the unresolved templates, the available paths, and the closest match."""
    if not failed.problems:
        return failure
    texts = tuple(dict.fromkeys(text for problem in failed.problems for text in problem.templates))
    templates = templates_in(list(texts))
    parsed, guesses = JsonTexts(), Guesses()
    roots = dict.fromkeys(_root(template, failed.data) for template in templates)
    paths = {root: _available(root, failed.data, parsed) for root in roots}
    known = tuple(dict.fromkeys(path for available in paths.values() for path in available))
    guessed = (_meant(template, paths, failed.data, guesses) for template in templates)
    meant = next((path for path in guessed if path), None)
    return replace(
        failure,
        unresolved=texts,
        available_fields=known[:MAX_AVAILABLE],
        available_fields_total=len(known),
        available_fields_truncated=len(known) > MAX_AVAILABLE,
        suggestion="${" + meant + "}" if meant else None,
    )


def _root(template: Template, data: JsonObject) -> str | None:
    """Return the template's root name, or None if the data has no such name."""
    return template.root if template.root in data else None


def _available(root: str | None, data: JsonObject, parsed: JsonTexts) -> tuple[str, ...]:
    """Return the paths of the node that the templates reference, or the available root names."""
    return tuple(data) if root is None else field_paths(data[root], root, limit=_PATHS_LOOKED_AT, texts=parsed)


def _meant(
    template: Template, paths: dict[str | None, tuple[str, ...]], data: JsonObject, guesses: Guesses
) -> str | None:
    known = paths[_root(template, data)]
    if template.root in data:
        return guesses.closest_path(template.text[2:-1], known)
    root = guesses.closest_path(template.root, known)
    return root + template.text[2 + len(template.root) : -1] if root else None

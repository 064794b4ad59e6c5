"""A workflow that sends the requests of a source, for sources that do not contain the workflow that failed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise
from urllib.parse import unquote

from mendbench.exchanges.bodies import form_fields, parse_body
from mendbench.exchanges.urls import split_url
from mendbench.importing.hosts import LISTING, type_name
from mendbench.importing.interface import FoundExchange
from mendbench.importing.matching import request_form
from mendbench.model.exchange import Request
from mendbench.model.json import Json, JsonObject
from mendbench.runtime.nodes.http import METHODS
from mendbench.secrets.redaction import CREDENTIAL_HEADERS

WRITTEN = (
    "the workflow was written from the recorded requests, with the values that were sent. Where a value came from another node, write a "
    "template in workflow.json, such as ${get_order.response.id}; where it came from an input, import again with --input NAME=VALUE"
)
"""A note for the author of the case."""

_OF_CLIENTS = frozenset(
    {
        "accept", "accept-encoding", "accept-language", "cache-control", "connection", "content-length", "cookie", "host", "origin",
        "pragma", "priority", "referer", "te", "user-agent",
    }
)  # fmt: skip
"""Headers that a client adds by itself (RFC 9110, RFC 6265), and that a workflow does not name."""

_LONGEST_ID = 40

_DATA = frozenset({"url", "body", "arguments"})
"""The parameters that hold data of a run."""

_URL_PART = re.compile(r"(?<=[/=])[^/?=&#]+")
"""A part of a URL's path, or a value of its query."""


MOST_SOURCES = 3
"""The number of values whose likely source is named."""

_LEAST_LENGTH = 3
"""The least length of a text that is looked for in earlier responses: shorter ones occur everywhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenWorkflow:
    """A workflow that was written from requests."""

    workflow: JsonObject
    inputs: JsonObject
    """The values of its inputs."""
    sources: tuple[str, ...]
    """Values that were sent and that stand in an earlier response, with the template for them: they may come from there."""


@dataclass(slots=True)
class _Made:
    nodes: list[JsonObject] = field(default_factory=list)
    responses: list[Json] = field(default_factory=list)
    """The response of each node."""
    inputs: JsonObject = field(default_factory=dict)
    values: JsonObject = field(default_factory=dict)
    """The values of the inputs."""


def workflow_of_requests(found: Sequence[FoundExchange], inputs: Mapping[str, Json]) -> WrittenWorkflow | None:
    """Return a workflow of one node a request, in their order; None if no request can be a node.

    Each value of ``inputs`` becomes a template wherever it was sent: as a value of a body, or a part of a URL's path or query.
    Credentials in headers become inputs. A request that was sent again, such as a retry, has one node.
    """
    made, seen = _Made(), set[str]()
    for name, value in inputs.items():
        made.inputs[name], made.values[name] = {"type": "string"}, value
    for exchange in found:
        request = exchange.request
        if request is None or (form := request_form(request)) in seen:
            continue
        seen.add(form)
        node = _node(request, made)
        if node is not None:
            made.nodes.append({"id": _id(exchange, request, made), **node})
            answer = exchange.response
            made.responses.append(None if answer is None else parse_body(answer.body, answer.header("content-type")))
    if not made.nodes:
        return None
    for node in made.nodes:
        node["params"] |= {
            name: _templated(node["params"][name], inputs, made) for name in _DATA & node["params"].keys()
        }
    ids = [node["id"] for node in made.nodes]
    edges = [{"from": before, "to": after} for before, after in pairwise(ids)]
    workflow = {"ir_version": "0.1.0", "inputs": made.inputs, "nodes": made.nodes, "edges": edges}
    return WrittenWorkflow(workflow=workflow, inputs=made.values, sources=tuple(islice(_sources(made), MOST_SOURCES)))


def _sources(made: _Made) -> Iterator[str]:
    """Yield the values of bodies and arguments that stand in the response of an earlier HTTP node, each with its template."""
    known: dict[str, str] = {}
    for node, response in zip(made.nodes, made.responses, strict=True):
        params = node["params"]
        for path, value in _leaves(params.get("body", params.get("arguments")), ""):
            if isinstance(value, str) and value in known:
                yield f"{node['id']} sends {value!r} as {path.lstrip('.')}, which is {known[value]}"
        for path, value in _leaves(response, "") if node["type"] == "http" else ():
            if isinstance(value, str) and len(value) >= _LEAST_LENGTH:
                known.setdefault(value, f"${{{node['id']}.response{path}}}")


def _leaves(value: Json, path: str) -> Iterator[tuple[str, Json]]:
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _leaves(item, f"{path}.{name}")
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _leaves(item, f"{path}[{number}]")
    else:
        yield path, value


def _templated(value: Json, inputs: Mapping[str, Json], made: _Made) -> Json:
    """Return a value with templates for the values of inputs. An input takes the type of the first value that it stands for."""
    if isinstance(value, dict):
        return {name: _templated(item, inputs, made) for name, item in value.items()}
    if isinstance(value, list):
        return [_templated(item, inputs, made) for item in value]
    if isinstance(value, str) and value.lower().startswith(("http://", "https://")):
        return _URL_PART.sub(lambda part: _template_for(unquote(part[0]), inputs) or part[0], value)
    name = next((name for name, given in inputs.items() if value is not None and str(given) == _text(value)), None)
    if name is None:
        return value
    if not isinstance(value, str):
        made.inputs[name], made.values[name] = {"type": type_name(value)}, value
    return f"${{{name}}}"


def _template_for(text: str, inputs: Mapping[str, Json]) -> str | None:
    return next((f"${{{name}}}" for name, given in inputs.items() if str(given) == text), None)


def _text(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _node(request: Request, made: _Made) -> JsonObject | None:
    parts = split_url(request.url)
    scheme = parts.scheme.lower()
    body = parse_body(request.body, request.header("content-type"))
    if scheme == "mcp":
        if parts.path == LISTING:
            return None
        params = {"server": unquote(parts.netloc), "tool": unquote(parts.path.strip("/")), "arguments": body}
        return {"type": "mcp", "params": params} if params["tool"] and isinstance(body, dict) else None
    if scheme not in {"http", "https"} or request.method not in METHODS:
        return None
    http: JsonObject = {"method": request.method, "url": request.url}
    is_json = isinstance(body, dict | list) and form_fields(body) is None
    if headers := _headers(request, made, is_json=is_json):
        http["headers"] = headers
    if request.body:
        http["body"] = body if is_json else request.body.decode("utf-8", "replace")
    return {"type": "http", "params": http}


def _headers(request: Request, made: _Made, *, is_json: bool) -> JsonObject:
    headers: JsonObject = {}
    for name, value in request.headers:
        lower = name.lower()
        if lower in CREDENTIAL_HEADERS and lower != "cookie":
            headers[name] = _credential(lower, value, made)
        elif lower not in _OF_CLIENTS and not (
            lower == "content-type" and is_json and value.lower() == "application/json"
        ):
            headers[name] = value
    return headers


def _credential(header: str, value: str, made: _Made) -> str:
    """Return a header's value with an input for its credential, which is the last word."""
    scheme, _, word = value.rpartition(" ")
    known = next((name for name, held in made.values.items() if held == word), None)
    if known is None:
        name = "api_token" if header == "authorization" else re.sub(r"[^a-z0-9]+", "_", header).strip("_")
        number = sum(one == name or one.startswith(f"{name}_") for one in made.values)
        known = f"{name}_{number + 1}" if number else name
        made.inputs[known] = {"description": f"Credential of {header}", "type": "string"}
        made.values[known] = word
    return f"{scheme} ${{{known}}}".strip()


def _id(exchange: FoundExchange, request: Request, made: _Made) -> str:
    """Return an id that no other node has: the source's name of the node, else the method and the last part of the path."""
    given = {str(value) for value in made.values.values()}
    parts = [part for part in split_url(request.url).path.split("/") if part]
    path = (
        [part for part in parts if unquote(part) not in given] or parts or [split_url(request.url).hostname or "root"]
    )
    words = exchange.node or (path[-1] if request.url.startswith("mcp:") else f"{request.method} {path[-1]}")
    base = re.sub(r"[^a-z0-9]+", "_", unquote(words).lower()).strip("_")[:_LONGEST_ID] or "node"
    taken = {node["id"] for node in made.nodes} | set(made.inputs)
    number = next(
        count for count in range(1, len(taken) + 2) if (base if count == 1 else f"{base}_{count}") not in taken
    )
    return base if number == 1 else f"{base}_{number}"

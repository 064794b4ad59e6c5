"""A workflow that sends the requests of a source, for sources that do not contain the workflow that failed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from urllib.parse import unquote

from mendbench.exchanges.bodies import form_fields, parse_body
from mendbench.exchanges.urls import split_url
from mendbench.importing.interface import Found
from mendbench.importing.matching import request_form
from mendbench.model.exchange import Request
from mendbench.model.json import JsonObject
from mendbench.runtime.nodes.http import METHODS
from mendbench.secrets.redaction import CREDENTIAL_HEADERS

WRITTEN = (
    "the workflow was written from the recorded requests, with the values that were sent: put templates where a value came from an input "
    "or another node"
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


@dataclass(slots=True)
class _Made:
    nodes: list[JsonObject] = field(default_factory=list)
    inputs: JsonObject = field(default_factory=dict)
    values: JsonObject = field(default_factory=dict)
    """The values of the inputs."""


def workflow_of_requests(found: Sequence[Found]) -> tuple[JsonObject, JsonObject] | None:
    """Return a workflow of one node a request, in their order, and the values of its inputs; None if no request can be a node.

    Credentials in headers become inputs. A request that was sent again, such as a retry, has one node.
    """
    made, seen = _Made(), set[str]()
    for exchange in found:
        request = exchange.request
        if request is None or (form := request_form(request)) in seen:
            continue
        seen.add(form)
        node = _node(request, made)
        if node is not None:
            made.nodes.append({"id": _id(exchange, request, made), **node})
    if not made.nodes:
        return None
    ids = [node["id"] for node in made.nodes]
    edges = [{"from": before, "to": after} for before, after in pairwise(ids)]
    workflow = {"ir_version": "0.1.0", "inputs": made.inputs, "nodes": made.nodes, "edges": edges}
    return workflow, made.values


def _node(request: Request, made: _Made) -> JsonObject | None:
    parts = split_url(request.url)
    scheme = parts.scheme.lower()
    body = parse_body(request.body, request.header("content-type"))
    if scheme == "mcp":
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
        elif lower not in _OF_CLIENTS and not (lower == "content-type" and is_json):
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


def _id(exchange: Found, request: Request, made: _Made) -> str:
    """Return an id that no other node has: the source's name of the node, else the method and the last part of the path."""
    path = [part for part in split_url(request.url).path.split("/") if part] or [
        split_url(request.url).hostname or "root"
    ]
    words = exchange.node or (path[-1] if request.url.startswith("mcp:") else f"{request.method} {path[-1]}")
    base = re.sub(r"[^a-z0-9]+", "_", unquote(words).lower()).strip("_")[:_LONGEST_ID] or "node"
    taken = {node["id"] for node in made.nodes} | set(made.inputs)
    number = next(
        count for count in range(1, len(taken) + 2) if (base if count == 1 else f"{base}_{count}") not in taken
    )
    return base if number == 1 else f"{base}_{number}"

"""Normalises requests to GitHub's API: equivalent requests become identical.

Owners, repositories and label names are case-insensitive, and a write reads only its JSON body
(https://docs.github.com/rest).
"""

from __future__ import annotations

import json
from dataclasses import replace
from urllib.parse import quote, urlencode

from mendbench.model.exchange import Request
from mendbench.model.json import Json, JsonObject
from mendbench.services.github.code import own_branch
from mendbench.services.github.routes import ROUTES, Route
from mendbench.services.github.state import API
from mendbench.services.wire import match_path, parse_json, read_call

_WITHOUT_CASE = frozenset({"owner", "repo", "name", "assignee", "login"})
"""Case-insensitive parts of a path. Branch names and file paths are case-sensitive."""


def normalised(request: Request) -> Request | None:
    """Return the normalised request, or None if no endpoint matches or its body cannot be read.

    The result omits properties that the endpoint does not read. For new objects it also omits null and empty lists.
    """
    call = read_call(request)
    reads = call.method in {"GET", "HEAD"}
    route = _route("GET" if reads else call.method, call.segments)
    if route is None:
        return None
    wanted = route.path.removeprefix("/").split("/")
    parts = [
        part.lower() if index < len(wanted) and wanted[index].strip("{}") in _WITHOUT_CASE else part
        for index, part in enumerate(call.segments)
    ]
    path = "/".join(quote(part, safe="", errors="replace") for part in parts)
    if reads:
        query = urlencode(sorted(call.query), errors="replace")
        return replace(request, method=call.method, url=f"{API}/{path}{'?' + query if query else ''}", body=b"")
    body = _properties(call.body, route)
    if body is None:
        return None
    if route.path.endswith("/pulls") and isinstance(body.get("head"), str):
        body["head"] = own_branch(call.segments[1], body["head"])
    raw = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace") if body else b""
    return replace(request, method=call.method, url=f"{API}/{path}", body=raw)


def _route(method: str, segments: tuple[str, ...]) -> Route | None:
    routes = (route for route in ROUTES if route.method == method)
    return next((route for route in routes if match_path(route.path, segments) is not None), None)


def _properties(raw: bytes, route: Route) -> JsonObject | None:
    """Return the properties that the endpoint reads from a body, or None if the body is not a JSON object."""
    try:
        value: Json = parse_json(raw) if raw.strip() else {}
    except ValueError:
        return None
    if route.array_as is not None and isinstance(value, list):
        value = {route.array_as: value}
    if not isinstance(value, dict):
        return None
    read = {field.name: value[field.name] for field in route.fields if field.name in value}
    if isinstance(read.get("labels"), list):
        read["labels"] = [_name(label) for label in read["labels"]]
    if route.method == "POST":
        read = {name: item for name, item in read.items() if item not in (None, [])}
    return read


def _name(label: Json) -> Json:
    return label["name"] if isinstance(label, dict) and set(label) == {"name"} else label

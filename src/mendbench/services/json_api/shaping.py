"""The presentation of a route's response: its wrapping, its status, its time."""

from __future__ import annotations

from mendbench.model.exchange import Headers, Response
from mendbench.model.json import Json, JsonObject
from mendbench.services.json_api.context import Context
from mendbench.services.json_api.spec import Route
from mendbench.services.wire import JSON_TYPE, json_response

READ_MS, WRITE_MS = 96, 171
"""The default response time, milliseconds."""
_TYPES = {"jsonapi": "application/vnd.api+json", "aws": "application/x-amz-json-1.1"}
"""Styles with their own content type."""


def elapsed_of(route: Route) -> int:
    """Return the route's response time, milliseconds."""
    return int(route.options.get("elapsed_ms", READ_MS if route.method in {"GET", "HEAD"} else WRITE_MS))


def shaped(context: Context) -> JsonObject:
    """Return the wrapping: the route's own, else the API's."""
    return context.route.table("wrap") or context.api.wrap


def extra_of(wrap: JsonObject) -> JsonObject:
    """Return the fields of every wrapped response."""
    extra = wrap.get("extra")
    return extra if isinstance(extra, dict) else {}


def answered(context: Context, status: int, body: Json, headers: Headers = ()) -> Response:
    """Return the route's response, without a body where the route declares empty responses."""
    status, elapsed_ms = int(context.route.options.get("status", status)), elapsed_of(context.route)
    if context.route.options.get("empty"):
        return Response(status=status, headers=headers, elapsed_ms=elapsed_ms)
    kind = _TYPES.get(context.api.style, JSON_TYPE)
    return json_response(status, body, elapsed_ms=elapsed_ms, headers=headers, content_type=kind)

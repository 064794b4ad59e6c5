"""HTTP helpers for all simulated services: request parsing and response construction."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib import resources
from typing import cast
from urllib.parse import parse_qsl, unquote, urlsplit

from mendbench.api_errors.envelopes import accepted
from mendbench.exchanges.bodies import parse_body
from mendbench.exchanges.urls import normalise_url
from mendbench.io.canonical_json import digest
from mendbench.model.exchange import Headers, Request, Response, find_header
from mendbench.model.json import Json, JsonObject

JSON_TYPE = "application/json; charset=utf-8"
TEXT_TYPE = "text/plain; charset=utf-8"
MAX_DEPTH = 64
"""The maximum nesting depth of arrays and objects in a body."""
_TOO_DEEP, _NOT_FINITE = "nested too deeply", "a number is not finite"
HTML_TYPE = "text/html; charset=utf-8"
_WRITES = "writes"
"""The counter of accepted writes: see :class:`mendbench.ports.world.Service`."""
_IDLE_METHODS = frozenset({"HEAD", "OPTIONS", "TRACE"})
"""Methods that never have an effect in any service (RFC 9110 section 9.2.1). GET may have one: Slack posts messages by GET."""
_BOOKKEEPING = frozenset({"failures", "rate_limited", "rate_limits", "secondary_limit", "tries"})
"""Parts of a state that only count requests. States that differ only here are equal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A parsed request."""

    method: str
    """In upper case."""
    path: str
    """As sent, without the query."""
    segments: tuple[str, ...]
    """The path's parts, percent-decoded. A trailing slash gives an empty last part."""
    query: tuple[tuple[str, str], ...]
    headers: Headers
    body: bytes

    def header(self, name: str) -> str:
        """Return the first value of that header without surrounding whitespace; empty if absent."""
        return (find_header(self.headers, name) or "").strip()

    def parameter(self, name: str) -> str | None:
        """Return the last value of that name in the query, or None."""
        return dict(self.query).get(name)


def read_call(request: Request) -> Call:
    """Parse ``request``. A URL that cannot be parsed has the path ``/``."""
    try:
        parts = urlsplit(request.url)
        path, query = parts.path or "/", parse_qsl(parts.query, keep_blank_values=True)
    except ValueError:
        path, query = "/", []
    return Call(
        method=request.method.upper(),
        path=path,
        segments=tuple(unquote(part) for part in path.removeprefix("/").split("/")),
        query=tuple(query),
        headers=request.headers,
        body=request.body,
    )


def parse_json(text: str | bytes) -> Json:
    """Return the value of a JSON text.

    Raises:
        ValueError: the text is not JSON, contains a number that is not finite, or is nested too deeply.
    """
    try:
        value: Json = json.loads(text)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    layer = [value]
    for _ in range(MAX_DEPTH):
        layer = [inner for item in layer for inner in _inside(item)]
        if not layer:
            return value
    raise ValueError(_TOO_DEEP)


def match_path(pattern: str, segments: tuple[str, ...]) -> dict[str, str] | None:
    """Return the parameters of ``pattern`` in a path, or None if the path does not match.

    ``/people/{id}`` matches one part, ``/files/{path*}`` matches all remaining parts.
    """
    wanted = pattern.removeprefix("/").split("/")
    found: dict[str, str] = {}
    for index, part in enumerate(wanted):
        if part.endswith("*}"):
            found[part[1:-2]] = "/".join(segments[index:])
            return found
        if index >= len(segments):
            return None
        if part.startswith("{") and part.endswith("}"):
            if not segments[index]:
                return None
            found[part[1:-1]] = segments[index]
        elif part != segments[index]:
            return None
    return found if len(wanted) == len(segments) else None


def json_response(
    status: int,
    body: Json,
    *,
    elapsed_ms: int,
    headers: Headers = (),
    ascii_only: bool = False,
    content_type: str = JSON_TYPE,
) -> Response:
    """Return a response with ``body`` as JSON. A content type in ``headers`` takes precedence."""
    text = json.dumps(body, separators=(",", ":"), ensure_ascii=ascii_only)
    raw = text.encode("utf-8", "replace")
    return Response(status=status, headers=_typed(headers, content_type), body=raw, elapsed_ms=elapsed_ms)


def text_response(
    status: int, text: str, *, elapsed_ms: int, headers: Headers = (), content_type: str = TEXT_TYPE
) -> Response:
    """Return a response with ``text``. A content type in ``headers`` takes precedence."""
    raw = text.encode("utf-8", "replace")
    return Response(status=status, headers=_typed(headers, content_type), body=raw, elapsed_ms=elapsed_ms)


def _typed(headers: Headers, content_type: str) -> Headers:
    return headers if find_header(headers, "content-type") else (("content-type", content_type), *headers)


def _inside(item: Json) -> list[Json]:
    if isinstance(item, float) and not math.isfinite(item):
        raise ValueError(_NOT_FINITE)
    if isinstance(item, dict):
        return list(item.values())
    return item if isinstance(item, list) else []


def iso_time(now_ms: int) -> str:
    """Return the moment as ``2026-01-01T00:00:00Z``."""
    return datetime.fromtimestamp(now_ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def next_count(draft: JsonObject, name: str) -> int:
    """Increment the counter ``name`` in the state's ``counters`` and return it, counting from 1."""
    counters = draft.setdefault("counters", {})
    counters[name] = int(counters.get(name, 0)) + 1
    return cast("int", counters[name])


def left_by(request: Request, response: Response, before: JsonObject, after: JsonObject) -> JsonObject:
    """Return the state after ``request``: ``after`` with one more accepted write, or ``before``.

    Only accepted requests with a change modify the state, whatever their method. A recording keys a response by the
    request and the writes before it. So a response must depend on nothing else, such as a refused request.
    """
    did = accepted(response, parse_body(response.body, response.header("content-type")))
    if request.method.upper() in _IDLE_METHODS or not did or same_data(before, after):
        return before
    next_count(after, _WRITES)
    return after


def same_data(one: JsonObject, other: JsonObject) -> bool:
    """Return whether two states differ at most in parts that count requests. An empty collection equals a missing one."""
    return all(_alike(one.get(name), other.get(name)) for name in (one.keys() | other.keys()) - _BOOKKEEPING)


def _alike(one: Json, other: Json) -> bool:
    if isinstance(one, dict | None) and isinstance(other, dict | None):
        mine, theirs = one or {}, other or {}
        return all(_alike(mine.get(name), theirs.get(name)) for name in mine.keys() | theirs.keys())
    return bool(one == other) or (_is_empty(one) and _is_empty(other))


def _is_empty(value: Json) -> bool:
    return value is None or (isinstance(value, dict | list) and not value)


def accepted_writes(state: JsonObject) -> int:
    """Return the number of accepted writes in the state."""
    return int((state.get("counters") or {}).get(_WRITES, 0))


def request_digest(state: JsonObject, request: Request, length: int) -> str:
    """Return hex digits for a request's id.

    They are a hash of the method, the URL without the query, and the accepted writes before the request. Query, body
    and headers are not included: they may contain a secret, and equivalent requests must get the same id.
    """
    place = normalise_url(request.url).partition("?")[0]
    return digest([request.method.upper(), place, accepted_writes(state)], length)


def load_seed(package: str) -> dict[str, object]:
    """Return the seed data of a service's package, with its count of writes at 0."""
    seed: JsonObject = json.loads(_seed_text(package))
    seed.setdefault("counters", {}).setdefault(_WRITES, 0)
    return seed


@cache
def _seed_text(package: str) -> str:
    return resources.files(package).joinpath("seed.json").read_text("utf-8")

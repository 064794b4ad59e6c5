"""The chat service: the order of Discord's checks, and the response headers.

The order: route (404), method (405), token (401), rate limit (429), ids in the path (400), JSON (400), existence (404),
access (403), permission (403), form (400), content (400). The order of permission and form is an assumption. Rate
limits: https://docs.discord.com/developers/topics/rate-limits.
"""

from __future__ import annotations

import copy
from math import ceil
from urllib.parse import parse_qsl

from mendbench.io.canonical_json import digest
from mendbench.model.exchange import Headers, Request, Response
from mendbench.model.json import JsonObject
from mendbench.services.chat.errors import ChatError
from mendbench.services.chat.routes import ROUTES, Route
from mendbench.services.chat.state import Context, check_place, identify
from mendbench.services.scripted import next_failure, take_limit
from mendbench.services.wire import (
    Call,
    accepted_writes,
    json_response,
    left_by,
    load_seed,
    match_path,
    parse_json,
    read_call,
)

BASE = ("api", "v10")
LIMIT, WINDOW_S = 5, 5
_REFUSED_MS = 63


class Chat:
    """Discord's API for one guild or a few. :mod:`mendbench.services.chat.state` documents its state."""

    name = "chat"
    hosts: tuple[str, ...] = ("discord.com",)

    def seed(self) -> dict[str, object]:
        """Return a small guild with a few channels, members and messages."""
        return load_seed(__package__ or "")

    def response(self, state: dict[str, object], request: Request, now_ms: int) -> tuple[dict[str, object], Response]:
        """Return the state after ``request`` and Discord's response."""
        draft: JsonObject = copy.deepcopy(state)
        call = read_call(request)
        matches = _matches(call)
        route = next((candidate for candidate, _ in matches if candidate.method == call.method), None)
        keys = (f"{call.method} /{'/'.join(call.segments[2:])}", *((route.key,) if route else ()))
        planned = next_failure(draft, keys)
        if planned and not planned.applied:
            return draft, planned.response
        if route is None:
            refusal = ChatError(405, 0, "405: Method Not Allowed") if matches else ChatError(404, 0, "404: Not Found")
            return draft, json_response(refusal.status, refusal.body(), elapsed_ms=_REFUSED_MS)
        caller = identify(draft, call)
        if caller is None and route.needs_token:
            refusal = ChatError(401, 0, "401: Unauthorized")
            return draft, json_response(refusal.status, refusal.body(), elapsed_ms=_REFUSED_MS)
        limited = _rate_limit(draft, keys, route)
        if limited is not None:
            return draft, limited
        changed = copy.deepcopy(draft)
        place = next(found for candidate, found in matches if candidate is route)
        response = _run(changed, call, route, caller or "", place, now_ms)
        if call.method in {"GET", "HEAD"}:
            return draft, planned.response if planned else response
        return left_by(request, response, draft, changed), planned.response if planned else response


def _matches(call: Call) -> list[tuple[Route, dict[str, str]]]:
    """Return the routes that match the call's path, for any method, with their path parameters."""
    if call.segments[:2] != BASE:
        return []
    rest = call.segments[2:]
    found = [(route, match_path(route.path, rest)) for route in ROUTES]
    return [(route, place) for route, place in found if place is not None]


def _run(draft: JsonObject, call: Call, route: Route, caller: str, place: dict[str, str], now_ms: int) -> Response:
    headers = _headers(draft, route, place, now_ms)
    try:
        check_place(place)
        values = _read_body(call)
        context = Context(draft=draft, call=call, me=caller, place=place, values=values, now_ms=now_ms)
        reply = route.run(context)
    except ChatError as refusal:
        return json_response(refusal.status, refusal.body(), elapsed_ms=_REFUSED_MS, headers=headers)
    if reply.body is None:
        return Response(status=reply.status, headers=headers, elapsed_ms=route.elapsed_ms)
    return json_response(reply.status, reply.body, elapsed_ms=route.elapsed_ms, headers=headers)


def _read_body(call: Call) -> JsonObject:
    """Return the body's fields, from JSON or from a form.

    Raises:
        ChatError: 50109, the body is not JSON.
    """
    if call.method in {"GET", "HEAD", "DELETE"} or not call.body.strip():
        return {}
    if "x-www-form-urlencoded" in call.header("content-type").lower():
        return dict(parse_qsl(call.body.decode("utf-8", "replace"), keep_blank_values=True))
    try:
        value = parse_json(call.body.decode("utf-8"))
    except ValueError:
        raise ChatError(400, 50109, "The request body contains invalid JSON.") from None
    return value if isinstance(value, dict) else {}


def _bucket(route: Route, place: dict[str, str]) -> str:
    """Return a bucket's name: the route and the resource that the limit applies to."""
    major = [place.get(name) for name in ("channel_id", "guild_id", "webhook_id")]
    return digest([route.key, major], 32)


def _headers(draft: JsonObject, route: Route, place: dict[str, str], now_ms: int) -> Headers:
    """Return the rate limit headers. The remaining count depends only on the number of accepted writes."""
    used = 1 + accepted_writes(draft) % LIMIT
    return (
        ("x-ratelimit-limit", str(LIMIT)),
        ("x-ratelimit-remaining", str(max(0, LIMIT - used))),
        ("x-ratelimit-reset", f"{now_ms / 1000 + WINDOW_S:.3f}"),
        ("x-ratelimit-reset-after", f"{WINDOW_S:.3f}"),
        ("x-ratelimit-bucket", _bucket(route, place)),
    )


def _rate_limit(draft: JsonObject, keys: tuple[str, ...], route: Route) -> Response | None:
    planned = draft.get("rate_limited") or {}
    limit = next((planned[key] for key in (*keys, "*") if planned.get(key)), None)
    if limit is None or not take_limit(limit):
        return None
    wait = float(limit.get("retry_after", 1.0))
    body = {"message": "You are being rate limited.", "retry_after": wait, "global": False}
    headers = (
        ("retry-after", str(ceil(wait))),
        ("x-ratelimit-limit", str(LIMIT)),
        ("x-ratelimit-remaining", "0"),
        ("x-ratelimit-reset-after", f"{wait:.3f}"),
        ("x-ratelimit-bucket", digest(route.key, 32)),
        ("x-ratelimit-scope", "user"),
    )
    return json_response(429, body, elapsed_ms=_REFUSED_MS, headers=headers)

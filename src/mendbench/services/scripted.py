"""Failures that a case declares. The service returns them, in order, before its own responses.

In any simulated service's state::

    "failures": {"<route>": [{"status": 503, "headers": {…}, "body": "text, or JSON", "fault": "timeout",
                              "elapsed_ms": 900, "times": 2, "applied": true}]}

The route is the service's name for it: a Slack method (``chat.postMessage``) or ``METHOD /path`` as requested or as the
service declares it; ``*`` matches every route. ``times`` (default 1) is the number of uses before the next entry; null
means unlimited. ``fault`` makes it a transport fault: no status. ``applied`` means that the effect happens despite the
failure.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from mendbench.model.exchange import Response
from mendbench.model.json import JsonObject
from mendbench.services.wire import JSON_TYPE, TEXT_TYPE

DEFAULT_ELAPSED_MS = 180


@dataclass(frozen=True, slots=True, kw_only=True)
class Scripted:
    """One failure that applies now."""

    response: Response
    applied: bool
    """Whether the request has its effect before the failure is returned."""


def next_failure(draft: JsonObject, routes: Iterable[str]) -> Scripted | None:
    """Take the next failure of the first of ``routes`` that has one, and count it down in ``draft``."""
    planned = draft.get("failures") or {}
    for route in (*routes, "*"):
        if planned.get(route):
            entry = planned[route][0]
            _count_down(planned, route, entry)
            return Scripted(response=_response(entry), applied=bool(entry.get("applied")))
    return None


def take_limit(limit: JsonObject) -> bool:
    """Return whether a rate limit of the state applies to this request, and count it down.

    ``times`` is the number of requests that are still refused; without it, or if it is null, all are refused.
    """
    if limit.get("times") == 0:
        return False
    if limit.get("times") is not None:
        limit["times"] -= 1
    return True


def _count_down(planned: JsonObject, route: str, entry: JsonObject) -> None:
    times = entry.get("times", 1)
    if times is None:
        return
    rest = planned[route][1:]
    planned[route] = [{**entry, "times": times - 1}, *rest] if times > 1 else rest


def _response(entry: JsonObject) -> Response:
    fault = entry.get("fault")
    body = entry.get("body", "")
    text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
    headers = {str(name).lower(): str(value) for name, value in (entry.get("headers") or {}).items()}
    if text:
        headers.setdefault("content-type", TEXT_TYPE if isinstance(body, str) else JSON_TYPE)
    return Response(
        status=0 if fault else int(entry["status"]),
        headers=tuple(headers.items()),
        body=text.encode("utf-8", "replace"),
        elapsed_ms=int(entry.get("elapsed_ms", DEFAULT_ELAPSED_MS)),
        fault=fault,
    )

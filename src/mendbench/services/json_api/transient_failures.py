"""Temporary failures: a request fails the first times that it is sent, and then succeeds.

In the state of an API::

    "at_first": {"GET /v2/people": [{"fault": "timeout", "elapsed_ms": 30000},
                                    {"status": 503, "headers": {"Retry-After": "20"}, "body": "busy", "times": 2},
                                    {"status": 502, "page": "nginx", "writes": [1, 1]}]}

Keys and entries are those of ``failures`` (:mod:`mendbench.services.scripted`). A key is a route as declared or as requested, or ``*``.
The tries of each distinct request are counted, and an accepted write resets the count. So a response depends on the request, on the
accepted writes before it, and on the number of tries since the last write. Recordings use the same key. ``writes`` ([least, most]) limits
an entry to that range of accepted writes. ``page`` is the error page of a proxy in front: ``nginx`` or ``elb``.
"""

from __future__ import annotations

from collections.abc import Iterable

from mendbench.model.json import JsonObject
from mendbench.services.json_api.volatile import Moment, filled
from mendbench.services.scripted import Scripted, next_failure
from mendbench.services.wire import HTML_TYPE

KEY = "at_first"
PAGES = {
    500: "Internal Server Error",
    502: "Bad Gateway",
    503: "Service Temporarily Unavailable",
    504: "Gateway Time-out",
    413: "Request Entity Too Large",
}
"""The texts of nginx (its source, ``ngx_http_special_response.c``)."""


def failing_at_first(data: JsonObject, routes: Iterable[str], moment: Moment, writes: int) -> Scripted | None:
    """Return the failure for this try from the first of ``routes`` with entries, or None if there is none."""
    route, entry = entry_due(data, routes, moment, writes)
    return None if entry is None else next_failure({"failures": {route: [entry]}}, (route,))


def entry_due(data: JsonObject, routes: Iterable[str], moment: Moment, writes: int) -> tuple[str, JsonObject | None]:
    """Return the route with entries and the entry for this try, its texts filled in; None if no entry applies."""
    planned = data.get(KEY) or {}
    route = next((key for key in (*routes, "*") if planned.get(key)), "*")
    left = moment.tried
    for entry in planned.get(route) or []:
        if _holds(entry, writes):
            times = entry.get("times", 1)
            if times is None or left < int(times):
                whole = _whole(entry)
                return route, filled({name: value for name, value in whole.items() if name != "times"}, moment)
            left -= int(times)
    return route, None


def _holds(entry: JsonObject, writes: int) -> bool:
    least, most = entry.get("writes") or (writes, writes)
    return bool(least <= writes <= most)


def _whole(entry: JsonObject) -> JsonObject:
    """Return an entry in the form of ``failures``, with its error page written out."""
    page = entry.get("page")
    if page is None:
        return entry
    title = f"{entry['status']} {PAGES[entry['status']]}"
    foot = "<hr><center>nginx</center>\r\n" if page == "nginx" else ""
    body = f"<html>\r\n<head><title>{title}</title></head>\r\n<body>\r\n<center><h1>{title}</h1></center>\r\n{foot}</body>\r\n</html>\r\n"
    headers = {"content-type": HTML_TYPE, **(entry.get("headers") or {})}
    return {**{name: value for name, value in entry.items() if name != "page"}, "headers": headers, "body": body}

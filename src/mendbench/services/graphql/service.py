"""The GraphQL service: HTTP around the two APIs, each as its real server does it.

``api.marlstone.example`` is the tracker: 401 as GitHub gives it, errors in HTTP 200, the schema by GET
(https://docs.github.com/graphql/guides/introspection-to-the-graphql-api). ``inventory.quillmere.example`` is the laboratory: Ariadne over
graphql-core (https://ariadnegraphql.org), so 400 for a query that does not parse or validate, and 200 for a query that ran; 401 is
Linear's and costs and throttling are Shopify's (https://shopify.dev/docs/api/usage/limits).

Queries, and mutations with any refused part, do not change the state.
"""

from __future__ import annotations

import copy

from mendbench.exchanges.urls import host_of
from mendbench.model.exchange import Headers, Request, Response
from mendbench.model.json import Json, JsonObject
from mendbench.services.graphql.site import MALFORMED_MARKS, Caller, GraphQLRequest, Site
from mendbench.services.scripted import Scripted, next_failure
from mendbench.services.wire import (
    Call,
    accepted_writes,
    json_response,
    left_by,
    load_seed,
    parse_json,
    read_call,
    request_digest,
    text_response,
)

TRACKER_HOST, LAB_HOST = "api.marlstone.example", "inventory.quillmere.example"
LIMIT = 5000
"""Points per hour (https://docs.github.com/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api)."""
_HOUR_S = 3600
_DOCS = "https://docs.github.com/graphql"
_LOGIN_DOCS = f"{_DOCS}/guides/forming-calls-with-graphql#authenticating-with-graphql"
_REFUSED_MS, _QUERY_MS, _MUTATION_MS = 71, 148, 263
_UNAUTHENTICATED = {
    "type": "authentication error",
    "code": "AUTHENTICATION_ERROR",
    "statusCode": 401,
    "userError": True,
    "userPresentableMessage": "You need to authenticate to access this operation.",
    "meta": {},
    "http": {"status": 401},
}


class GraphQL:
    """An issue tracker and a laboratory's inventory. :mod:`mendbench.services.graphql.site` documents their state."""

    name = "graphql"
    hosts: tuple[str, ...] = (TRACKER_HOST, LAB_HOST)

    def seed(self) -> dict[str, object]:
        """Return a few issues and a few specimens."""
        return load_seed(__package__ or "")

    def response(self, state: dict[str, object], request: Request, now_ms: int) -> tuple[dict[str, object], Response]:
        """Return the state after ``request`` and the server's response."""
        draft: JsonObject = copy.deepcopy(state)
        call = read_call(request)
        name = "lab" if host_of(request.url) == LAB_HOST else "tracker"
        number = request_digest(draft, request, 29)
        read = _read_body(call)
        planned = _planned(draft, call, read)
        if planned and not planned.applied:
            return draft, planned.response
        if call.path != "/graphql":
            return draft, _no_page(name)
        caller = _caller(draft, call)
        if caller is None:
            return draft, _unauthenticated(name, call)
        if call.method != "POST":
            return draft, _other_method(draft, name, call)
        if (over := _limited(draft, name)) is not None:
            return draft, over
        changed = copy.deepcopy(draft)
        site = Site(draft=changed, name=name, caller=caller, now_ms=now_ms)
        wrote, response = _answered(site, read, _headers(draft, name, number, now_ms))
        return left_by(request, response, draft, changed) if wrote else draft, planned.response if planned else response


def _read_body(call: Call) -> Json:
    """Return the body's JSON, or an ellipsis if the body is not JSON."""
    try:
        return parse_json(call.body.decode("utf-8"))
    except ValueError:
        return ...


def _planned(draft: JsonObject, call: Call, read: Json) -> Scripted | None:
    if not draft.get("failures"):
        return None
    routes = [f"{call.method} {call.path}"]
    if isinstance(read, dict) and isinstance(read.get("query"), str):
        from mendbench.services.graphql.engine import roots_of  # noqa: PLC0415 - replay must not pay

        routes = [*roots_of(read["query"]), *routes]
    return next_failure(draft, routes)


def _caller(draft: JsonObject, call: Call) -> Caller | None:
    """Return the caller, or None without a valid token."""
    scheme, _, rest = call.header("authorization").partition(" ")
    token = rest.strip()
    if scheme.lower() not in {"bearer", "token"} or not token or " " in token:
        return None
    if any(mark in token for mark in MALFORMED_MARKS):
        return None
    tokens = draft.get("tokens") or {}
    if tokens and token not in tokens:
        return None
    record = (tokens.get(token) if tokens else None) or {}
    if record.get("status", "active") != "active":
        return None
    scopes = record.get("scopes")
    return Caller(login=record.get("login") or str(draft.get("me")), scopes=None if scopes is None else tuple(scopes))


def _no_page(name: str) -> Response:
    if name == "lab":
        return text_response(404, "Not Found", elapsed_ms=_REFUSED_MS)
    body = {"message": "Not Found", "documentation_url": "https://docs.github.com/rest", "status": "404"}
    return json_response(404, body, elapsed_ms=_REFUSED_MS)


def _unauthenticated(name: str, call: Call) -> Response:
    if name == "lab":
        error = {"message": "Authentication required, not authenticated", "extensions": _UNAUTHENTICATED}
        return json_response(401, {"errors": [error]}, elapsed_ms=_REFUSED_MS)
    if call.header("authorization"):
        body = {"message": "Bad credentials", "documentation_url": _DOCS, "status": "401"}
    else:
        body = {"message": "This endpoint requires you to be authenticated.", "documentation_url": _LOGIN_DOCS}
        body["status"] = "401"
    return json_response(401, body, elapsed_ms=_REFUSED_MS)


def _other_method(draft: JsonObject, name: str, call: Call) -> Response:
    """Respond to a request other than POST: the tracker returns its schema to a GET, the laboratory accepts only POST."""
    if name == "lab":
        return text_response(405, "", elapsed_ms=_REFUSED_MS, headers=(("allow", "OPTIONS, POST, GET"),))
    if call.method not in {"GET", "HEAD"}:
        return _no_page(name)
    from mendbench.services.graphql.engine import introspected  # noqa: PLC0415 - replay must not pay

    return json_response(200, {"data": introspected(name, draft.get("renamed") or {})}, elapsed_ms=_QUERY_MS)


def _limited(draft: JsonObject, name: str) -> Response | None:
    """Report an exhausted budget as often as the state specifies."""
    limit = (draft.get("rate_limited") or {}).get(name)
    if limit is None or limit.get("times") == 0:
        return None
    if limit.get("times") is not None:
        limit["times"] -= 1
    if name == "lab":
        from mendbench.services.graphql.engine import throttled  # noqa: PLC0415 - replay must not pay

        empty = {**((draft.get(name) or {}).get("throttle") or {}), "available": 0}
        return json_response(200, throttled(empty, int(limit.get("requested", 900))), elapsed_ms=_REFUSED_MS)
    error = {"type": "RATE_LIMITED", "message": "API rate limit exceeded for user ID 1."}
    headers = (("x-ratelimit-limit", str(LIMIT)), ("x-ratelimit-remaining", "0"), ("x-ratelimit-resource", "graphql"))
    return json_response(200, {"data": None, "errors": [error]}, elapsed_ms=_REFUSED_MS, headers=headers)


def _answered(site: Site, read: Json, headers: Headers) -> tuple[bool, Response]:
    """Run a request. Return whether it wrote, and the response."""
    from mendbench.services.graphql.engine import run  # noqa: PLC0415 - replay must not pay

    lab = site.name == "lab"
    request = _lab_request(read) if lab else _tracker_request(read)
    if isinstance(request, Response):
        return False, request
    try:
        outcome = run(site, request)
    except RecursionError:
        return False, text_response(500, "Internal Server Error", elapsed_ms=_REFUSED_MS)
    status = 400 if lab and outcome.invalid else 200
    elapsed = _REFUSED_MS if outcome.invalid else _MUTATION_MS if outcome.writes else _QUERY_MS
    return outcome.writes, json_response(status, outcome.body, elapsed_ms=elapsed, headers=headers)


def _lab_request(read: Json) -> GraphQLRequest | Response:
    """Return the GraphQL request, checked as Ariadne does (``ariadne/graphql.py``, ``validate_data``)."""
    if read is ...:
        return text_response(400, "Request body is not a valid JSON", elapsed_ms=_REFUSED_MS)
    if not isinstance(read, dict):
        return _invalid("Operation data should be a JSON object")
    query, variables, name = read.get("query"), read.get("variables"), read.get("operationName")
    if not query or not isinstance(query, str):
        return _invalid("The query must be a string.")
    if variables is not None and not isinstance(variables, dict):
        return _invalid("Query variables must be a null or an object.")
    if name is not None and not isinstance(name, str):
        return _invalid(f'"{name}" is not a valid operation name.')
    return _request(query, variables, name)


def _tracker_request(read: Json) -> GraphQLRequest | Response:
    if read is ... or not isinstance(read, dict):
        body = {"message": "Problems parsing JSON", "documentation_url": _DOCS, "status": "400"}
        return json_response(400, body, elapsed_ms=_REFUSED_MS)
    query, variables, name = read.get("query"), read.get("variables"), read.get("operationName")
    if not isinstance(query, str) or not query:
        text = "A query attribute must be specified and must be a string."
        return json_response(200, {"errors": [{"message": text}]}, elapsed_ms=_REFUSED_MS)
    return _request(query, variables if isinstance(variables, dict) else None, name if isinstance(name, str) else None)


def _request(query: str, variables: JsonObject | None, name: str | None) -> GraphQLRequest:
    return GraphQLRequest(query=query, variables=variables or {}, operation=name)


def _invalid(text: str) -> Response:
    return json_response(400, {"errors": [{"message": text}]}, elapsed_ms=_REFUSED_MS)


def _headers(draft: JsonObject, name: str, number: str, now_ms: int) -> Headers:
    """Return the headers of a response. The tracker reports its limit."""
    if name == "lab":
        return ()
    used = min(1 + accepted_writes(draft), LIMIT)
    digits = number.upper()
    return (
        ("x-ratelimit-limit", str(LIMIT)),
        ("x-ratelimit-remaining", str(LIMIT - used)),
        ("x-ratelimit-reset", str((now_ms // 1000 // _HOUR_S + 1) * _HOUR_S)),
        ("x-ratelimit-used", str(used)),
        ("x-ratelimit-resource", "graphql"),
        ("x-github-request-id", f"{digits[:4]}:{digits[4:9]}:{digits[9:15]}:{digits[15:21]}:{digits[21:]}"),
    )

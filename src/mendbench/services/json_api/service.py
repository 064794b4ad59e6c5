"""The generic JSON API: selects the invented API for a request, and defines the order of checks."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import cast

from mendbench.exchanges.urls import host_of
from mendbench.model.exchange import Request, Response
from mendbench.model.json import JsonObject
from mendbench.services.json_api.actions import perform
from mendbench.services.json_api.context import Context, singular
from mendbench.services.json_api.errors import refusal_response
from mendbench.services.json_api.refusal import Asked, RefusedError
from mendbench.services.json_api.requests import check_auth, read_body, read_parameters
from mendbench.services.json_api.shaping import elapsed_of
from mendbench.services.json_api.spec import Api, Route, data_of, read_apis
from mendbench.services.json_api.transient_failures import KEY, failing_at_first
from mendbench.services.json_api.volatile import Moment, count_try, filled, forget_tries, moment_of
from mendbench.services.scripted import next_failure
from mendbench.services.wire import Call, accepted_writes, json_response, left_by, load_seed, match_path, read_call

_REFUSED_MS = 64
"""The response time if no route ran."""
_BODY_ACTIONS = {"create", "update", "start"}


class JsonApi:
    """Any number of small JSON APIs that a case's state declares. See :mod:`mendbench.services.json_api.spec`."""

    name = "json_api"
    hosts: tuple[str, ...] = ()
    """Empty: see :meth:`hosts_in`."""

    def seed(self) -> dict[str, object]:
        """Return a state without any API."""
        return load_seed(__package__ or "")

    def hosts_in(self, state: dict[str, object]) -> tuple[str, ...]:
        """Return the hosts that a state declares."""
        return tuple(host for api in read_apis(state) for host in api.hosts)

    def response(self, state: dict[str, object], request: Request, now_ms: int) -> tuple[dict[str, object], Response]:
        """Return the state after ``request`` and the declared API's response."""
        draft: JsonObject = copy.deepcopy(state)
        host = host_of(request.url)
        api = next((api for api in read_apis(draft) if host in api.hosts), None)
        call = read_call(request)
        if api is None:
            return draft, json_response(404, {"detail": "Not Found"}, elapsed_ms=_REFUSED_MS)
        found = _route(api, call)
        moment = _moment(draft, api, request, now_ms)
        data = data_of(draft, api)
        keys = [f"{call.method} {call.path}", *([found[0].key] if found else [])]
        planned = failing_at_first(data, keys, moment, accepted_writes(draft)) or next_failure(data, keys)
        if planned and not planned.applied:
            return draft, planned.response
        changed = copy.deepcopy(draft)
        response = _respond(api, data_of(changed, api), call, found, moment)
        left = left_by(request, response, draft, changed)
        if accepted_writes(left) != accepted_writes(draft):
            left = forget_tries(left)
        return left, planned.response if planned else response


def _moment(draft: JsonObject, api: Api, request: Request, now_ms: int) -> Moment:
    """Return the moment of a request. Count the request where a response depends on the number of tries."""
    counts = bool(data_of(draft, api).get(KEY) or api.with_errors or any(route.action == "job" for route in api.routes))
    return moment_of(draft, request, now_ms, count_try(draft, request) if counts else 0)


def _route(api: Api, call: Call) -> tuple[Route, dict[str, str]] | None:
    for route in api.routes:
        params = match_path(route.path, call.segments) if route.method == call.method else None
        if params is not None:
            return route, params
    return None


def _respond(
    api: Api, data: JsonObject, call: Call, found: tuple[Route, dict[str, str]] | None, moment: Moment
) -> Response:
    thing, elapsed_ms = "", _REFUSED_MS
    api = replace(api, with_errors=cast("JsonObject", filled(api.with_errors, moment)))
    try:
        if found is None:
            raise _no_route(api, call)
        route, params = found
        route = replace(route, options=cast("JsonObject", filled(route.options, moment)))
        thing, elapsed_ms = singular(route.collection), elapsed_of(route)
        check_auth(api, route, call)
        return perform(
            Context(
                api=api,
                route=route,
                data=data,
                path=read_parameters(api, route, params, "path"),
                query=read_parameters(api, route, dict(call.query), "query"),
                body=read_body(api, route, call) if _reads_body(route) else {},
                now_ms=moment.at_ms,
                headers=call.headers,
                url_path=call.path,
                tried=moment.tried,
            )
        )
    except RefusedError as refusal:
        asked = Asked(
            method=call.method, path=call.path, host=api.hosts[0], thing=thing,
            request_id=moment.request_id, at_ms=moment.at_ms,
        )  # fmt: skip
        return refusal_response(refusal, api, asked, elapsed_ms)


def _reads_body(route: Route) -> bool:
    on_body = any("body" in (rule.get("when") or {}) for rule in route.options.get("rules") or ())
    return route.action in _BODY_ACTIONS or on_body or bool(route.table("schema"))


def _no_route(api: Api, call: Call) -> RefusedError:
    others = sorted({route.method for route in api.routes if match_path(route.path, call.segments) is not None})
    if others:
        return RefusedError(405, "Method Not Allowed", reason="wrong_method", headers=(("allow", ", ".join(others)),))
    return RefusedError(404, "Not Found", reason="no_route")

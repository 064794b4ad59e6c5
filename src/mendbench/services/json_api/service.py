"""The generic JSON API: which invented API a request is for, and the order of its checks."""

from __future__ import annotations

import copy

from mendbench.errors import BadInput
from mendbench.kit.urls import host_of
from mendbench.model.exchange import Answer, Request
from mendbench.model.json import JsonObject
from mendbench.services.json_api.actions import Context, elapsed_of, perform
from mendbench.services.json_api.errors import RefusedError
from mendbench.services.json_api.requests import check_auth, read_body, read_parameters
from mendbench.services.json_api.spec import Api, Route, data_of, read_apis
from mendbench.services.scripted import next_failure
from mendbench.services.wire import Call, json_answer, left_by, load_seed, match_path, read_call

_REFUSED_MS = 64
"""How long an answer takes that no route was run for."""
_BODY_ACTIONS = {"create", "update"}


class JsonApi:
    """Any number of small JSON APIs that a case's state declares. See :mod:`mendbench.services.json_api.spec`."""

    name = "json_api"
    hosts: tuple[str, ...] = ()
    """None of its own: see :meth:`hosts_in`."""

    def seed(self) -> dict[str, object]:
        """Return a state without any API."""
        return load_seed(__package__ or "")

    def hosts_in(self, state: dict[str, object]) -> tuple[str, ...]:
        """Return the hosts that a state declares.

        Raises:
            BadInput: a declaration cannot be used, or there is none, or two APIs claim one host.
        """
        hosts = tuple(host for api in read_apis(state) for host in api.hosts)
        if not hosts:
            raise BadInput("state of json_api", "no API", 'declare one under "apis", with "host" and "routes"')
        doubles = sorted({host for host in hosts if hosts.count(host) > 1})
        if doubles:
            raise BadInput("state of json_api", f"two APIs claim {doubles[0]!r}", "give each host to one API")
        return hosts

    def answer(self, state: dict[str, object], request: Request, now_ms: int) -> tuple[dict[str, object], Answer]:
        """Return the state after ``request`` and the declared API's answer to it."""
        draft: JsonObject = copy.deepcopy(state)
        host = host_of(request.url)
        api = next((api for api in read_apis(draft) if host in api.hosts), None)
        call = read_call(request)
        if api is None:
            return draft, json_answer(404, {"detail": "Not Found"}, elapsed_ms=_REFUSED_MS)
        data = data_of(draft, api)
        found = _route(api, call)
        keys = [f"{call.method} {call.path}", *([found[0].key] if found else [])]
        planned = next_failure(data, keys)
        if planned and not planned.applied:
            return draft, planned.answer
        changed = copy.deepcopy(draft)
        said = _respond(api, data_of(changed, api), call, found, now_ms)
        return left_by(request, said, draft, changed), planned.answer if planned else said


def _route(api: Api, call: Call) -> tuple[Route, dict[str, str]] | None:
    for route in api.routes:
        params = match_path(route.path, call.segments) if route.method == call.method else None
        if params is not None:
            return route, params
    return None


def _respond(api: Api, data: JsonObject, call: Call, found: tuple[Route, dict[str, str]] | None, now_ms: int) -> Answer:
    try:
        if found is None:
            raise _no_route(api, call)
        route, params = found
        check_auth(api, route, call)
        context = Context(
            api=api,
            route=route,
            data=data,
            path=read_parameters(api, route, params, "path"),
            query=read_parameters(api, route, dict(call.query), "query"),
            body=read_body(api, route, call) if _reads_body(route) else {},
            now_ms=now_ms,
        )
        return perform(context)
    except RefusedError as refusal:
        return refusal.answer(api, elapsed_of(found[0]) if found else _REFUSED_MS)


def _reads_body(route: Route) -> bool:
    return route.action in _BODY_ACTIONS or bool(route.table("schema"))


def _no_route(api: Api, call: Call) -> RefusedError:
    others = sorted({route.method for route in api.routes if match_path(route.path, call.segments) is not None})
    if others:
        return RefusedError(405, "Method Not Allowed", headers=(("allow", ", ".join(others)),))
    return RefusedError(404, "Not Found")

"""Routes of a simulated API that refuse what a right fix sends: the state is then wrong, and not the fix."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from urllib.parse import unquote

from mendbench.corpus.declared_services import state_of
from mendbench.exchanges.urls import host_of, split_url
from mendbench.model.case import Case, Variant
from mendbench.model.exchange import Exchange
from mendbench.model.trial import CleanRun
from mendbench.services import simulated
from mendbench.services.json_api.spec import Api, Route, read_apis
from mendbench.services.wire import Call, match_path, read_call
from mendbench.values.merge_patch import merge_patch

_API, _TOOLS = "json_api", "mcp_sim"
_CONSTANT = frozenset({"static", "refuse"})
"""Actions that give every request the same answer."""
_FAILED, _NOT_FOUND = 400, 404


def refusals(case: Case, run_on: Callable[[Variant | None], CleanRun]) -> tuple[str, ...]:
    """Return why the state of an invented API refuses a workflow, each reason once, for runs that do not end as labelled."""
    if "simulator" not in (case.recorded_from.get(_API), case.recorded_from.get(_TOOLS)):
        return ()
    found: dict[str, str] = {}
    for variant in (None, *case.variants):
        run = run_on(variant)
        if run.execution.outcome != (variant.final if variant else case.final):
            found = {**dict(_refused(case, variant, run)), **dict(_constant_tools(case, variant, run)), **found}
    return tuple(f"{what}: {remedy}" for what, remedy in found.items())


def _refused(case: Case, variant: Variant | None, run: CleanRun) -> Iterator[tuple[str, str]]:
    """Yield each refusal, and what to do about it."""
    state = merge_patch(copy.deepcopy(simulated(_API).seed()), state_of(case, variant, _API))
    apis = {host: api for api in read_apis(state) for host in api.hosts}
    for exchange in run.traffic:
        api = apis.get(host_of(exchange.request.url))
        if api is not None and exchange.response.status >= _FAILED:
            yield from _why(api, exchange, variant)


def _constant_tools(case: Case, variant: Variant | None, run: CleanRun) -> Iterator[tuple[str, str]]:
    """Yield each invented tool that was called and fails whatever it is sent."""
    servers = state_of(case, variant, _TOOLS).get("servers") or {}
    for exchange in run.traffic:
        parts = split_url(exchange.request.url)
        name = unquote(parts.path.removeprefix("/"))
        server = servers.get(host_of(exchange.request.url)) or {}
        tool = server.get("tools", {}).get(name) if parts.scheme == "mcp" else None
        if tool and tool.get("action") == "static" and any(not rule.get("when") for rule in tool.get("rules") or ()):
            what = f"the tool {name} is action: static in state and fails whatever it is sent"
            yield what, "replace it by a tool that validates"


def _why(api: Api, exchange: Exchange, variant: Variant | None) -> Iterator[tuple[str, str]]:
    call, status = read_call(exchange.request), exchange.response.status
    route = _route(api, call)
    if route is None:
        yield f"{call.method} {call.path} is no route of the state", _added(variant)
    elif route.action in _CONSTANT:
        always = f"is action: {route.action} in state and answers {status} to every request"
        yield f"{route.key} {always}", "replace it by a route that validates"
    elif status == _NOT_FOUND and variant and route.collection:
        yield f"{call.method} {call.path} finds nothing in {route.collection}", _added(variant)


def _added(variant: Variant | None) -> str:
    return f"add it, under the variant's state (variants: {variant.name})" if variant else "add it"


def _route(api: Api, call: Call) -> Route | None:
    """Return the route that answers: the first that fits."""
    fits = (one for one in api.routes if one.method == call.method and match_path(one.path, call.segments) is not None)
    return next(fits, None)

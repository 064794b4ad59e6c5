"""The simulated MCP servers: selects the server and the tool for a request, and defines the order of checks."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from typing import cast
from urllib.parse import unquote, urlsplit

from mendbench.exchanges.urls import host_of
from mendbench.io.canonical_json import digest
from mendbench.model.exchange import Request, Response
from mendbench.model.json import Json, JsonObject
from mendbench.services.json_api.actions import perform
from mendbench.services.json_api.context import Context
from mendbench.services.json_api.refusal import RefusedError
from mendbench.services.json_api.spec import Api, Route
from mendbench.services.json_api.transient_failures import KEY, entry_due
from mendbench.services.json_api.volatile import Moment, count_try, filled, forget_tries, moment_of
from mendbench.services.mcp_sim.arguments import check_arguments
from mendbench.services.mcp_sim.results import (
    INVALID_PARAMS,
    error,
    failure,
    invalid_arguments,
    result,
    success,
    unknown_tool,
)
from mendbench.services.mcp_sim.slack_tools import call_slack
from mendbench.services.mcp_sim.spec import Server, Tool, read_servers
from mendbench.services.scripted import next_failure
from mendbench.services.wire import accepted_writes, left_by, load_seed, parse_json, text_response
from mendbench.values.merge_patch import merge_patch

LIST = "tools/list"
_LIST_MS, _REFUSED_MS, _READ_MS, _WRITE_MS = 31, 38, 74, 133
"""The response time, milliseconds."""


class McpSim:
    """MCP servers that a state declares. See :mod:`mendbench.services.mcp_sim.spec`."""

    name = "mcp_sim"
    hosts: tuple[str, ...] = ()
    """Empty: see :meth:`hosts_in`."""

    def seed(self) -> dict[str, object]:
        """Return four servers of a harbour: tickets, documents, a calendar, and a Slack workspace behind a wrapper."""
        return load_seed(__package__ or "")

    def hosts_in(self, state: dict[str, object]) -> tuple[str, ...]:
        """Return the names of the seed's servers and of those that a case's state declares."""
        return tuple(read_servers(merge_patch(self.seed(), state)))

    def response(self, state: dict[str, object], request: Request, now_ms: int) -> tuple[dict[str, object], Response]:
        """Return the state after ``request`` and the server's response."""
        draft: JsonObject = copy.deepcopy(state)
        server = read_servers(draft).get(host_of(request.url))
        name = _tool_name(request)
        if server is None or name is None:
            return draft, text_response(404, "Not Found", elapsed_ms=_REFUSED_MS)
        moment = _moment(draft, server, request, now_ms)
        planned, applied = _planned(draft, server, name, moment)
        if planned is not None and not applied:
            return draft, planned
        changed = copy.deepcopy(draft)
        response = _answered(_record(changed, server), server, name, request, moment)
        left = left_by(request, response, draft, changed)
        if accepted_writes(left) != accepted_writes(draft):
            left = forget_tries(left)
        return left, planned or response


def _tool_name(request: Request) -> str | None:
    """Return the called tool, or :data:`LIST`; None if the request is not an MCP request."""
    try:
        parts = urlsplit(request.url)
    except ValueError:
        return None
    path = parts.path.removeprefix("/")
    if parts.scheme.lower() != "mcp" or not path:
        return None
    return path if path == LIST else unquote(path)


def _record(draft: JsonObject, server: Server) -> JsonObject:
    """Return the part of the state that belongs to ``server``, to change."""
    return cast("JsonObject", draft["servers"][server.name])


def _moment(draft: JsonObject, server: Server, request: Request, now_ms: int) -> Moment:
    counts = bool(_record(draft, server).get(KEY)) or any(tool.action == "job" for tool in server.tools.values())
    return moment_of(draft, request, now_ms, count_try(draft, request) if counts else 0)


def _planned(draft: JsonObject, server: Server, name: str, moment: Moment) -> tuple[Response | None, bool]:
    """Return the failure that applies to a call, and whether the call still has its effect."""
    record = _record(draft, server)
    _, entry = entry_due(record, (name,), moment, accepted_writes(draft))
    if entry is None:
        scripted = next_failure(record, (name,))
        return (scripted.response, scripted.applied) if scripted else (None, False)
    applied, elapsed_ms = bool(entry.get("applied")), int(entry.get("elapsed_ms", _WRITE_MS))
    if isinstance(entry.get("error"), dict):
        rpc_error = entry["error"]
        return error(
            int(rpc_error.get("code", -32603)),
            str(rpc_error.get("message", "Internal error")),
            elapsed_ms,
            rpc_error.get("data"),
        ), applied
    if "says" in entry:
        tool = server.tools.get(name) or Tool(
            name=name, action="static", collection="", method="", schema={}, options={}
        )
        status = int(entry.get("status", 500))
        return failure(server, tool, str(entry["says"]), status, _log_id(moment), elapsed_ms), applied
    found = next_failure({"failures": {name: [entry]}}, (name,))
    return (found.response if found else None), applied


def _answered(record: JsonObject, server: Server, name: str, request: Request, moment: Moment) -> Response:
    if name == LIST:
        return result({"tools": [tool.listed() for tool in server.tools.values()]}, _LIST_MS)
    tool = server.tools.get(name)
    if tool is None:
        return unknown_tool(server, name, _REFUSED_MS)
    given = _arguments(request)
    if given is None:
        return error(INVALID_PARAMS, "Invalid request parameters", _REFUSED_MS, "")
    arguments, violations = check_arguments(server, tool, given)
    if violations:
        return invalid_arguments(server, tool, violations, _log_id(moment), _REFUSED_MS)
    elapsed_ms = int(tool.options.get("elapsed_ms", _READ_MS if tool.reads_only else _WRITE_MS))
    if tool.method:
        return success(server, call_slack(record, tool, arguments, moment.at_ms), elapsed_ms)
    try:
        return success(server, _done(record, server, tool, arguments, moment), elapsed_ms)
    except RefusedError as refusal:
        message = refusal.detail
        for argument, value in arguments.items():
            message = message.replace(f"{{{argument}}}", str(value))
        return failure(server, tool, message, refusal.status, _log_id(moment), elapsed_ms)


def _arguments(request: Request) -> JsonObject | None:
    """Return the arguments. A missing body means no arguments. None if the body is not an object."""
    if not request.body.strip():
        return {}
    try:
        value = parse_json(request.body)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _done(record: JsonObject, server: Server, tool: Tool, arguments: JsonObject, moment: Moment) -> Json:
    """Run the tool's action on the server's data and return the result.

    Raises:
        RefusedError: the action fails.
    """
    options = cast("JsonObject", filled(tool.options, moment))
    options = {"wrap": {"many": tool.collection, "total": "count"}, **options} if tool.action == "list" else options
    key = str(options.get("id_argument", ""))
    body = {name: value for name, value in arguments.items() if name != key}
    route = Route(
        key=tool.name, method="PATCH", path="/", action=tool.action, collection=tool.collection,
        options={"key": key or "id", **options},
    )  # fmt: skip
    context = Context(
        api=replace(_NOBODY, hosts=(server.name,)), route=route, data=record, path={key: arguments.get(key, "")} if key else {},
        query=arguments if tool.reads_only else {}, body={} if tool.reads_only else body, now_ms=moment.at_ms,
        tried=moment.tried,
    )  # fmt: skip
    response = perform(context)
    if not response.body:
        return {"ok": True}
    kind = response.header("content-type") or ""
    value: Json = response.body.decode() if kind.startswith("text/plain") else json.loads(response.body)
    return value


def _log_id(moment: Moment) -> str:
    """Return the id that a wrapper gives to a failed run."""
    return f"log_{digest(moment.request_id, 12)}"


_NOBODY = Api(
    name="", hosts=("",), auth=None, style="plain", http_status=True, wrap={}, routes=(), words={}, with_errors={}
)  # fmt: skip
"""A placeholder API for responses that no HTTP client sees."""

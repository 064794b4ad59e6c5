"""Functions that a model may call: MCP tools, offered in the OpenAI-compatible format, and run one by one."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

from mendbench.api_errors.call_errors import error_in
from mendbench.api_errors.envelopes import failure_in
from mendbench.io.canonical_json import canonical_json
from mendbench.io.json_documents import nests_deeper
from mendbench.model.execution import ObservationKind
from mendbench.model.json import Json, JsonObject
from mendbench.ports.clock import Clock
from mendbench.runtime.nodes import mcp
from mendbench.runtime.nodes.completions import Call
from mendbench.runtime.nodes.interface import NodeOutput, Send, failed_output, json_request
from mendbench.runtime.nodes.params import DEFAULT_TIMEOUT_S, kind_of
from mendbench.runtime.nodes.responses import MAX_DEPTH, answered, fault_message, succeeded
from mendbench.runtime.nodes.retries import send_with_retries
from mendbench.runtime.outline import listed
from mendbench.runtime.suggest import Guesses

_LONGEST_NAME = 64
_UNNAMEABLE = re.compile(r"[^a-zA-Z0-9_-]")
"""Characters that OpenAI's API rejects in a function name, which has at most 64 characters."""

_NO_ARGUMENTS: JsonObject = {"type": "object", "properties": {}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One MCP tool offered to a model."""

    server: str
    tool: str
    name: str
    """The function name that the model uses."""
    definition: JsonObject
    """The definition in the model request: ``{"type": "function", "function": {…}}``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallResult:
    """The result of one call."""

    record: JsonObject
    """For the node's outputs: server, tool, arguments, and error or None."""
    text: str
    """The text for the model."""
    value: Json
    """For error detection: see :func:`mendbench.api_errors.call_errors.error_in`."""


def tools_named(params: JsonObject, who: str) -> tuple[tuple[str, str], ...] | None:
    """Return the servers and tools in ``tools``, each once and in order, or None if it is absent.

    Raises:
        TypeError, ValueError: it is not a list of ``server/tool``.
    """
    value = params.get("tools")
    if value is None:
        return None
    if not isinstance(value, list):
        raise TypeError(f"{who} node parameter 'tools' must be an array, got {kind_of(value)}")
    return tuple(dict.fromkeys(_named(name, who) for name in value))


def tools_offered(
    names: tuple[tuple[str, str], ...], who: str, send: Send, clock: Clock
) -> tuple[Tool, ...] | NodeOutput:
    """Return the named tools as their servers list them, or the failed output if a server returns no list.

    Raises:
        ValueError: a server has no such tool.
    """
    offered: list[Tool] = []
    for server in dict.fromkeys(server for server, _ in names):
        found = _listed(server, send, clock)
        if isinstance(found, NodeOutput):
            return found
        for tool in (tool for owner, tool in names if owner == server):
            if tool not in found:
                meant = Guesses().closest(tool, found)
                hint = f", did you mean '{server}/{meant}'?" if meant else ""
                has = listed(sorted(found)) or "none"
                raise ValueError(
                    f"{who} node parameter 'tools': MCP server '{server}' has no tool '{tool}'{hint} It has: {has}"
                )
            offered.append(_offer(server, tool, found[tool], {other.name for other in offered}))
    return tuple(offered)


def run_call(call: Call, tools: Mapping[str, Tool], send: Send, clock: Clock) -> CallResult:
    """Run one call. The model receives problems with the call like an error of the tool."""
    tool = tools.get(call.name)
    if tool is None:
        problem = f"there is no function {call.name!r}; there are: {', '.join(sorted(tools))}"
        return _refused({"server": None, "tool": call.name, "arguments": call.arguments}, problem)
    arguments = _arguments(call.arguments)
    if isinstance(arguments, str):
        return _refused({"server": tool.server, "tool": tool.tool, "arguments": call.arguments}, arguments)
    record = {"server": tool.server, "tool": tool.tool, "arguments": arguments}
    output = mcp.run(record, send, clock)
    if output.noticed is not None:
        return _refused(record, output.noticed.message)
    value = output.outputs.get("result")
    inside = failure_in(output.answered.body) if output.answered is not None else None
    error = inside.message if inside is not None else error_in(value)
    text = value if isinstance(value, str) else canonical_json(value)
    return CallResult(record={**record, "error": error}, text=text, value=value if inside is None else f"Error: {text}")


def _refused(record: JsonObject, problem: str) -> CallResult:
    text = f"Error: {problem}"
    return CallResult(record={**record, "error": problem}, text=text, value=text)


def _arguments(written: str) -> JsonObject | str:
    """Return the arguments, or an error message. Absent arguments are an empty object."""
    if not written.strip():
        return {}
    try:
        value = json.loads(written, parse_constant=_no_json)
    except ValueError as error:
        return f"the arguments are no JSON: {error}"
    except RecursionError:
        return "the arguments nest too deep"
    if not isinstance(value, dict):
        return f"the arguments must be an object, got {kind_of(value)}"
    return "the arguments nest too deep" if nests_deeper(value, MAX_DEPTH) else value


def _no_json(word: str) -> Json:
    raise ValueError(f"{word} is no JSON value")


def _named(name: Json, who: str) -> tuple[str, str]:
    if not isinstance(name, str):
        raise TypeError(f"{who} node parameter 'tools' must hold strings, got {kind_of(name)}")
    server, _, tool = name.partition("/")
    if not server or not tool:
        raise ValueError(f"{who} node parameter 'tools' must hold names like 'server/tool', got {name!r}")
    return server, tool


def _listed(server: str, send: Send, clock: Clock) -> dict[str, JsonObject] | NodeOutput:
    """Return the server's tools by name, from the first page of its list, or the failed output."""
    request = json_request(f"mcp://{quote(server, safe='')}/tools/list", {}, DEFAULT_TIMEOUT_S)
    response = send_with_retries(request, send, clock)
    answer = answered(response)
    kind: ObservationKind = "mcp" if response.fault is None else "transport"
    if response.fault is not None:
        message = fault_message(response, f"MCP server {server}", request.timeout_s)
    elif not succeeded(response):
        message = f"HTTP {response.status}"
    else:
        output = mcp.result_of(answer, server, "tools/list")
        result = output.outputs.get("result")
        tools = result.get("tools") if isinstance(result, dict) else None
        if output.noticed is None and isinstance(tools, list):
            return {
                tool["name"]: tool for tool in tools if isinstance(tool, dict) and isinstance(tool.get("name"), str)
            }
        message = output.noticed.message if output.noticed is not None else "the answer holds no list of tools"
        if output.noticed is None:  # a result without an error: only this node knows that it is not a tool list
            kind = "llm"
    return failed_output(kind, {"error": f"The tools of MCP server '{server}' could not be listed: {message}"}, answer)


def _offer(server: str, tool: str, known: JsonObject, taken: set[str]) -> Tool:
    name = _function_name(f"{server}__{tool}", taken)
    function: JsonObject = {"name": name}
    if isinstance(known.get("description"), str):
        function["description"] = known["description"]
    schema = known.get("inputSchema")
    function["parameters"] = schema if isinstance(schema, dict) else _NO_ARGUMENTS
    return Tool(server=server, tool=tool, name=name, definition={"type": "function", "function": function})


def _function_name(wished: str, taken: set[str]) -> str:
    """Return ``wished`` as the API accepts it, with a number if another tool has that name."""
    base = _UNNAMEABLE.sub("_", wished)
    name, n = base[:_LONGEST_NAME], 1
    while name in taken:
        n += 1
        ending = f"_{n}"
        name = base[: _LONGEST_NAME - len(ending)] + ending
    return name

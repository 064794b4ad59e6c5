"""The ``mcp`` node: one tool call to a Model Context Protocol server."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

from mendbench.model.exchange import Request, Response
from mendbench.model.execution import ObservationKind
from mendbench.model.json import Json, JsonObject
from mendbench.ports.clock import Clock
from mendbench.runtime.nodes.interface import Answered, NodeOutput, NodeType, Send, failed_output, json_request
from mendbench.runtime.nodes.params import as_text, table, text, timeout
from mendbench.runtime.nodes.responses import answered, fault_message, succeeded, value_in
from mendbench.runtime.nodes.retries import send_with_retries
from mendbench.runtime.outline import ANY_TOOL, MCP, NodeSpec, tool_in

_WHO = "MCP"

_SERVER_ERROR = 500
_SHOWN = 200
"""Characters of a response in the message."""
_STATUS_MESSAGES = {
    401: "Authentication failed. Check your API credentials.",
    403: "Access forbidden. Check your permissions.",
    404: "Session expired or endpoint not found.",
    429: "Rate limited. Too many requests. Please wait and try again.",
}


def run(params: JsonObject, send: Send, clock: Clock) -> NodeOutput:
    """Call the tool and return its result.

    Raises:
        TypeError, ValueError: a parameter cannot be used.
    """
    server, tool = text(params, "server", _WHO), text(params, "tool", _WHO)
    url = f"mcp://{quote(server, safe='')}/{quote(tool, safe='')}"
    request = json_request(url, table(params, "arguments", _WHO), timeout(params, _WHO))
    response = send_with_retries(request, send, clock)
    answer = answered(response)
    if not succeeded(response):
        return _unreached(request, response, answer, {"server": server, "tool": tool})
    return result_of(answer, server, tool)


def type_named(types: Mapping[str, NodeType], name: str) -> NodeType | None:
    """Return the node type of that name; for ``mcp-<server>-<tool>``, one that calls this tool with its parameters."""
    called = tool_in(name)
    if name in types or called is None or MCP not in types:
        return types.get(name)
    server, tool = called
    call = types[MCP].run

    def run_tool(params: JsonObject, send: Send, clock: Clock) -> NodeOutput:
        return call({"server": server, "tool": tool, "arguments": params}, send, clock)

    return NodeType(type=name, spec=ANY_TOOL, run=run_tool)


def result_of(answer: Answered, server: str, tool: str) -> NodeOutput:
    """Return the outputs for a JSON-RPC response.

    The result is its structured content, else its texts, parsed if they are JSON. The fields of an object without a
    truthy ``error`` also become separate outputs.
    """
    where = {"server": server, "tool": tool}
    rpc = answer.body if isinstance(answer.body, dict) else {"result": answer.body}
    if rpc.get("error"):
        message = f"MCP tool failed: {_protocol_message(rpc['error'])}"
        return failed_output("mcp", {"error": message, "error_details": {**where, "timeout": False}}, answer)
    result = rpc.get("result", rpc if "jsonrpc" not in rpc else None)
    value = _value(result)
    outputs: JsonObject = {"result": value, f"{server}_{tool}_result": value}
    if isinstance(result, dict) and result.get("isError") is True:
        details = {**where, "is_tool_error": True}
        return failed_output(
            "mcp", {**outputs, "error": _error_message(result, value), "error_details": details}, answer
        )
    if isinstance(value, dict) and not value.get("error"):
        own = {key: item for key, item in value.items() if not key.startswith(("_", "is_"))}
        outputs = {**own, **outputs}
    return NodeOutput(outputs=outputs, answered=answer)


def _value(result: Json) -> Json:
    if not isinstance(result, dict):
        return value_in(result) if isinstance(result, str) else result
    if isinstance(result.get("structuredContent"), dict):
        return result["structuredContent"]
    blocks = result.get("content")
    if not isinstance(blocks, list):
        return result
    values = [_block(block) for block in blocks]
    return values[0] if len(values) == 1 else values or None


def _block(block: Json) -> Json:
    if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str):
        return value_in(block["text"])
    return block


def _error_message(result: JsonObject, value: Json) -> str:
    """Return the tool's own error message, unchanged."""
    blocks = result.get("content")
    texts = [block.get("text") for block in blocks if isinstance(block, dict)] if isinstance(blocks, list) else []
    message = "\n".join(text for text in texts if isinstance(text, str) and text)
    if message:
        return message
    return value if isinstance(value, str) and value else "Tool execution failed"


def _protocol_message(error: Json) -> str:
    if isinstance(error, dict):
        return str(error.get("message") or error.get("code") or "protocol error")
    return as_text(error)


def _unreached(request: Request, response: Response, answer: Answered, where: JsonObject) -> NodeOutput:
    """Return the outputs if there was no JSON-RPC response: the server was unreachable, or its transport refused."""
    seconds = request.timeout_s or 0
    if response.fault == "timeout":
        message = f"MCP tool timed out after {seconds:g} seconds"
    elif response.fault is not None:
        message = fault_message(response, f"MCP server {where['server']}", seconds)
    elif response.status >= _SERVER_ERROR:
        message = f"Server error (HTTP {response.status}). The server encountered an error."
    else:
        message = (
            _STATUS_MESSAGES.get(response.status) or f"HTTP error {response.status}: {as_text(answer.body)[:_SHOWN]}"
        )
    kind: ObservationKind = "mcp" if response.fault is None else "transport"
    details = {**where, "timeout": response.fault == "timeout"}
    return failed_output(kind, {"error": f"MCP tool failed: {message}", "error_details": details}, answer)


NODE = NodeType(
    type="mcp",
    spec=NodeSpec(
        params=frozenset({"server", "tool", "arguments", "timeout"}),
        required=frozenset({"server", "tool"}),
        outputs=None,
    ),
    run=run,
)

"""The ``mcp`` node: one tool call to a Model Context Protocol server."""

from __future__ import annotations

import json
from collections.abc import Mapping
from urllib.parse import quote

from mendbench.io.canonical_json import canonical_json
from mendbench.model.exchange import Request, Response
from mendbench.model.execution import ObservationKind
from mendbench.model.json import Json, JsonObject
from mendbench.ports.clock import Clock
from mendbench.runtime.mcp_node_types import MCP, tool_in
from mendbench.runtime.nodes.interface import Answered, NodeOutput, NodeType, Observed, Send
from mendbench.runtime.nodes.params import table, text, timeout
from mendbench.runtime.nodes.patience import send_patiently
from mendbench.runtime.nodes.responses import answered, fault_words, succeeded, value_in
from mendbench.runtime.scene import ANY_TOOL
from mendbench.runtime.validate import NodeSpec

_WHO = "MCP"

_SERVER_ERROR = 500
_STATUS_WORDS = {
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
    request = Request(
        method="POST",
        url=f"mcp://{quote(server, safe='')}/{quote(tool, safe='')}",
        headers=(("Content-Type", "application/json"),),
        body=canonical_json(table(params, "arguments", _WHO)).encode("utf-8", "backslashreplace"),
        timeout_s=timeout(params, _WHO),
    )
    response = send_patiently(request, send, clock)
    said = answered(response)
    if not succeeded(response):
        return _unreached(request, response, said, {"server": server, "tool": tool})
    return result_of(said, server, tool)


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


def result_of(said: Answered, server: str, tool: str) -> NodeOutput:
    """Return the outputs for a JSON-RPC response.

    The result is its structured content, else its texts, parsed if they are JSON. The fields of an object without a
    truthy ``error`` also become separate outputs.
    """
    where = {"server": server, "tool": tool}
    rpc = said.body if isinstance(said.body, dict) else {"result": said.body}
    if rpc.get("error"):
        return _failed(f"MCP tool failed: {_protocol_words(rpc['error'])}", {**where, "timeout": False}, said)
    result = rpc.get("result", rpc if "jsonrpc" not in rpc else None)
    value = _value(result)
    outputs: JsonObject = {"result": value, f"{server}_{tool}_result": value}
    if isinstance(result, dict) and result.get("isError") is True:
        failed = _failed(_error_words(result, value), {**where, "is_tool_error": True}, said)
        return NodeOutput(outputs={**outputs, **failed.outputs}, noticed=failed.noticed, answered=said)
    if isinstance(value, dict) and not value.get("error"):
        own = {key: item for key, item in value.items() if not key.startswith(("_", "is_"))}
        outputs = {**own, **outputs}
    return NodeOutput(outputs=outputs, answered=said)


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


def _error_words(result: JsonObject, value: Json) -> str:
    """Return the tool's own error message, unchanged."""
    blocks = result.get("content")
    texts = [block.get("text") for block in blocks if isinstance(block, dict)] if isinstance(blocks, list) else []
    said = "\n".join(words for words in texts if isinstance(words, str) and words)
    if said:
        return said
    return value if isinstance(value, str) and value else "Tool execution failed"


def _protocol_words(error: Json) -> str:
    if isinstance(error, dict):
        return str(error.get("message") or error.get("code") or "protocol error")
    return error if isinstance(error, str) else json.dumps(error, ensure_ascii=False)


def _unreached(request: Request, response: Response, said: Answered, where: JsonObject) -> NodeOutput:
    """Return the outputs if there was no JSON-RPC response: the server was unreachable, or its transport refused."""
    seconds = request.timeout_s or 0
    if response.fault == "timeout":
        words = f"MCP tool timed out after {seconds:g} seconds"
    elif response.fault is not None:
        words = fault_words(response, f"MCP server {where['server']}", seconds)
    elif response.status >= _SERVER_ERROR:
        words = f"Server error (HTTP {response.status}). The server encountered an error."
    else:
        words = _STATUS_WORDS.get(response.status) or f"HTTP error {response.status}: {_head(said.body)}"
    kind: ObservationKind = "mcp" if response.fault is None else "transport"
    failed = _failed(f"MCP tool failed: {words}", {**where, "timeout": response.fault == "timeout"}, said)
    return NodeOutput(
        outputs=failed.outputs, noticed=Observed(kind=kind, message=failed.outputs["error"]), answered=said
    )


def _failed(message: str, details: JsonObject, said: Answered) -> NodeOutput:
    outputs = {"error": message, "error_details": details}
    return NodeOutput(outputs=outputs, noticed=Observed(kind="mcp", message=message), answered=said)


def _head(body: Json) -> str:
    said = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
    return said[:200]


NODE = NodeType(
    type="mcp",
    spec=NodeSpec(
        params=frozenset({"server", "tool", "arguments", "timeout"}),
        required=frozenset({"server", "tool"}),
        outputs=None,
    ),
    run=run,
)

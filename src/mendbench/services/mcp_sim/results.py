"""JSON-RPC responses: results and failures in the format of each profile."""

from __future__ import annotations

import json

from mendbench.model.exchange import Response
from mendbench.model.json import Json, JsonObject
from mendbench.services.json_api.schema import Violation
from mendbench.services.mcp_sim.arguments import composio_message, jsonschema_message, pydantic_message, zod_message
from mendbench.services.mcp_sim.spec import Server, Tool
from mendbench.services.wire import json_response

INVALID_PARAMS, METHOD_NOT_FOUND, INTERNAL_ERROR = -32602, -32601, -32603
"""JSON-RPC 2.0 section 5.1."""


def result(body: JsonObject, elapsed_ms: int) -> Response:
    """Return a JSON-RPC result. Ids are always 1, because counted ids would make equal responses differ."""
    return json_response(200, {"jsonrpc": "2.0", "id": 1, "result": body}, elapsed_ms=elapsed_ms)


def error(code: int, message: str, elapsed_ms: int, data: Json = None) -> Response:
    """Return a JSON-RPC error."""
    body: JsonObject = {"code": code, "message": message, **({"data": data} if data is not None else {})}
    return json_response(200, {"jsonrpc": "2.0", "id": 1, "error": body}, elapsed_ms=elapsed_ms)


def success(server: Server, value: Json, elapsed_ms: int) -> Response:
    """Return a tool's result. A text is unchanged; everything else becomes JSON."""
    if server.profile == "wrapper":
        return _wrapped({"successful": True, "error": None, "data": value}, elapsed_ms)
    text = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
    body: JsonObject = {"content": [{"type": "text", "text": text}]}
    if server.structured:
        body["structuredContent"] = value if isinstance(value, dict) else {"result": value}
    return result({**body, "isError": False} if server.sdk != "typescript" else body, elapsed_ms)


def failure(server: Server, tool: Tool, message: str, status: int, log_id: str, elapsed_ms: int) -> Response:
    """Return the failure of a tool that executed, or of the API behind it."""
    if server.profile == "protocol":
        return error(INTERNAL_ERROR, message, elapsed_ms)
    if server.profile == "wrapper":
        return _refused(message, status, log_id, elapsed_ms)
    return _tool_error(
        f"Error executing tool {tool.name}: {message}" if server.sdk == "fastmcp" else message, elapsed_ms
    )


def unknown_tool(server: Server, name: str, elapsed_ms: int) -> Response:
    """Return the error for an unknown tool."""
    if server.profile == "protocol":
        mark = "MCP error -32601: " if server.unknown_tool == METHOD_NOT_FOUND else ""
        return error(server.unknown_tool, f"{mark}Unknown tool: {name}", elapsed_ms)
    if server.profile == "wrapper" or server.sdk == "typescript":
        return _tool_error(f"MCP error {INVALID_PARAMS}: Tool {name} not found", elapsed_ms)
    return _tool_error(f"Unknown tool: {name}", elapsed_ms)


def invalid_arguments(
    server: Server, tool: Tool, violations: list[Violation], log_id: str, elapsed_ms: int
) -> Response:
    """Return the error for invalid arguments."""
    if server.profile == "wrapper":
        return _refused(composio_message(violations), 400, log_id, elapsed_ms)
    if server.profile == "tool_errors" and server.sdk == "fastmcp":
        return _tool_error(f"Error executing tool {tool.name}: {pydantic_message(tool, violations)}", elapsed_ms)
    if server.sdk == "python":
        message = f"Input validation error: {jsonschema_message(violations)}"
    else:
        prefix = f"MCP error {INVALID_PARAMS}: Input validation error: Invalid arguments for tool {tool.name}"
        message = f"{prefix}: {zod_message(violations)}"
    return (
        error(INVALID_PARAMS, message, elapsed_ms) if server.profile == "protocol" else _tool_error(message, elapsed_ms)
    )


def _tool_error(text: str, elapsed_ms: int) -> Response:
    return result({"content": [{"type": "text", "text": text}], "isError": True}, elapsed_ms)


def _refused(message: str, status: int, log_id: str, elapsed_ms: int) -> Response:
    body = {"data": {"status_code": status}, "successful": False, "error": message, "log_id": log_id}
    return _wrapped(body, elapsed_ms)


def _wrapped(body: JsonObject, elapsed_ms: int) -> Response:
    return result({"content": [{"type": "text", "text": json.dumps(body, ensure_ascii=False)}]}, elapsed_ms)

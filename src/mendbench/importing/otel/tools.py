"""Tool calls in OpenTelemetry traces: MCP client spans, and ``execute_tool`` spans of the conventions for generative AI.

Semantic conventions, "Model Context Protocol" and "Execute tool span" (development). Arguments and result are opt-in there. The names
``mcp.tool.name`` and ``mcp.server.name`` come from drafts and are still written by Sentry and AWS.
"""

from __future__ import annotations

import re
from urllib.parse import quote

from mendbench.importing.interface import Dropped, FoundExchange, body_bytes
from mendbench.importing.otel.faults import fault_of
from mendbench.importing.otel.spans import Span
from mendbench.io.canonical_json import canonical_json
from mendbench.io.json_documents import parse_json
from mendbench.model.exchange import Response
from mendbench.model.json import Json, JsonObject
from mendbench.runtime.nodes.interface import json_request

_TOOL = ("gen_ai.tool.name", "mcp.tool.name")
_SERVER = ("mcp.server.name", "service.peer.name", "peer.service", "server.address")
"""The name comes first: a workflow calls a server by its name. ``peer.service`` is the earlier form of ``service.peer.name``."""
_CALL, _EXECUTE = "tools/call", "execute_tool"
_ARGUMENTS, _RESULT = "gen_ai.tool.call.arguments", "gen_ai.tool.call.result"
_CODE = "rpc.response.status_code"
_TOOL_ERROR = "tool_error"
"""``error.type`` of a call whose result has ``isError``."""

_RPC_ERROR = re.compile(r"-\d+")
"""Error codes of JSON-RPC 2.0 (section 5.1) are negative; a positive ``error.type`` is an HTTP status."""

_JSON = (("content-type", "application/json"),)


def is_tool_call(span: Span) -> bool:
    """Return whether a span is a tool call of a client."""
    called = span.attributes.get("mcp.method.name") == _CALL or span.attributes.get("gen_ai.operation.name") == _EXECUTE
    return called and span.kind in {"client", "internal", ""}


def tool_exchange(span: Span) -> FoundExchange | Dropped:
    """Return the MCP exchange of a tool call: the request that the ``mcp`` node sends for it, and the JSON-RPC response."""
    tool, server = span.text(*_TOOL), span.text(*_SERVER)
    what = f"{span.place} {server}/{tool}"
    if not tool or not server:
        lacking = "the MCP server" if tool else "the tool"
        return Dropped(what=what, why=f"the span does not name {lacking}")
    try:
        arguments = _parsed(span.attributes.get(_ARGUMENTS))
    except ValueError:
        return Dropped(what=what, why="its arguments are no JSON, or were cut")
    if not isinstance(arguments, dict):
        return Dropped(what=what, why=f"the span does not hold its arguments ({_ARGUMENTS})")
    request = json_request(f"mcp://{quote(server, safe='')}/{quote(tool, safe='')}", arguments)
    return FoundExchange(place=span.place, request=request, response=_response(span))


def _response(span: Span) -> Response | None:
    """Return the response; None if the span does not contain it."""
    error = span.text("error.type")
    code = next((code for code in (span.text(_CODE), error) if _RPC_ERROR.fullmatch(code)), None)
    rpc: JsonObject = {"jsonrpc": "2.0", "id": 1}
    if code is not None:
        rpc["error"] = {"code": int(code), "message": span.message or code}
    elif (result := span.first(_RESULT)) is not None:
        rpc["result"] = _result(result, failed=error == _TOOL_ERROR)
    elif error == _TOOL_ERROR and span.message:
        rpc["result"] = _result(span.message, failed=True)
    else:
        fault = fault_of(span)
        return Response(status=0, fault=fault, elapsed_ms=span.elapsed_ms) if fault else None
    return Response(status=200, headers=_JSON, body=body_bytes(rpc), elapsed_ms=span.elapsed_ms)


def _result(value: Json, *, failed: bool) -> JsonObject:
    """Return a ``CallToolResult``: the captured one, or one with the captured content."""
    try:
        inner = _parsed(value)
    except ValueError:
        inner = value
    if isinstance(inner, dict) and isinstance(inner.get("content"), list) and all(map(_is_block, inner["content"])):
        result = dict(inner)
    elif isinstance(inner, list) and inner and all(map(_is_block, inner)):
        result = {"content": inner}
    else:
        text = value if isinstance(value, str) else canonical_json(inner)
        result = {"content": [{"type": "text", "text": text}]}
        if isinstance(inner, dict) and not failed:
            result["structuredContent"] = inner
    return {**result, "isError": True} if failed else result


def _is_block(value: Json) -> bool:
    return isinstance(value, dict) and value.get("type") in {"text", "image", "audio", "resource", "resource_link"}


def _parsed(value: Json) -> Json:
    """Return a value that a span holds structured, or as JSON text."""
    return parse_json(value) if isinstance(value, str) else value

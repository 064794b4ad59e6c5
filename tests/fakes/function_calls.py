"""A model that calls functions, and the MCP server that they belong to."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mendbench.model.exchange import Request, Response
from tests.fakes.engine import FakeWorld, rpc, said

LISTING = "POST mcp://clock/tools/list"
MODEL = "POST model://small/chat"
NOW = "POST mcp://clock/now"
SCHEMA = {"type": "object", "properties": {"zone": {"type": "string"}}, "required": ["zone"]}
TOOLS = [
    {"name": "now", "description": "Return the time.", "inputSchema": SCHEMA, "title": "Now"},
    {"name": "set.alarm"},
    {"name": "set-alarm", "description": 7, "inputSchema": "none"},
]


def calling(*calls: tuple[str, object], text: str | None = None, **usage: int) -> Response:
    """A chat completion that calls functions: name, and arguments as the model writes them."""
    wanted = [
        {"id": f"random-{at}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for at, (name, arguments) in enumerate(calls)
    ]
    message = {"role": "assistant", "content": text, "tool_calls": wanted}
    return said({"choices": [{"message": message, "finish_reason": "tool_calls"}], "usage": usage})


def tool_result(text: str, *, failed: bool = False) -> Response:
    """A tool's answer in words."""
    return rpc({"content": [{"type": "text", "text": text}], "isError": failed})


def clock_world(
    model: Sequence[Response] | Callable[[Request], Response], now: Response | Sequence[Response] | None = None
) -> FakeWorld:
    """A world with the server ``clock`` and the model ``small``."""
    return FakeWorld({LISTING: rpc({"tools": TOOLS}), MODEL: model, NOW: now or tool_result("noon")})

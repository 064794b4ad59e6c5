"""The alternative form of an MCP call: the type ``mcp-<server>-<tool>``, whose parameters are the tool's arguments."""

from __future__ import annotations

MCP = "mcp"


def tool_in(node_type: str) -> tuple[str, str] | None:
    """Return the server and the tool that a type names, or None if it does not name them.

    The server name ends at the first hyphen, because tool names may contain hyphens. Call a server with a hyphen in its
    name through the type ``mcp``.
    """
    base, _, rest = node_type.partition("-")
    server, _, tool = rest.partition("-")
    return (server, tool) if base == MCP and server and tool else None

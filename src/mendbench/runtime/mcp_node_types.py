"""The second spelling of an MCP call: the type ``mcp-<server>-<tool>``, whose parameters are the tool's arguments."""

from __future__ import annotations

MCP = "mcp"


def tool_in(node_type: str) -> tuple[str, str] | None:
    """Return the server and the tool that a type names, or None if it names none.

    The server ends at the first hyphen, for tools' names have hyphens too; a server that has one in its name can be
    called with the type ``mcp`` only.
    """
    base, _, rest = node_type.partition("-")
    server, _, tool = rest.partition("-")
    return (server, tool) if base == MCP and server and tool else None

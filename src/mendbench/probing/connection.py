"""One session with an MCP server: its tools and its answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from mendbench.model.json import JsonObject

START_S, CALL_S = 20.0, 10.0
"""How long a server may take to start, and to answer a call, in seconds."""
MOST_PAGES = 50
"""Pages of a list of tools that are read."""


class Lost(Exception):
    """The server gave no answer; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerInfo:
    """What a server says about itself."""

    name: str = ""
    version: str = ""


class Connection(Protocol):
    """A session with a server."""

    @property
    def info(self) -> ServerInfo:
        """What the server says about itself."""

    def list_tools(self) -> list[JsonObject]:
        """Return all pages of its list of tools.

        Raises:
            Lost: it gave no answer, or an error.
        """

    def call(self, tool: str, arguments: JsonObject) -> JsonObject:
        """Return the JSON-RPC response to a call.

        Raises:
            Lost: it gave no answer.
        """

    def close(self) -> None:
        """End the session and all processes of the server."""

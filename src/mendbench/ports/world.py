"""The exchange port: all effects of nodes and repairers go through it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeAlias, runtime_checkable

from mendbench.model.exchange import Exchange, Request, Response


class World(Protocol):
    """The services that a node can reach, for one scope: a trial or one clean run."""

    def send(self, request: Request, *, node: str | None = None) -> Response:
        """Return the world's response, redacted, as the recording contains it or will contain it.

        Transport faults are responses too (``Response.fault``). Advances the clock by the response's ``elapsed_ms``.

        Raises:
            ReplayMiss: there is no recorded response, and live requests are not permitted.
        """

    def traffic(self) -> tuple[Exchange, ...]:
        """Return all exchanges of this scope so far, redacted, in order."""

    def begin_execution(self) -> None:
        """Start the next execution of the trial for the following exchanges (``Exchange.phase``)."""


class Service(Protocol):
    """A simulated API: pure, in-process, with its state passed in and out.

    A request changed it if the state after differs from the state before. A state with ``counters: {writes: n}`` counts its own changes.
    Then only this count is compared, so that counting requests is not an effect.
    """

    @property
    def name(self) -> str:
        """What it is called in options, keys and reports."""

    @property
    def hosts(self) -> tuple[str, ...]:
        """Hosts that it serves, compared without port. For ``mcp://server/tool`` the server's name."""

    def seed(self) -> dict[str, object]:
        """Return its seed data, which a case's ``state`` is merged over (RFC 7396)."""

    def response(self, state: dict[str, object], request: Request, now_ms: int) -> tuple[dict[str, object], Response]:
        """Return the state after ``request`` and the response. The state passed in is unchanged."""


@runtime_checkable
class Canonicalizing(Protocol):
    """A service that accepts equivalent forms of one request."""

    def canonical(self, request: Request) -> Request | None:
        """Return the normalised form of ``request``, or None if there is none. Never raises.

        It leaves out what has no effect on the result, according to the API's documentation. Scoring compares this form; keys do not. The
        request is redacted.
        """


@runtime_checkable
class ClassifiesReads(Protocol):
    """A live or real world that distinguishes reads from writes better than by the method."""

    def reads(self, request: Request) -> bool | None:
        """Return whether ``request``, which was just sent, changed nothing; None if unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StdioServer:
    """An MCP server with the stdio transport: one process for each scope."""

    command: tuple[str, ...]
    """The program that starts it, and its arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamableServer:
    """A running MCP server with the streamable HTTP transport: one session for each scope."""

    url: str
    """Its endpoint, such as ``http://127.0.0.1:8123/mcp``."""


Reach: TypeAlias = str | StdioServer | StreamableServer
"""How to reach a real server: its base URL for HTTP, or the transport of an MCP server."""


class RealWorld(Protocol):
    """A real server that runs locally during recording. Replay never starts it."""

    @property
    def name(self) -> str:
        """What it is called in options, keys and reports."""

    @property
    def hosts(self) -> tuple[str, ...]:
        """Hosts that it serves: for ``mcp://server/tool`` the server's name."""

    def start(self) -> Reach:
        """Start it, or its dependencies, and return the address behind its hosts, such as ``http://127.0.0.1:8123``."""

    def reset(self, state: dict[str, object]) -> None:
        """Reset its data to the seed, with the case's ``state`` merged over it.

        An MCP server's previous process or session has already ended, and a new one starts afterwards.
        """

    def stop(self) -> None:
        """Stop it."""

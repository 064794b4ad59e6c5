"""The exchange port: the one way on which an effect leaves a node or a repairer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeAlias, runtime_checkable

from mendbench.model.exchange import Exchange, Request, Response


class World(Protocol):
    """What a node can reach, for one scope: a trial, or one clean run."""

    def send(self, request: Request, *, node: str | None = None) -> Response:
        """Return the world's response, redacted, as it stands or will stand in the recording.

        Transport faults are answers too (``Answer.fault``). Moves the clock by the response's ``elapsed_ms``.

        Raises:
            ReplayMiss: no recording answers it, and nothing may be asked live.
        """

    def traffic(self) -> tuple[Exchange, ...]:
        """Return all exchanges of this scope so far, redacted, in order."""

    def begin_execution(self) -> None:
        """Say that the next exchanges belong to the next execution of the trial (``Exchange.phase``)."""


class Service(Protocol):
    """A simulated API: pure, in-process, with its state passed in and out.

    A request changed it if the state after differs from the state before. A state that holds ``counters: {writes: n}``
    counts its changes itself: there the count alone is compared, and what merely counts requests is no effect.
    """

    @property
    def name(self) -> str:
        """What it is called in options, keys and reports."""

    @property
    def hosts(self) -> tuple[str, ...]:
        """Hosts that it answers for, compared without port. For ``mcp://server/tool`` the server's name."""

    def seed(self) -> dict[str, object]:
        """Return its seed data, which a case's ``state`` is merged over (RFC 7396)."""

    def response(self, state: dict[str, object], request: Request, now_ms: int) -> tuple[dict[str, object], Response]:
        """Return the state after ``request`` and the response. The state passed in is left as it was."""


@runtime_checkable
class TellsMeaning(Protocol):
    """A service that takes several spellings of one request."""

    def canonical(self, request: Request) -> Request | None:
        """Return ``request`` in the one spelling of all that mean the same, or None where it has none. Never raises.

        It leaves out what the API's documentation says makes no difference to the result. Scoring compares by it; keys
        never do. The request is redacted.
        """


@runtime_checkable
class TellsReads(Protocol):
    """A live world, or a real one, that knows more of its requests than their methods tell."""

    def reads(self, request: Request) -> bool | None:
        """Return whether ``request``, which was just asked, changed nothing; None where it cannot tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StdioServer:
    """An MCP server that is spoken to over its standard input and output: one process for each scope."""

    command: tuple[str, ...]
    """The program that starts it, and its arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamableServer:
    """An MCP server that runs, and is spoken to over streamable HTTP: one session for each scope."""

    url: str
    """Its endpoint, such as ``http://127.0.0.1:8123/mcp``."""


Reach: TypeAlias = str | StdioServer | StreamableServer
"""What a real server is reached by: the base URL of one that speaks HTTP, or how an MCP server is spoken to."""


class RealWorld(Protocol):
    """A real server run locally while recording. Replay never starts it."""

    @property
    def name(self) -> str:
        """What it is called in options, keys and reports."""

    @property
    def hosts(self) -> tuple[str, ...]:
        """Hosts that it answers for: for ``mcp://server/tool`` the server's name."""

    def start(self) -> Reach:
        """Start it, or what it needs, and return what its hosts stand for, such as ``http://127.0.0.1:8123``."""

    def reset(self, state: dict[str, object]) -> None:
        """Bring its data to the seed, with the case's ``state`` merged over it.

        An MCP server's process or session of the scope before has ended by then, and a new one begins after it.
        """

    def stop(self) -> None:
        """Stop it."""

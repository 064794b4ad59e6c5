"""The exchange port: the one way on which an effect leaves a node or a repairer."""

from __future__ import annotations

from typing import Protocol

from mendbench.model.exchange import Answer, Exchange, Request


class World(Protocol):
    """What a node can reach, for one scope: a trial, or one clean run."""

    def send(self, request: Request, *, node: str | None = None) -> Answer:
        """Return the world's answer, redacted, as it stands or will stand in the recording.

        Transport faults are answers too (``Answer.fault``). Moves the clock by the answer's ``elapsed_ms``.

        Raises:
            ReplayMiss: no recording answers it, and nothing may be asked live.
        """

    def traffic(self) -> tuple[Exchange, ...]:
        """Return all exchanges of this scope so far, redacted, in order."""

    def begin_execution(self) -> None:
        """Say that the next exchanges belong to the next execution of the trial (``Exchange.phase``)."""


class Service(Protocol):
    """A simulated API: pure, in-process, with its state passed in and out."""

    @property
    def name(self) -> str:
        """What it is called in options, keys and reports."""

    @property
    def hosts(self) -> tuple[str, ...]:
        """Hosts that it answers for, compared without port. For ``mcp://server/tool`` the server's name."""

    def seed(self) -> dict[str, object]:
        """Return its seed data, which a case's ``state`` is merged over (RFC 7396)."""

    def answer(self, state: dict[str, object], request: Request, now_ms: int) -> tuple[dict[str, object], Answer]:
        """Return the state after ``request`` and the answer. The state passed in is left as it was."""


class RealWorld(Protocol):
    """A real server run locally while recording. Replay never starts it."""

    @property
    def name(self) -> str:
        """What it is called in options, keys and reports."""

    @property
    def hosts(self) -> tuple[str, ...]:
        """Hosts that it answers for."""

    def start(self) -> str:
        """Start it and return the base URL that its hosts map to, such as ``http://127.0.0.1:8123``."""

    def reset(self, state: dict[str, object]) -> None:
        """Bring its data to the seed, with the case's ``state`` merged over it."""

    def stop(self) -> None:
        """Stop it."""

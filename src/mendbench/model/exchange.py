"""Exchanges: the requests of a node or a repairer to the world, and the world's responses.

HTTP calls, MCP calls (``mcp://server/tool``), shell commands (``shell://sandbox/``), files (``file://sandbox/path``)
and models (``model://name/chat``) all have this shape, so that they share one recording and one replay.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Headers: TypeAlias = tuple[tuple[str, str], ...]
"""Header names and values in the order sent. Names are case-insensitive."""

Fault: TypeAlias = Literal["timeout", "refused", "reset", "dns", "tls", "truncated"]
"""Why there was no complete response."""

Origin: TypeAlias = Literal["recorded", "derived", "live"]
"""Where a response came from: a cassette, a simulated service that the cassette did not cover, or a live recording."""

MODEL_SCHEME = "model://"
"""The URL prefix of a model."""

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods that change nothing (RFC 9110 section 9.2.1, less TRACE)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request, before redaction when it is sent and after it when it is stored."""

    method: str
    url: str
    headers: Headers = ()
    body: bytes = b""
    timeout_s: float | None = None
    """The sender's timeout, seconds. Not part of the key."""

    def header(self, name: str) -> str | None:
        """Return the first value of that header, or None."""
        return find_header(self.headers, name)

    @property
    def is_model_request(self) -> bool:
        """Whether it is a model request: it goes to a model, which has no state."""
        return self.url.startswith(MODEL_SCHEME)

    @property
    def safe(self) -> bool:
        """Whether its method promises that it changes nothing: a safe HTTP method, or the listing of an MCP server's tools.

        :attr:`Exchange.changed` has its actual effect.
        """
        return self.method in SAFE_METHODS or (self.url.startswith("mcp://") and self.url.endswith("/tools/list"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """One response. With a ``fault``, ``status`` is 0 and the body is what arrived before the fault."""

    status: int
    headers: Headers = ()
    body: bytes = b""
    elapsed_ms: int = 0
    """How long it took. Replay advances the virtual clock by this time."""
    fault: Fault | None = None

    def header(self, name: str) -> str | None:
        """Return the first value of that header, or None."""
        return find_header(self.headers, name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One request and its response, both redacted, as a trial's evidence."""

    request: Request
    response: Response
    origin: Origin
    key: str
    """Digest of (method, URL, body, after, n): see :mod:`mendbench.cassettes.keys`."""
    accepted: bool
    """Whether the request succeeded: a 2xx without a failure in its body."""
    node: str | None = None
    """The node that sent it, if the sender names it."""
    phase: int = 0
    """The execution of the trial that it belongs to: 0 is the first, n follows attempt n."""
    changed: bool = False
    """Whether it changed the world's state, as far as the world reports it. A model request never does."""
    meaning: Request | None = None
    """The request as normalised by its service; None if the service has no normalised form of it."""

    @property
    def wrote(self) -> bool:
        """Whether the request succeeded and changed the world's state."""
        return self.accepted and self.changed

    @property
    def only_read(self) -> bool:
        """Whether it read the world's state without changing it. The same request may get another response later.

        A refused write may be accepted when it is sent again. A model's response does not depend on the world.
        """
        return not self.changed and (self.accepted or self.request.safe) and not self.request.is_model_request

    @property
    def spellings(self) -> tuple[Request, ...]:
        """The request as sent and, if known, as normalised by its service."""
        return (self.request,) if self.meaning is None else (self.request, self.meaning)


def find_header(headers: Headers, name: str) -> str | None:
    """Return the first value of the header ``name`` (case-insensitive), or None."""
    wanted = name.lower()
    return next((value for key, value in headers if key.lower() == wanted), None)

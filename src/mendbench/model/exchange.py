"""Exchanges: what a node or a repairer asks of the world, and what the world answers.

HTTP calls, MCP calls (``mcp://server/tool``), shell commands (``shell://sandbox/``), files (``file://sandbox/path``)
and models (``model://name/chat``) all have this one shape, so that one recording and one replay serve them all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Headers: TypeAlias = tuple[tuple[str, str], ...]
"""Header names and values in the order sent. Names compare without case."""

Fault: TypeAlias = Literal["timeout", "refused", "reset", "dns", "tls", "truncated"]
"""Why no whole response came."""

Origin: TypeAlias = Literal["recorded", "derived", "live"]
"""Where a response came from: a cassette, a simulated service that the cassette did not cover, or a recording under way."""

MODEL_SCHEME = "model://"
"""How the address of a model begins."""

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
    """How long the sender would wait, seconds. No part of the key."""

    def header(self, name: str) -> str | None:
        """Return the first value of that header, or None."""
        return find_header(self.headers, name)

    @property
    def is_model_request(self) -> bool:
        """Whether it is a model request: it goes to a model, and to nothing that has a state."""
        return self.url.startswith(MODEL_SCHEME)

    @property
    def safe(self) -> bool:
        """Whether its method promises that it changes nothing: a safe HTTP method, or the listing of an MCP server's tools.

        What it really did, the exchange knows: see :attr:`Exchange.changed`.
        """
        return self.method in SAFE_METHODS or (self.url.startswith("mcp://") and self.url.endswith("/tools/list"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """One answer. With a ``fault``, ``status`` is 0 and the body is what had come by then."""

    status: int
    headers: Headers = ()
    body: bytes = b""
    elapsed_ms: int = 0
    """How long it took. Replay moves the virtual clock by it."""
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
    """Whether the world did what was asked: a 2xx that does not carry a failure in its body."""
    node: str | None = None
    """The node that sent it, as far as the sender says."""
    phase: int = 0
    """Which execution of the trial it belongs to: 0 is the first, n follows attempt n."""
    changed: bool = False
    """Whether it changed the world's state, as far as the world itself tells. Asking a model never does."""
    meaning: Request | None = None
    """The request in its service's one spelling for all that mean the same; None where the service has none for it."""

    @property
    def wrote(self) -> bool:
        """Whether the world did what was asked, and is another one since."""
        return self.accepted and self.changed

    @property
    def only_read(self) -> bool:
        """Whether it told how the world is and changed nothing in it: asked again, it may tell something else.

        A write that was refused may be accepted when it is sent again, and what a model says hangs on no world.
        """
        return not self.changed and (self.accepted or self.request.safe) and not self.request.is_model_request

    @property
    def spellings(self) -> tuple[Request, ...]:
        """The request as it was sent and, where that is known, as its service means it."""
        return (self.request,) if self.meaning is None else (self.request, self.meaning)


def find_header(headers: Headers, name: str) -> str | None:
    """Return the first value of the header ``name``, compared without case, or None."""
    wanted = name.lower()
    return next((value for key, value in headers if key.lower() == wanted), None)

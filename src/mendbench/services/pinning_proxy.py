"""A proxy between a recording and a real server on this machine. It makes the server's responses deterministic.

A server shows dates, random ids, versions and paths that differ each time. The proxy forwards each request and applies the server's
declared :class:`Pins` to the response. A second recording is then equal to the first, except for response times.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar, TypeAlias
from urllib.parse import urlsplit

from mendbench.model.exchange import Headers

PATIENCE_S = 55.0
"""Timeout for the server behind the proxy, seconds: less than a recording waits."""

_HOP = frozenset(
    {"connection", "keep-alive", "transfer-encoding", "content-length", "te", "upgrade", "proxy-connection"}
)
"""Hop-by-hop headers (RFC 9110 section 7.6.1)."""
_BODILESS = frozenset({204, 304})
"""Statuses whose responses never have a body (RFC 9110 section 6.4.1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pins:
    """The variable parts of a response, and their fixed replacements."""

    headers: Mapping[str, str | None]
    """Lower-case header name to its fixed value, if the header is present; null removes the header."""
    texts: tuple[tuple[re.Pattern[str], str], ...] = ()
    """Patterns and their replacements, in bodies and in the values of other headers."""
    rewritten: Callable[[str], str] | None = None
    """Rewrites a body after the patterns, for example sorts what is in random order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """A request as the proxy received it."""

    method: str
    target: str
    """Path and query."""
    host: str
    """As the sender wrote it, without a port."""
    headers: Headers
    body: bytes


Prepare: TypeAlias = Callable[[Incoming], Incoming]
"""Returns the request to forward. It may call the server first."""


def with_header(asked: Incoming, name: str, value: str) -> Incoming:
    """Return a request with one header set, in place of its own of that name."""
    others = tuple(header for header in asked.headers if header[0].lower() != name.lower())
    return replace(asked, headers=(*others, (name, value)))


def pinned_headers(headers: Headers, pins: Pins) -> Headers:
    """Return a response's headers with the pins applied."""
    kept: list[tuple[str, str]] = []
    for name, value in headers:
        low = name.lower()
        if low in _HOP:
            continue
        fixed = pins.headers[low] if low in pins.headers else pinned_text(value, pins)
        if fixed is not None:
            kept.append((name, fixed))
    return tuple(kept)


def pinned_body(body: bytes, pins: Pins) -> bytes:
    """Return a response's body with the pins applied. A body that is not UTF-8 is unchanged."""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return body
    pinned = pinned_text(text, pins)
    return (pinned if pins.rewritten is None else pins.rewritten(pinned)).encode()


def pinned_text(text: str, pins: Pins) -> str:
    """Return ``text`` with each pattern of the pins replaced."""
    for pattern, fixed in pins.texts:
        text = pattern.sub(fixed, text)
    return text


def ask_server(base: str, asked: Incoming) -> tuple[int, str, Headers, bytes]:
    """Return the server's unmodified response: status, reason, headers and body.

    Raises:
        OSError, HTTPException: the server gave no response.
    """
    to = urlsplit(base)
    line = HTTPConnection(to.hostname or "", to.port or 80, timeout=PATIENCE_S)
    try:
        line.putrequest(asked.method, asked.target, skip_host=True, skip_accept_encoding=True)
        for name, value in asked.headers:
            if name.lower() not in _HOP and name.lower() != "accept-encoding":
                line.putheader(name, value)
        line.putheader("Content-Length", str(len(asked.body)))
        line.putheader("Connection", "close")
        line.endheaders(asked.body)
        response = line.getresponse()
        return response.status, response.reason, tuple(response.getheaders()), response.read()
    finally:
        line.close()


@dataclass(slots=True)
class Front:
    """Listens on a free port of the loopback interface from ``open`` to ``close``.

    ``pins`` and ``behind`` (the server's base URL) may change while it is open. So a restarted server keeps the same
    proxy address.
    """

    pins: Pins
    behind: str = ""
    prepare: Prepare | None = None
    _server: ThreadingHTTPServer | None = field(default=None, init=False)

    def open(self) -> str:
        """Start listening, and return the proxy's own base URL."""
        handler = type("_Passing", (_Handler,), {"front": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        """Stop listening. Does nothing if it is not listening."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def response(self, asked: Incoming) -> tuple[int, str, Headers, bytes]:
        """Return the server's response, pinned.

        Raises:
            OSError, HTTPException: the server gives no response.
        """
        sent = asked if self.prepare is None else self.prepare(asked)
        status, reason, headers, body = ask_server(self.behind, sent)
        return status, reason, pinned_headers(headers, self.pins), pinned_body(body, self.pins)


class _Handler(BaseHTTPRequestHandler):
    """Forwards each request, whatever its method."""

    protocol_version = "HTTP/1.1"
    front: ClassVar[Front]

    def _pass_on(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        host = self.headers.get("Host", "").rpartition(":")[0] or self.headers.get("Host", "")
        asked = Incoming(
            method=self.command, target=self.path, host=host.lower(), headers=tuple(self.headers.items()), body=body
        )
        try:
            status, reason, headers, pinned = self.front.response(asked)
        except (OSError, HTTPException):
            self.close_connection = True  # without a response from the server, close the connection to the sender
            return
        self.send_response_only(status, reason)
        for name, value in headers:
            self.send_header(name, value)
        if status not in _BODILESS:
            self.send_header("Content-Length", str(len(pinned)))
        self.end_headers()
        if self.command != "HEAD" and status not in _BODILESS:
            self.wfile.write(pinned)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = _pass_on  # noqa: N815 - the names that the base class looks for

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Print nothing: the recording contains the requests."""

"""HTTP on the loopback interface: raw requests, given responses, and connections that end without a response."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol

from mendbench.model.exchange import Request, Response

ELAPSED, CHANGED, ADDED = "Mendbench-Elapsed-Ms", "Mendbench-Changed", "Mendbench-Added"
"""Response headers: how long the response took on the virtual clock, whether the world has changed since, and which headers belong only
to the connection."""

HOP = frozenset(
    {
        "host", "connection", "proxy-connection", "keep-alive", "transfer-encoding", "te", "trailer", "upgrade", "content-length",
        "proxy-authorization", "expect", "http2-settings",
    }
)  # fmt: skip
"""Headers of a connection and of a message's length (RFC 9110 section 7.6.1, RFC 7540 section 3.2.1): not part of a request here."""
_NO_BODY = frozenset({204, 304})
_TOO_LARGE, _LONGEST_BODY = 413, 64 * 1024 * 1024
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A response and the facts about it that its headers report."""

    response: Response
    changed: bool = False
    about_world: bool = True


class Owner(Protocol):
    """Produces the responses."""

    def response(self, request: Request) -> Said | None:
        """Return the response; None to send nothing."""

    def stray(self, host: str) -> None:
        """Record a host that was requested outside the world."""


class Loopback(ThreadingHTTPServer):
    """A server on a free port of the loopback interface."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, owner: Owner, listener: socket.socket | None = None) -> None:
        """Listen; on ``listener`` if it is given, which may belong to another network."""
        super().__init__(("127.0.0.1", 0), _Handler, bind_and_activate=listener is None)
        if listener is not None:
            self.socket.close()
            self.socket = listener
            self.server_address = listener.getsockname()
        self.owner = owner

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log nothing: a program may disconnect in the middle of a response."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Loopback

    def __getattr__(self, name: str) -> Callable[[], None]:
        """Accept any method (RFC 9110 section 9): the base class looks for ``do_`` and its name."""
        if name.startswith("do_"):
            return self._any
        raise AttributeError(name)

    def do_CONNECT(self) -> None:
        """Refuse a tunnel: its content could not be recorded."""
        self.server.owner.stray(self.path.rpartition(":")[0])
        self.close_connection = True
        self.send_response_only(502, "Past the world")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_words: Any) -> None:
        """Log nothing."""

    def _any(self) -> None:
        body = self._body()
        if body is None:
            self.close_connection = True
            self.send_response_only(_TOO_LARGE)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        result = self.server.owner.response(
            Request(method=self.command.upper(), url=self.path, headers=tuple(self.headers.items()), body=body)
        )
        if result is None or (result.response.fault is not None and result.response.fault != "truncated"):
            self.close_connection = True
            return
        self._say(result)

    def _body(self) -> bytes | None:
        """Return the body of a request, None if it is too long."""
        if "chunked" in (self.headers.get("transfer-encoding") or "").lower():
            body = bytearray()
            for chunk in _chunks(self.rfile):
                body += chunk
                if len(body) > _LONGEST_BODY:
                    return None
            return bytes(body)
        length = self.headers.get("content-length") or "0"
        if not length.isdigit() or int(length) > _LONGEST_BODY:
            return None
        return self.rfile.read(int(length))

    def _say(self, result: Said) -> None:
        response = result.response
        self.send_response_only(response.status or 200)
        names = {name.lower() for name, _ in response.headers}
        for name, value in response.headers:
            if name.lower() not in HOP and not (
                name.lower() == "content-encoding" and not response.body.startswith(_GZIP)
            ):
                self.send_header(name, _one_line(value))
        whole = b"" if response.status in _NO_BODY or self.command == "HEAD" else response.body
        if response.status not in _NO_BODY:
            self.send_header("Content-Length", str(len(whole) + (1 if response.fault == "truncated" else 0)))
        if result.about_world:
            self.send_header(ELAPSED, str(response.elapsed_ms))
            self.send_header(CHANGED, "true" if result.changed else "false")
            self.send_header(ADDED, "" if "content-length" in names else "content-length")
        self.end_headers()
        self.wfile.write(whole)
        if response.fault == "truncated":
            self.close_connection = True


def _chunks(stream: Any) -> Iterator[bytes]:
    """Yield the chunks of a chunked body (RFC 9112 section 7.1)."""
    size = 1
    while size > 0:
        line = stream.readline(1024).split(b";")[0].strip()
        try:
            size = int(line, 16)
        except ValueError:
            return
        yield stream.read(min(max(size, 0), _LONGEST_BODY + 1))
        stream.readline(1024)


def _one_line(value: str) -> str:
    return " ".join(value.encode("latin-1", "replace").decode("latin-1").splitlines()) if value else value

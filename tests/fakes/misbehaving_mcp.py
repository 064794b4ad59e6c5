"""An MCP server over HTTP on this machine that misbehaves: what it does to each tool call is written down."""

from __future__ import annotations

import contextlib
import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.client import HTTPMessage, parse_headers
from typing import Any, BinaryIO, TypeAlias

from tests.fakes.misbehaving import Behaviour, http, sends

Reply: TypeAlias = Callable[[Any], Behaviour]
"""From the id of a JSON-RPC request to what is done about it."""


def whatever(behaviour: Behaviour) -> Reply:
    """Return a reply that does not name the request."""
    return lambda _number: behaviour


def result_of(number: object, result: object) -> bytes:
    """Return a JSON-RPC answer."""
    return json.dumps({"jsonrpc": "2.0", "id": number, "result": result}).encode()


def texts(*said: str) -> Reply:
    """Return a reply that is a tool's result with these texts."""
    content = [{"type": "text", "text": each} for each in said]
    return lambda number: sends(as_json(result_of(number, {"content": content})))


def as_json(body: bytes, status: str = "200 OK", **headers: str) -> bytes:
    """Return a response's bytes whose body is called JSON."""
    return http(status, body, Content_Type="application/json", **headers)


@dataclass(frozen=True, kw_only=True)
class Reached:
    """The server as a test sees it."""

    url: str
    connected: threading.Event
    """Set when a client has said that it is connected, before that is answered."""
    heard: list[str] = field(default_factory=list)
    """The methods of all messages that came, in order."""


@contextlib.contextmanager
def misbehaving_mcp(
    calls: Sequence[Reply],
    *,
    first: Sequence[Reply] = (),
    leaves: bool = False,
    tls: Sequence[ssl.SSLContext] = (),
    host: str = "127.0.0.1",
) -> Iterator[Reached]:
    """Yield a server whose tool calls are replied to so, the last reply for ever.

    ``first`` is what is said to the first requests to initialize. With ``leaves``, nobody listens any more once a
    client is connected. The first of ``tls`` is shown until then, the last from then on.
    """
    listening = socket.create_server(("127.0.0.1", 0))
    url = f"http{'s' if tls else ''}://{host}:{listening.getsockname()[1]}/mcp"
    reached = Reached(url=url, connected=threading.Event())
    server = _Server(listening=listening, reached=reached, calls=calls, first=first, leaves=leaves, tls=tls)
    accepting = threading.Thread(target=server.accept, daemon=True)
    accepting.start()
    try:
        yield reached
    finally:
        server.closing.set()
        server.stop_listening()
        for thread in [accepting, *server.threads]:
            thread.join(5)
        listening.close()


@dataclass(frozen=True, kw_only=True)
class _Server:
    listening: socket.socket
    reached: Reached
    calls: Sequence[Reply]
    first: Sequence[Reply]
    leaves: bool
    tls: Sequence[ssl.SSLContext]
    closing: threading.Event = field(default_factory=threading.Event)
    threads: list[threading.Thread] = field(default_factory=list)

    def accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                line, _ = self.listening.accept()
                self.threads.append(threading.Thread(target=self.attend, args=(line,), daemon=True))
                self.threads[-1].start()

    def stop_listening(self) -> None:
        """Refuse connections, and end the thread that waits for one: closing alone does neither."""
        with contextlib.suppress(OSError):
            self.listening.shutdown(socket.SHUT_RDWR)

    def attend(self, line: socket.socket) -> None:
        with contextlib.suppress(OSError), contextlib.ExitStack() as held:
            held.enter_context(contextlib.closing(line))
            line.settimeout(30)
            if self.tls:
                shown = self.tls[-1 if self.reached.connected.is_set() else 0]
                line = held.enter_context(contextlib.closing(shown.wrap_socket(line, server_side=True)))
            asked = _read(held.enter_context(line.makefile("rb")))
            if asked is not None:
                self.reply_to(asked)(line, self.closing)

    def reply_to(self, asked: Mapping[str, Any]) -> Behaviour:
        number, kind = asked.get("id"), asked["method"]
        self.reached.heard.append(kind)
        times = self.reached.heard.count(kind)
        if kind == "initialize":
            return self.first[times - 1](number) if times <= len(self.first) else _welcome(asked)
        if kind == "tools/call":
            return self.calls[min(times, len(self.calls)) - 1](number)
        if kind == "notifications/initialized":
            self.reached.connected.set()
            if self.leaves:
                self.stop_listening()
        return sends(http("202 Accepted" if number is None else "404 Not Found"))


def _welcome(asked: Mapping[str, Any]) -> Behaviour:
    version = asked["params"]["protocolVersion"]
    initialized = {
        "protocolVersion": version,
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "demo", "version": "1"},
    }
    return sends(as_json(result_of(asked["id"], initialized)))


def _read(line: BinaryIO) -> Mapping[str, Any] | None:
    """Return the JSON-RPC message of a POST, None of anything else."""
    if not line.readline().startswith(b"POST "):
        return None
    headers: HTTPMessage = parse_headers(line)
    message: Mapping[str, Any] = json.loads(line.read(int(headers["Content-Length"])))
    return message

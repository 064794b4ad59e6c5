"""What stands behind a front in place of a real server: it keeps what it was asked, and answers as configured."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import util
from pathlib import Path
from typing import Any

import pytest


@dataclass
class Asked:
    """One request, as it arrived."""

    line: str
    """Method and target."""
    headers: dict[str, str]
    body: bytes


@dataclass
class Said:
    """One answer."""

    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""


@dataclass
class Behind:
    """The server: ``answers`` may be changed at any time."""

    base: str
    responses: Callable[[Asked], Said] = field(default=lambda _asked: Said())
    asked: list[Asked] = field(default_factory=list)


@contextlib.contextmanager
def behind() -> Iterator[Behind]:
    """Yield a server on the loopback interface, which listens until the end."""

    class Handler(BaseHTTPRequestHandler):
        def _response(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            asked = Asked(f"{self.command} {self.path}", {k.lower(): v for k, v in self.headers.items()}, body)
            served.asked.append(asked)
            said = served.responses(asked)
            self.send_response_only(said.status)
            for name, value in said.headers:
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(said.body)

        do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = _response  # noqa: N815  the standard library's names

        def log_message(self, *_words: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        served = Behind(base=f"http://127.0.0.1:{server.server_address[1]}")
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield served
        finally:
            server.shutdown()
            thread.join()


@dataclass
class Program:
    """In place of :class:`mendbench.services.local_server.LocalServer`: starts nothing."""

    base: str
    starts: list[dict[str, str]] = field(default_factory=list)
    """The environment of each start."""
    stops: int = 0

    def start(self, code: str, *words: str, log: Path, environ: dict[str, str]) -> str:
        """Remember the environment, and give back the address."""
        assert log.parent.is_dir()
        self.starts.append(dict(environ))
        return self.base

    def stop(self) -> None:
        """Count it."""
        self.stops += 1


@contextlib.contextmanager
def started(world: Any, served: Behind, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Yield the world of a real server, started in front of a fake one, as if its package were installed."""
    monkeypatch.setattr(util, "find_spec", lambda _name: object())
    world._server = Program(served.base)
    world.start()
    yield world
    world.stop()

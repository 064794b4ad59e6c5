"""Servers and programs that mean harm while a recording is made: by name, what they do, and what has to come of it."""

from __future__ import annotations

import contextlib
import functools
import gzip
import logging
import os
import socket
import sys
import tempfile
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import httpx2

from mendbench.cassettes.recordings import Recordings
from mendbench.errors import BadInput, Incomplete
from mendbench.io.virtual_clock import VirtualClock
from mendbench.live.chat_model import ChatCaller
from mendbench.live.http_wire import Deadline, WireTransport
from mendbench.live.mcp_servers import McpLive
from mendbench.live.sandbox_files import FileLive
from mendbench.live.world import MAX_BODY, HttpLive
from mendbench.model.exchange import Request, Response
from mendbench.repairers.programs import CommandCaller
from mendbench.replay.world import ScopedWorld
from mendbench.secrets.redaction import Redactor
from qa.torture.hostile_responses import URLS

PATIENCE_S = 1.0
LATE_S = 8.0
"""What a machine that is busy may add to it."""

ASK = {"model": "m", "messages": [{"role": "user", "content": "x"}], "params": {}}
OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"

Speaking = Callable[[socket.socket], None]


def _endless(head: bytes, part: bytes, pause_s: float = 0.0) -> Speaking:
    def speak(to: socket.socket) -> None:
        to.sendall(head)
        while True:
            to.sendall(part)
            time.sleep(pause_s)

    return speak


def _once(said: bytes) -> Speaking:
    return lambda to: to.sendall(said)


def _bombed(coding: bytes, size: int, times: int = 0) -> Speaking:
    """Send zeros, packed when somebody asks for them, and packed again so many times."""

    def speak(to: socket.socket) -> None:
        body = _bomb(size)
        for _ in range(times):
            body = gzip.compress(body)
        to.sendall(_coded(coding, body))

    return speak


@functools.cache
def _bomb(size: int) -> bytes:
    packed = zlib.compressobj(9, zlib.DEFLATED, 31)
    return b"".join([*(packed.compress(bytes(1_000_000)) for _ in range(size // 1_000_000)), packed.flush()])


def _coded(coding: bytes, body: bytes) -> bytes:
    return OK + b"Content-Encoding: " + coding + b"\r\nContent-Length: %d\r\n\r\n" % len(body) + body


BIG = b"x" * 65536
CHUNK = b"%x\r\n" % len(BIG) + BIG + b"\r\n"

SPEAKING: dict[str, Speaking] = {
    "a body of 100 MB": _endless(OK + b"Content-Length: 100000000\r\n\r\n", BIG),
    "a body without an end": _endless(OK + b"Connection: close\r\n\r\n", BIG),
    "chunks without an end": _endless(CHUNKED, CHUNK),
    "empty extensions of chunks without an end": _endless(CHUNKED + b"1;", b"a=b;" * 1000),
    "a byte at a time": _endless(OK + b"Content-Length: 1000000\r\n\r\n", b"x", 0.05),
    "a header a byte at a time": _endless(OK + b"X: ", b"x", 0.05),
    "headers without an end": _endless(OK, b"X-Filler: " + b"x" * 1000 + b"\r\n"),
    "one header without an end": _endless(OK + b"X: ", BIG),
    "a status without an end": _endless(b"HTTP/1.1 200 ", BIG),
    "nothing, ever": _endless(b"", b"", 0.05),
    "interim answers without an end": _endless(b"", b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"),
    "1 GB in 1 MB of gzip": _bombed(b"gzip", 1_000_000_000),
    "gzip in gzip": _bombed(b"gzip, gzip", 100_000_000, 1),
    "a gzip file of 1 GB": _bombed(b"identity", 1_000_000_000),
    "gzip files in gzip files": _bombed(b"identity", 500_000_000, 2),
    "brotli that nobody asked for": _once(_coded(b"br", b"\x1b\xff\xff" * 1000)),
    "zstd that nobody asked for": _once(_coded(b"zstd", b"\x28\xb5\x2f\xfd" * 1000)),
    "a coding of its own": _once(_coded(b"x" * 5000, b"x")),
    "broken gzip": _once(_coded(b"gzip", b"\x1f\x8b" + os.urandom(1000))),
    "a redirect to itself": _once(OK.replace(b"200 OK", b"302 Found") + b"Location: /\r\nContent-Length: 0\r\n\r\n"),
    "a redirect elsewhere": _once(OK.replace(b"200 OK", b"307 X") + b"Location: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n"),
    "1,000 cookies": _once(OK + b"Set-Cookie: a=b\r\n" * 1000 + b"Content-Length: 0\r\n\r\n"),
    "a length below nothing": _once(OK + b"Content-Length: -1\r\n\r\nx"),
    "a length beyond numbers": _once(OK + b"Content-Length: " + b"9" * 5000 + b"\r\n\r\nx"),
    "two lengths": _once(OK + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx"),
    "no HTTP": _once(b"\x16\x03\x01" + os.urandom(300)),
    "half a response": _once(OK + b"Content-Length: 10\r\n\r\nhalf"),
    "nothing and good-bye": _once(b""),
    "deep JSON": _once(OK + b"Content-Length: 2000000\r\n\r\n" + b"[" * 1_000_000 + b"]" * 1_000_000),
    "a long number": _once(OK + b"Content-Length: 1000000\r\n\r\n" + b"9" * 1_000_000),
}  # fmt: skip


def servers() -> Iterator[tuple[str, Callable[[], str | None]]]:
    """Yield every attempt with its name."""
    for name, speaking in SPEAKING.items():
        yield f"an API: {name}", partial(_api, speaking)
        yield f"a model's server: {name}", partial(_model, speaking)
    for name, program in PROGRAMS.items():
        yield f"a repairer's program: {name}", partial(_program, program)
        yield f"an MCP server: {name}", partial(_mcp, program)
    for name in (
        "a body of 100 MB",
        "chunks without an end",
        "1 GB in 1 MB of gzip",
        "a byte at a time",
        "nothing, ever",
    ):
        yield f"an MCP server over HTTP: {name}", partial(_far, SPEAKING[name])
    yield "hosts that are not declared", _undeclared
    yield "names that lead inside", _inside
    yield "proxies of the environment", _proxies
    yield "files outside the sandbox folder", _files


@contextlib.contextmanager
def listening(speaking: Speaking) -> Iterator[str]:
    """Yield the address of a server that answers whoever connects so."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def response(to: socket.socket) -> None:
            with to, contextlib.suppress(OSError):
                to.recv(65536)
                speaking(to)

        def accept() -> None:
            with contextlib.suppress(OSError):
                while True:
                    threading.Thread(target=response, args=(server.accept()[0],), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def _api(speaking: Speaking) -> str | None:
    with listening(speaking) as base:
        live = HttpLive({"api.test": base}, patience_s=PATIENCE_S)
        began = time.monotonic()
        response = live.send(Request(method="GET", url="https://api.test/x"))
        took = time.monotonic() - began
        live.close()
    Redactor({"key": "only-for-this"}).response(response)
    if took > PATIENCE_S + LATE_S:
        return f"it took {took:.1f} s"
    if len(response.body) > MAX_BODY:
        return f"{len(response.body):,} bytes were taken in"
    whole = response.fault is None and response.status in (200, 302, 307)
    return None if whole or (response.status == 0 and response.fault is not None) else f"it is {response!r:.200}"


def _model(speaking: Speaking) -> str | None:
    with listening(speaking) as base:
        caller = ChatCaller(base_url=base, timeout_s=PATIENCE_S, attempts=2, sleep=lambda _s: None)
        began = time.monotonic()
        try:
            caller.send(ASK)
        except (BadInput, Incomplete) as error:
            took = time.monotonic() - began
            too_long = len(str(error)) > 2000 or "\n" in str(error)
            return f"it is reported in {str(error)[:2000]!r}" if too_long or took > 2 * PATIENCE_S + LATE_S else None
    return "its response was recorded"


PROGRAMS = {
    "a line without an end": "import sys\nwhile True: sys.stdout.write('x' * 65536)",
    "lines without an end": "import sys\nwhile True: sys.stdout.write('x' * 60 + '\\n')",
    "complaints without an end": "import sys\nwhile True: sys.stderr.write('x' * 65536)",
    "silence": "import signal; signal.pause()",
    "notifications without an end": 'while True: print(\'{"jsonrpc": "2.0", "method": "notifications/progress", "params": {}}\', flush=True)',
    "closed ears": "import sys, time; sys.stdin.close(); sys.stdout.write('x'); sys.stdout.flush(); time.sleep(60)",
    "deaf to the end": "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: time.sleep(1)",
}


def _program(program: str) -> str | None:
    caller = CommandCaller(argv=(sys.executable, "-S", "-c", program), timeout_s=PATIENCE_S)
    began = time.monotonic()
    try:
        caller.send(ASK)
    except Incomplete:
        took = time.monotonic() - began
        return None if took < PATIENCE_S + LATE_S else f"it took {took:.1f} s"
    return "it was taken for a response"


def _mcp(program: str) -> str | None:
    return _asked_mcp([sys.executable, "-S", "-c", program])


def _far(speaking: Speaking) -> str | None:
    with listening(speaking) as base:
        return _asked_mcp(base)


def _asked_mcp(server: object) -> str | None:
    logging.disable(logging.CRITICAL)
    live = McpLive({"tools": server}, patience_s=PATIENCE_S)
    began = time.monotonic()
    try:
        response: Response | None = live.send(Request(method="GET", url="mcp://tools/tools/list"))
    except BadInput:
        response = None
    live.close()
    took = time.monotonic() - began
    if took > 10 * PATIENCE_S + 2 * LATE_S:  # the SDK asks more than once, and gives a server time to end
        return f"it took {took:.1f} s"
    return None if response is None or response.fault is not None else f"it was taken for a response: {response!r:.200}"


class _Listening:
    """A live world that keeps what it was asked, and asks it."""

    def __init__(self, http: HttpLive) -> None:
        self.http = http
        self.asked: list[str] = []

    def serves(self, request: Request) -> bool:
        return True

    def resets(self, request: Request) -> bool:
        return False

    def send(self, request: Request) -> Response:
        self.asked.append(request.url)
        return self.http.send(request)


def _undeclared() -> str | None:
    """Ask all spellings of other hosts while recording, and say which of them went out to another host than the declared one."""
    said: list[str] = []

    def noting(who: str) -> Speaking:
        def note(to: socket.socket) -> None:
            said.append(who)
            to.sendall(OK + b"Content-Length: 0\r\n\r\n")

        return note

    with tempfile.TemporaryDirectory() as folder, listening(noting("other")) as base, listening(noting("desk")) as desk:
        port = base.rpartition(":")[2]
        http = HttpLive({"desk.kelpforest.example": desk}, patience_s=PATIENCE_S, outside=True)
        urls = [
            *URLS,
            *(url.replace("/", f":{port}/", 3).replace(f":{port}/:{port}/", "//") for url in URLS[1:8]),
            f"{base}/",
            "https://desk.kelpforest.example/right",
        ]
        for url in urls:
            live = _Listening(http)
            world = ScopedWorld(
                recordings=Recordings.open(Path(folder)), services={}, hosts={"desk.kelpforest.example": "desk"},
                redactor=Redactor({}), clock=VirtualClock(), mode="new_episodes", live=live,
            )  # fmt: skip
            with contextlib.suppress(ValueError):
                world.send(Request(method="GET", url=url))
            if live.asked and not _declared(live.asked[0]):
                return f"{url!r} was asked"
        http.close()
    if "desk" not in said:
        return "the declared host was not reached either"
    return "a server of this machine was reached" if "other" in said else None


def _declared(url: str) -> bool:
    """Return whether the HTTP client, too, reads the declared host in it, or nothing that it could ask."""
    try:
        return httpx2.URL(url).host in {"desk.kelpforest.example", ""}
    except httpx2.InvalidURL:
        return True


INSIDE = ("127.0.0.1", "127.8.8.8", "::1", "169.254.169.254", "fe80::1", "fe80::1%eth0", "0.0.0.0", "::", "::ffff:127.0.0.1", "224.0.0.1", "no address")  # fmt: skip


def _inside() -> str | None:
    """Resolve a declared name to addresses of this machine and its link, and say which of them was connected to."""
    reached: list[str] = []

    def note(to: socket.socket) -> None:
        reached.append("yes")
        to.sendall(OK + b"Content-Length: 0\r\n\r\n")

    with listening(note) as base:
        port = int(base.rpartition(":")[2])
        resolved: list[str] = []
        transport = WireTransport(Deadline(), outside=True, resolve=lambda _host, _port: tuple(resolved))
        with httpx2.Client(transport=transport, trust_env=False, timeout=PATIENCE_S) as client:
            for address in INSIDE:
                resolved[:] = [address]
                with contextlib.suppress(httpx2.ConnectError):
                    client.get(f"http://rebound.example:{port}/")
                    return f"{address} was connected to"
    return "this machine was reached" if reached else None


def _proxies() -> str | None:
    """Name a proxy in every variable that has one, and say whether it was asked."""
    asked: list[str] = []

    def note(to: socket.socket) -> None:
        asked.append("yes")
        to.sendall(OK + b"Content-Length: 0\r\n\r\n")

    with listening(note) as proxy, listening(_once(OK + b"Content-Length: 2\r\n\r\nok")) as base:
        os.environ.update(
            dict.fromkeys(("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "HTTPS_PROXY", "https_proxy"), proxy)
        )
        os.environ.pop("REQUEST_METHOD", None)
        response = HttpLive({}, patience_s=30).send(Request(method="GET", url=f"{base}/"))
    return "the proxy was asked" if asked or response.body != b"ok" else None


def _files() -> str | None:
    """Lay links and pipes into a sandbox folder, and say what they lead to."""
    with tempfile.TemporaryDirectory() as parent:
        folder, outside = Path(parent) / "sandbox", Path(parent) / "outside"
        folder.mkdir()
        outside.write_text("kept")
        (folder / "link").symlink_to(outside)
        (folder / "zero").symlink_to("/dev/zero")
        (folder / "self").symlink_to("self")
        (folder / "up").symlink_to("..")
        os.mkfifo(folder / "pipe")
        with (folder / "holes").open("wb") as sparse:
            sparse.truncate(10**12)
        live = FileLive(folder)
        for path in (
            "link",
            "zero",
            "self",
            "up/outside",
            "pipe",
            "holes",
            "%2e%2e/outside",
            "..%2foutside",
            "x%00y",
            "a/" * 3000,
        ):
            for method in ("GET", "PUT"):
                if (path, method) == ("holes", "PUT"):
                    continue
                response = live.send(Request(method=method, url=f"file://sandbox/{path}", body=b"changed"))
                if response.status < 400:
                    return f"{method} {path[:40]} answers {response.status}"
        return None if outside.read_text() == "kept" else "a file outside was changed"

"""A session with a server over stdio, within limits on time, memory and output (MCP 2025-06-18, Transports).

It uses no SDK: a server that breaks the protocol is examined as it is.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from typing import IO, cast

from mendbench.io.json_documents import parse_json
from mendbench.model.json import JsonObject
from mendbench.probing.connection import CALL_S, MOST_PAGES, START_S, Lost, ServerInfo
from mendbench.process.pipe_io import TAIL_BYTES, close_pipes, kill_group, start_group
from mendbench.process.supervisor import PAGES, STARTED, STATE, descendants, is_same, processes
from mendbench.version import __version__

MAX_MESSAGE = 4_000_000
"""Bytes of one message of a server."""
MAX_MESSAGES = 2_000
"""Messages and other lines of a server between a request and its response."""
MAX_MEMORY_MB = 2_048
"""Resident memory of all processes of a server."""

_PROTOCOL = "2025-06-18"
_METHOD_NOT_FOUND = -32601
_ZOMBIE = "Z"
_POLL_S, _WEIGH_EVERY_S = 0.2, 0.5
_END_S, _PAUSE_S = 2.0, 0.005
"""How long the end of killed processes is awaited, and the pause between two checks, in seconds."""
_CHUNK = 65536
_SHOWN = 120
_MEGABYTE = 1024 * 1024


class StdioSession:
    """A server that is started by a command; :meth:`close` ends it with all its processes."""

    def __init__(
        self,
        argv: Sequence[str],
        environ: Mapping[str, str] | None,
        *,
        cwd: str | None = None,
        start_s: float = START_S,
        call_s: float = CALL_S,
    ) -> None:
        """Start it.

        Raises:
            Lost: it cannot be started, or does not answer ``initialize``.
            BadInput: the system has no process groups.
        """
        self._call_s, self._number, self._weighed = call_s, 0, time.monotonic()
        self._out, self._err, self._noise = bytearray(), bytearray(), ""
        try:
            self._process = start_group(argv, environ, subprocess.PIPE, cwd)
        except (OSError, ValueError) as error:
            raise Lost(getattr(error, "strerror", None) or str(error)) from None
        self._stdin, self._stdout, self._stderr = (
            cast("IO[bytes]", pipe) for pipe in (self._process.stdin, self._process.stdout, self._process.stderr)
        )
        os.set_blocking(self._stdin.fileno(), False)
        self._selector = selectors.DefaultSelector()
        for pipe in (self._stdout, self._stderr):
            self._selector.register(pipe, selectors.EVENT_READ)
        try:
            self.info = self._initialised(start_s)
        except BaseException:
            self.close()
            raise

    def list_tools(self) -> list[JsonObject]:
        """Return all pages of its list of tools.

        Raises:
            Lost: it gave no answer, or an error.
        """
        found: list[JsonObject] = []
        cursor = None
        for _ in range(MOST_PAGES):
            response = self._request("tools/list", {"cursor": cursor} if cursor else {}, self._call_s)
            result = response.get("result")
            if not isinstance(result, dict):
                raise Lost(f"tools/list: {json.dumps(response.get('error'), ensure_ascii=False)}")
            listed = result.get("tools")
            found += [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
            cursor = result.get("nextCursor")
            if not isinstance(cursor, str) or not cursor:
                break
        return found

    def call(self, tool: str, arguments: JsonObject) -> JsonObject:
        """Return the JSON-RPC response to a call.

        Raises:
            Lost: it gave no answer.
        """
        return self._request("tools/call", {"name": tool, "arguments": arguments}, self._call_s)

    def close(self) -> None:
        """End the server and all its processes."""
        left = descendants(self._process.pid)
        with contextlib.suppress(PermissionError):
            kill_group(self._process)
        for pid, fields in left.items():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                if is_same(pid, fields):
                    os.kill(pid, signal.SIGKILL)
        self._process.wait()
        deadline = time.monotonic() + _END_S
        while any(_runs(pid, fields) for pid, fields in left.items()) and time.monotonic() < deadline:
            time.sleep(_PAUSE_S)
        self._selector.close()
        close_pipes(self._process)

    def _initialised(self, start_s: float) -> ServerInfo:
        client = {"name": "mendbench", "version": __version__}
        params: JsonObject = {"protocolVersion": _PROTOCOL, "capabilities": {}, "clientInfo": client}
        response = self._request("initialize", params, start_s)
        result = response.get("result")
        if not isinstance(result, dict):
            raise Lost(f"initialize: {json.dumps(response.get('error'), ensure_ascii=False)}")
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"}, time.monotonic() + start_s)
        info = result.get("serverInfo")
        own = info if isinstance(info, dict) else {}
        return ServerInfo(name=str(own.get("name", "")), version=str(own.get("version", "")))

    def _request(self, method: str, params: JsonObject, within_s: float) -> JsonObject:
        """Return the response to a request.

        Raises:
            Lost: there is none.
        """
        self._number += 1
        deadline = time.monotonic() + within_s
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}, deadline)
        for _ in range(MAX_MESSAGES):
            message = self._message(deadline, within_s)
            if message is None:
                continue
            if "method" in message:
                self._refuse(message, deadline)
            elif message.get("id") == self._number:
                return {**message, "id": 1}
        raise self._lost(f"it wrote more than {MAX_MESSAGES:,} lines before its response")

    def _refuse(self, message: JsonObject, deadline: float) -> None:
        """Answer a server's own request: it gets nothing but a ping."""
        if "id" not in message:
            return
        body: JsonObject = {"error": {"code": _METHOD_NOT_FOUND, "message": "Method not found"}}
        body = {"result": {}} if message["method"] == "ping" else body
        self._send({"jsonrpc": "2.0", "id": message["id"], **body}, deadline)

    def _send(self, message: JsonObject, deadline: float) -> None:
        rest = memoryview(json.dumps(message).encode() + b"\n")
        while rest:
            try:
                rest = rest[os.write(self._stdin.fileno(), rest[:_CHUNK]) :]
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise self._lost("it does not read its input") from None
                self._read(0.01)
            except OSError:
                self._read(_POLL_S)
                raise self._lost(self._ending()) from None

    def _message(self, deadline: float, within_s: float) -> JsonObject | None:
        """Return the next message; None for a line that is none."""
        while (end := self._out.find(b"\n")) < 0:
            if len(self._out) > MAX_MESSAGE:
                raise self._lost(f"it wrote more than {MAX_MESSAGE:,} bytes in one line")
            if self._stdout.closed or not self._read(min(_POLL_S, max(0.0, deadline - time.monotonic()))):
                raise self._lost(self._ending())
            if time.monotonic() > deadline:
                raise self._lost(f"no answer within {within_s:g} s")
            if self._memory_mb() > MAX_MEMORY_MB:
                raise self._lost(f"it used more than {MAX_MEMORY_MB:,} MB of memory")
        line = bytes(self._out[:end])
        del self._out[: end + 1]
        try:
            message = parse_json(line.decode("utf-8", "replace"), halves=True)
        except ValueError:
            message = None
        if isinstance(message, dict):
            return message
        self._noise = self._noise or line.decode("utf-8", "replace").strip()[:_SHOWN]
        return None

    def _read(self, wait_s: float) -> bool:
        """Read what is there; return whether standard output is still open."""
        for key, _ in self._selector.select(wait_s):
            chunk = os.read(key.fd, _CHUNK)
            if key.fileobj is self._stderr:
                self._err += chunk
                del self._err[:-TAIL_BYTES]
            else:
                self._out += chunk
            if not chunk:
                self._selector.unregister(key.fileobj)
        return self._stdout in {key.fileobj for key in self._selector.get_map().values()}

    def _memory_mb(self) -> float:
        """Return the resident memory of all its processes; 0 if it was measured a moment ago."""
        if time.monotonic() - self._weighed < _WEIGH_EVERY_S:
            return 0.0
        self._weighed = time.monotonic()
        pid = self._process.pid
        own = {**descendants(pid), **{each: fields for each, fields in processes() if each == pid}}
        return sum(int(fields[PAGES]) for fields in own.values()) * os.sysconf("SC_PAGE_SIZE") / _MEGABYTE

    def _ending(self) -> str:
        """Return how the server ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = self._process.wait(1.0)
            return f"it ended with exit code {code}" if code >= 0 else f"it was ended by signal {-code}"
        return "it closed its output"

    def _lost(self, why: str) -> Lost:
        """Return the error, with what the server last wrote elsewhere."""
        if self._stderr in {key.fileobj for key in self._selector.get_map().values()}:
            self._read(0)
        lines = [line.strip() for line in self._err.decode("utf-8", "replace").splitlines() if line.strip()]
        parts = [why]
        parts += [f"its last line on stderr: {lines[-1]}"] if lines else []
        parts += [f"a line on stdout that is not JSON-RPC: {self._noise}"] if self._noise else []
        return Lost("; ".join(parts))


def _runs(pid: int, fields: list[str]) -> bool:
    """Return whether a process still runs."""
    return any(each == pid and now[STARTED] == fields[STARTED] and now[STATE] != _ZOMBIE for each, now in processes())

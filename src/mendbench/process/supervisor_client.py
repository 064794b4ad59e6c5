"""The client of a supervisor: it runs a command that reaches no host except ours, and whose processes cannot escape."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

from mendbench.model.json import JsonObject
from mendbench.process import supervisor

OPEN, HELD = "open", "held"
"""Networks of a command: the machine's own; a separate one that contains only the world."""

START_S = 20.0
"""How long a supervisor may take to be ready, in seconds."""
END_S = 4.0
"""How long it may take to end the remaining processes, in seconds."""
_CHUNK = 65536
_MOST_LISTENERS = 4


class NotKept(Exception):
    """No supervisor is available, or not with the requested network; the message gives the reason."""


class Supervisor:
    """One supervisor and its command.

    ``heard`` is called with each host that the command looks up.
    """

    def __init__(self, network: str, listeners: int = 0) -> None:
        """Start it with this number of sockets that listen in its network; the code that takes them must close them.

        Raises:
            NotKept: it is not available here.
        """
        self.network = network
        self.heard: Callable[[str], None] = lambda _name: None
        self.code: int | None = None
        self.listeners: tuple[socket.socket, ...] = ()
        self._rest, self._begun, self._ended = b"", False, False
        self._control, theirs = socket.socketpair()
        with theirs:
            words = (supervisor.__file__, str(theirs.fileno()), network, str(listeners))
            self.process = subprocess.Popen(  # noqa: S603  a program of ours
                [sys.executable, "-I", "-S", *words], pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
            )  # fmt: skip
        try:
            self.listeners = self._ready()
        except NotKept:
            self.end()
            raise

    def begin(self, argv: Sequence[str], environ: Mapping[str, str]) -> str | None:
        """Start the command; return why it cannot be run, if it cannot."""
        self._begun = True
        order = json.dumps({"argv": list(argv), "environ": dict(environ)})
        with contextlib.suppress(OSError):
            self._control.sendall(order.encode() + b"\n")
        message = self._next(START_S)
        if message is None or "absent" in message:
            self._begun = False
            return str((message or {}).get("absent") or "what keeps it has ended")
        return None

    def wait(self, timeout_s: float) -> int | None:
        """Return the exit code of the command, negative for the signal that ended it; None if it still runs after that time."""
        until = time.monotonic() + timeout_s
        while self.code is None and (message := self._next(timeout_s)) is not None:
            if "asked" in message:
                self.heard(str(message["asked"]))
            elif "code" in message:
                self.code = int(message["code"])
            if time.monotonic() > until:  # it may look up more hosts than are read before the end
                break
        if self.code is None and self.process.poll() is not None:
            self.code = -signal.SIGKILL
        return self.code

    def processes(self) -> dict[int, list[str]]:
        """Return the command's processes that still run, including the command itself."""
        return supervisor.descendants(self.process.pid)

    def turned_back(self) -> bool:
        """Return whether something was sent to an address that does not exist, in a separate network."""
        if self.network != HELD:
            return False
        folder = Path("/proc") / str(self.process.pid) / "net"
        with contextlib.suppress(OSError, ValueError, IndexError):
            names, values = (
                line.split() for line in (folder / "snmp").read_text().splitlines() if line.startswith("Ip:")
            )
            if int(dict(zip(names, values, strict=True))["OutNoRoutes"]):
                return True
            lines = (line.split() for line in (folder / "snmp6").read_text().splitlines())
            return any(line[0] == "Ip6OutNoRoutes" and int(line[1]) for line in lines)
        return False

    def end(self) -> None:
        """End the command and all processes that it started, once. Its output is left to its reader."""
        if self._ended:
            return
        self._ended = True
        left = self.processes()
        self._control.close()
        try:
            self.process.wait(END_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for pid in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                if supervisor.is_same(pid, left[pid]):
                    os.kill(pid, signal.SIGKILL)
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe is not None and not self._begun:
                pipe.close()

    def _ready(self) -> tuple[socket.socket, ...]:
        self._control.settimeout(START_S)
        try:
            data, numbers, _, _ = socket.recv_fds(self._control, _CHUNK, _MOST_LISTENERS)
        except OSError as error:
            raise NotKept(f"what keeps it does not start: {error}") from None
        sockets = tuple(socket.socket(fileno=number) for number in numbers)
        response = json.loads(data) if data.endswith(b"\n") else {}
        if not response.get("ready"):
            raise NotKept(str(response.get("refused") or "what keeps it does not start"))
        return sockets

    def _next(self, timeout_s: float) -> JsonObject | None:
        """Return its next message, None if there is none within that time."""
        while b"\n" not in self._rest:
            self._control.settimeout(timeout_s)
            try:
                chunk = self._control.recv(_CHUNK)
            except OSError:
                return None
            if not chunk:
                self.process.wait(END_S)
                return None
            self._rest += chunk
        line, _, self._rest = self._rest.partition(b"\n")
        message: JsonObject = json.loads(line)
        return message


@cache
def why_not(network: str) -> str | None:
    """Return why commands cannot be supervised in this way on this machine; None if they can."""
    if not sys.platform.startswith("linux"):
        return "only Linux can"
    try:
        Supervisor(network).end()
    except NotKept as error:
        return str(error)
    except OSError as error:
        return error.strerror or str(error)
    return None


def network_of(wanted: str) -> str:
    """Return the network that a command gets: the machine's own if a separate one is not available."""
    return HELD if wanted == HELD and why_not(HELD) is None else OPEN


def network_record(wanted: str) -> str:
    """Return a record's description of a command's network: ``held``, ``open``, or why it is not held."""
    if wanted != HELD:
        return OPEN
    why = why_not(HELD)
    return HELD if why is None else f"{OPEN}: this machine cannot hold it ({why})"

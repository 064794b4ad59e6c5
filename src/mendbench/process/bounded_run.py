"""Runs one command with limits on time, memory and output, and leaves no process running after it."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal, Protocol, TypeAlias, cast

from mendbench.errors import BadInput
from mendbench.process.pipe_io import TAIL_BYTES, Pipes, Sink, close_pipes, kill_group, start_group
from mendbench.process.supervisor import PAGES, PROC, SESSION, STATE, processes
from mendbench.process.supervisor_client import OPEN, NotKept, Supervisor, why_not

MARK = "MENDBENCH_EXECUTION"
"""The variable that identifies the processes of one execution: every process that a command starts inherits it."""

GRACE_S = 0.5
"""How long the processes that a command started may outlive it, in seconds."""

_POLL_S = 0.02
_WEIGH_EVERY_S = 0.2
_KILOBYTE = 1024

Ending: TypeAlias = Literal["exit", "time", "memory", "output", "processes", "stopped", "absent"]
"""exit: by itself. time, memory, output, processes: it was ended at a limit. stopped: it was ended because it is no longer needed.
absent: it never began."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of one run of a command."""

    time_s: float = 120.0
    memory_mb: int = 2048
    """Resident memory of all its processes together; enforced where ``/proc`` shows it."""
    output_kb: int = 8192
    """Of standard output."""
    processes: int = 512
    """Concurrent processes, including all that it started."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """The result of a command."""

    ending: Ending
    code: int | None = None
    """Its exit code; negative for the signal that ended it."""
    out: bytes = b""
    err: str = ""
    """The end of standard error; if it could not begin, the reason."""
    left: tuple[str, ...] = ()
    """The names of the processes that it left running; they are ended by now."""
    turned_back: bool = False
    """Whether it sent something to an address that does not exist in its network."""


class Patron(Protocol):
    """The caller for which a command works."""

    def stopped(self) -> bool:
        """Return whether the command is no longer needed."""

    def waited_s(self) -> float:
        """Return how long the command has waited for us, in seconds: this time does not count against it."""


class _Nobody:
    def stopped(self) -> bool:
        return False

    def waited_s(self) -> float:
        return 0.0


def run_command(
    argv: Sequence[str],
    environ: Mapping[str, str],
    limits: Limits,
    *,
    mark: str,
    patron: Patron | None = None,
    kept: Supervisor | None = None,
) -> Ran:
    """Run a command in the working folder and return the result. No process that it started keeps running.

    ``kept`` is the supervisor that it runs in; without one it gets its own, where the machine supports it. Without a supervisor, ``mark``
    identifies its processes. An interrupt ends it too.
    """
    try:
        running = _begun(argv, {**environ, MARK: mark}, mark, kept)
    except (OSError, ValueError) as error:
        return Ran(ending="absent", err=getattr(error, "strerror", None) or str(error))
    out, err = Sink(limits.output_kb * _KILOBYTE), Sink(TAIL_BYTES, tail=True)
    with _attended(running, mark, out, err):
        ending, code = _watch(running, limits, out, patron or _Nobody())
        left = _outliving(running) if ending == "exit" else ()
        turned_back = running.turned_back()
    if ending == "exit" and out.over:
        ending = "output"
    messages = err.data.decode("utf-8", "replace")
    return Ran(ending=ending, code=code, out=bytes(out.data), err=messages, left=left, turned_back=turned_back)


class _Running(Protocol):
    """A running command."""

    @property
    def process(self) -> subprocess.Popen[bytes]:
        """The source of its output."""

    def wait(self, timeout_s: float) -> int | None:
        """Return its exit code, None if it still runs after that time."""

    def processes(self) -> Mapping[int, Sequence[str]]:
        """Return its running processes, with the fields of ``/proc/PID/stat``."""

    def turned_back(self) -> bool:
        """Return whether it sent something to an address that does not exist."""

    def end(self) -> None:
        """End it and all processes that it started."""


def _begun(argv: Sequence[str], environ: Mapping[str, str], mark: str, kept: Supervisor | None) -> _Running:
    """Start a command.

    Raises:
        OSError, ValueError: it cannot be run.
    """
    if kept is None and why_not(OPEN) is not None:
        return _Loose(argv, environ, mark)
    try:
        supervisor = Supervisor(OPEN) if kept is None else kept
    except NotKept as error:
        raise OSError(str(error)) from None
    why = supervisor.begin(argv, environ)
    if why is not None:
        _ended(supervisor, mark)
        raise OSError(why)
    return supervisor


def _ended(running: _Running, mark: str) -> None:
    """End a command and all processes that it started, even if it has ended its supervisor first."""
    running.end()
    if running.process.returncode:
        _end(_marked(mark))


class _Loose:
    """A command without a supervisor: its processes are known by its session and its mark, as far as the machine shows them."""

    def __init__(self, argv: Sequence[str], environ: Mapping[str, str], mark: str) -> None:
        self.process = start_group(argv, environ, subprocess.DEVNULL)
        self._mark = mark

    def wait(self, timeout_s: float) -> int | None:
        """Return its exit code, None if it still runs after that time."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.process.wait(timeout_s)
        return None

    def processes(self) -> dict[int, list[str]]:
        """Return the processes of its session, and those that moved into a session of their own."""
        return _marked(self._mark, session=self.process.pid)

    def turned_back(self) -> bool:
        """Return False: the network is the machine's own."""
        return False

    def end(self) -> None:
        """End it and all its known processes."""
        with contextlib.suppress(PermissionError):
            kill_group(self.process)
        self.process.wait()
        _end(self.processes())


def _marked(mark: str, session: int | None = None) -> dict[int, list[str]]:
    """Return the live processes of an execution, with their fields: those of a session, and those with its mark."""
    wanted = f"{MARK}={mark}".encode()
    return {
        pid: stat
        for pid, stat in processes()
        if stat[STATE] not in {"Z", "X"}
        and pid != os.getpid()
        and (int(stat[SESSION]) == session or wanted in _environ(pid).split(b"\0"))
    }


def _end(them: Iterable[int]) -> None:
    for pid in them:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


@contextlib.contextmanager
def _attended(running: _Running, mark: str, out: Sink, err: Sink) -> Iterator[None]:
    """Read a command's outputs in a thread during the block. After it, end the command, read what is left and close the pipes."""
    ended = threading.Event()
    stdout, stderr = (cast("IO[bytes]", pipe) for pipe in (running.process.stdout, running.process.stderr))

    def read() -> None:
        readers = {stdout.fileno(): out.take, stderr.fileno(): err.take}
        with contextlib.suppress(OSError), contextlib.closing(Pipes(readers)) as pipes:
            while pipes.reading and not out.over and not ended.is_set():
                pipes.transfer(_POLL_S)

    thread = threading.Thread(target=read, daemon=True)
    try:
        thread.start()
        yield
    finally:
        _ended(running, mark)
        if thread.ident is not None:  # it has started
            thread.join(GRACE_S)
            ended.set()
            thread.join()
        close_pipes(running.process)


def _watch(running: _Running, limits: Limits, out: Sink, patron: Patron) -> tuple[Ending, int | None]:
    """Wait until the command ends or must be ended. Return the kind of ending and its exit code."""
    began = weighed = time.monotonic()
    while True:
        code = running.wait(_POLL_S)
        if code is not None:
            return ("stopped" if patron.stopped() else "exit"), code
        now = time.monotonic()
        if patron.stopped():
            return "stopped", None
        if out.over:
            return "output", None
        if now - began - patron.waited_s() > limits.time_s:
            return "time", None
        if now - weighed > _WEIGH_EVERY_S:
            weighed = now
            alive = running.processes()
            if _resident_mb(alive) > limits.memory_mb:
                return "memory", None
            if len(alive) > limits.processes:
                return "processes", None


def _outliving(running: _Running) -> tuple[str, ...]:
    """Return the names of the processes that still run some time after their command ended."""
    deadline = time.monotonic() + GRACE_S
    while (left := running.processes()) and time.monotonic() < deadline:
        time.sleep(_POLL_S)
    return tuple(sorted(_named(pid) for pid in left))


def _resident_mb(alive: Mapping[int, Sequence[str]]) -> float:
    pages = sum(int(stat[PAGES]) for stat in alive.values())
    return pages * os.sysconf("SC_PAGE_SIZE") / (_KILOBYTE * _KILOBYTE)


def _environ(pid: int) -> bytes:
    with contextlib.suppress(OSError):
        return (PROC / str(pid) / "environ").read_bytes()
    return b""


def _named(pid: int) -> str:
    with contextlib.suppress(OSError):
        words = (PROC / str(pid) / "cmdline").read_bytes().split(b"\0")
        return Path(words[0].decode("utf-8", "replace")).name or "a process"
    return "a process"


def split_command(text: str, place: str) -> tuple[str, ...]:
    """Return the words of a command line.

    Raises:
        BadInput: it is empty, or has an unclosed quotation.
    """
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise BadInput(place, f"{text!r}: {error}", "write it as for a shell: cmd: program 'an argument'") from None
    if not words:
        raise BadInput(place, "no command", "write it as for a shell: cmd: program 'an argument'")
    return words

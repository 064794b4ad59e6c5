"""Runs one command within bounds: of time, of memory, of what it prints, and with nothing left running after it."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal, Protocol, TypeAlias

from mendbench.errors import BadInput

MARK = "MENDBENCH_EXECUTION"
"""The variable by which the processes of one execution are found again: whatever a command starts inherits it."""

GRACE_S = 0.5
"""How long what a command started may outlive it, seconds."""
TAIL_BYTES = 4096
"""So much of the end of standard error is kept."""

_POLL_S = 0.02
_WEIGH_EVERY_S = 0.2
_PROC = Path("/proc")
_CHUNK = 65536
_KILOBYTE = 1024
_SESSION, _STATE, _PAGES = 3, 0, 21
"""Fields of ``/proc/PID/stat`` after the command's name (proc(5)): state, session, and resident pages."""

Ending: TypeAlias = Literal["exit", "time", "memory", "output", "stopped", "absent"]
"""exit: by itself. time, memory, output: it was ended at a limit. stopped: it was ended because nobody needs it. absent: it never began."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one run of a command may take."""

    time_s: float = 120.0
    memory_mb: int = 2048
    """Of all its processes together, resident; held where ``/proc`` tells it."""
    output_kb: int = 8192
    """Of standard output."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What came of a command."""

    ending: Ending
    code: int | None = None
    """Its exit code; negative for the signal that ended it."""
    out: bytes = b""
    err: str = ""
    """The end of standard error; where it could not begin, why."""
    left: tuple[str, ...] = ()
    """What it left running, by name; ended by now."""


class Patron(Protocol):
    """Whom a command works for."""

    def stopped(self) -> bool:
        """Return whether it is not needed any more."""

    def waited_s(self) -> float:
        """Return how long it has waited for us, seconds: no time of its own."""


class _Nobody:
    def stopped(self) -> bool:
        return False

    def waited_s(self) -> float:
        return 0.0


def run_command(
    argv: Sequence[str], environ: Mapping[str, str], limits: Limits, *, mark: str, patron: Patron | None = None
) -> Ran:
    """Run a command in the working folder and return what came of it. Nothing that it started runs on.

    ``mark`` tells its processes from all others. Interrupting ends it too.
    """
    try:
        process = subprocess.Popen(  # noqa: S603  the operator's own program
            argv, env={**environ, MARK: mark}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True,
        )  # fmt: skip
    except (OSError, ValueError) as error:
        return Ran(ending="absent", err=getattr(error, "strerror", None) or str(error))
    out, err = _Sink(limits.output_kb * _KILOBYTE), _Sink(TAIL_BYTES, tail=True)
    readers = [_reader(process.stdout, out), _reader(process.stderr, err)]
    try:
        ending = _watch(process, limits, out, patron or _Nobody())
        left = _outliving(process.pid, mark) if ending == "exit" else ()
    finally:
        _end(process, mark)
        for reader, pipe in zip(readers, (process.stdout, process.stderr), strict=True):
            reader.join(GRACE_S)
            if pipe is not None:
                pipe.close()
    if ending == "exit" and out.over:
        ending = "output"
    return Ran(ending=ending, code=process.returncode, out=out.data, err=err.data.decode("utf-8", "replace"), left=left)


class _Sink:
    """Takes in what is printed, up to a limit: the beginning, or with ``tail`` the end."""

    def __init__(self, limit: int, *, tail: bool = False) -> None:
        self._limit, self._tail = limit, tail
        self.data, self.over = b"", False

    def take(self, chunk: bytes) -> bool:
        """Return whether more is wanted."""
        joined = self.data + chunk
        if self._tail:
            self.data = joined[-self._limit :]
            return True
        self.over = len(joined) > self._limit
        self.data = joined[: self._limit]
        return not self.over


def _reader(pipe: IO[bytes] | None, sink: _Sink) -> threading.Thread:
    def read() -> None:
        with contextlib.suppress(OSError, ValueError):
            while pipe is not None and (chunk := os.read(pipe.fileno(), _CHUNK)) and sink.take(chunk):
                pass

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    return thread


def _watch(process: subprocess.Popen[bytes], limits: Limits, out: _Sink, patron: Patron) -> Ending:
    """Wait until the command ends, or has to be ended."""
    began = weighed = time.monotonic()
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_POLL_S)
            return "stopped" if patron.stopped() else "exit"
        now = time.monotonic()
        if patron.stopped():
            return "stopped"
        if out.over:
            return "output"
        if now - began - patron.waited_s() > limits.time_s:
            return "time"
        if now - weighed > _WEIGH_EVERY_S:
            weighed = now
            if _resident_mb(process.pid) > limits.memory_mb:
                return "memory"


def _end(process: subprocess.Popen[bytes], mark: str) -> None:
    """End a command and all that it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for pid in _of_execution(process.pid, mark):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def _outliving(session: int, mark: str) -> tuple[str, ...]:
    """Return the names of the processes that are still there some time after their command ended."""
    deadline = time.monotonic() + GRACE_S
    while (left := _of_execution(session, mark)) and time.monotonic() < deadline:
        time.sleep(_POLL_S)
    return tuple(sorted(_named(pid) for pid in left))


def _of_execution(session: int, mark: str) -> list[int]:
    """Return the processes of an execution: those of its session, and those that went into one of their own."""
    marked = f"{MARK}={mark}".encode()
    found = []
    for pid, stat in _processes():
        if stat[_STATE] in {"Z", "X"} or pid == os.getpid():
            continue
        if int(stat[_SESSION]) == session or marked in _environ(pid):
            found.append(pid)
    return found


def _resident_mb(session: int) -> float:
    pages = sum(int(stat[_PAGES]) for _, stat in _processes() if int(stat[_SESSION]) == session)
    return pages * os.sysconf("SC_PAGE_SIZE") / (_KILOBYTE * _KILOBYTE)


def _processes() -> Iterator[tuple[int, list[str]]]:
    """Yield all processes with their fields of ``/proc/PID/stat``; none where there is no such file system."""
    if not _PROC.is_dir():
        return
    for entry in os.listdir(_PROC):  # noqa: PTH208  it is listed many times a second
        if entry.isdigit():
            with contextlib.suppress(OSError):
                said = (_PROC / entry / "stat").read_text("utf-8", "replace")
                yield int(entry), said.rpartition(")")[2].split()


def _environ(pid: int) -> bytes:
    with contextlib.suppress(OSError):
        return (_PROC / str(pid) / "environ").read_bytes()
    return b""


def _named(pid: int) -> str:
    with contextlib.suppress(OSError):
        words = (_PROC / str(pid) / "cmdline").read_bytes().split(b"\0")
        return Path(words[0].decode("utf-8", "replace")).name or "a process"
    return "a process"


def split_command(text: str, place: str) -> tuple[str, ...]:
    """Return the words of a command line.

    Raises:
        BadInput: it has none, or a quotation without an end.
    """
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise BadInput(place, f"{text!r}: {error}", "write it as for a shell: cmd: program 'an argument'") from None
    if not words:
        raise BadInput(place, "no command", "write it as for a shell: cmd: program 'an argument'")
    return words

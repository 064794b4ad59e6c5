"""Runs a program, writes its input and reads its output through pipes, with limits on output and time."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from typing import IO, cast

from mendbench.process.requirements import require_groups

TAIL_BYTES = 4096
"""How many bytes of the end of standard error are kept."""

_CHUNK = 65536
_POLL_S = 0.05


class TooMuchOutput(Exception):
    """A program printed more than the limit."""


class Sink:
    """Collects output up to a limit in bytes: its beginning, or with ``tail`` its end."""

    def __init__(self, limit: int, *, tail: bool = False) -> None:
        self._limit, self._tail = limit, tail
        self.data = bytearray()
        self.over = False
        """Whether there was more than the limit; always False with ``tail``."""

    def take(self, chunk: bytes) -> None:
        """Add a chunk of output."""
        self.data += chunk
        if self._tail:
            del self.data[: -self._limit]
        elif len(self.data) > self._limit:
            self.over = True
            del self.data[self._limit :]


class Pipes:
    """The pipes of a running program. Reading and writing never block. The caller closes the pipes.

    ``readers`` maps a file descriptor to the function that gets the chunks read from it.
    """

    def __init__(self, readers: Mapping[int, Callable[[bytes], object]]) -> None:
        self._selector = selectors.DefaultSelector()
        self._input: IO[bytes] | None = None
        self._rest = memoryview(b"")
        self.reading = set(readers)
        """The file descriptors from which more data may come."""
        for descriptor, take in readers.items():
            self._selector.register(descriptor, selectors.EVENT_READ, take)

    def feed(self, pipe: IO[bytes], data: bytes) -> None:
        """Begin to write ``data`` to the program's standard input, which is closed after it."""
        self._input, self._rest = pipe, memoryview(data)
        os.set_blocking(pipe.fileno(), False)
        self._selector.register(pipe, selectors.EVENT_WRITE)

    def transfer(self, timeout_s: float) -> None:
        """Transfer the available data; wait for some up to ``timeout_s``."""
        for key, _ in self._selector.select(timeout_s):
            if key.fileobj is self._input:
                self._write(self._input)
            elif chunk := os.read(key.fd, _CHUNK):
                key.data(chunk)
            else:
                self._selector.unregister(key.fd)
                self.reading.discard(key.fd)

    def close(self) -> None:
        """Release the selector."""
        self._selector.close()

    def _write(self, pipe: IO[bytes]) -> None:
        try:
            self._rest = self._rest[os.write(pipe.fileno(), self._rest[:_CHUNK]) :]
        except BlockingIOError:
            return
        except OSError:  # the program does not read its input
            self._rest = self._rest[:0]
        if not self._rest:
            self._selector.unregister(pipe)
            pipe.close()


def start_group(
    argv: Sequence[str], environ: Mapping[str, str] | None, stdin: int, cwd: str | None = None
) -> subprocess.Popen[bytes]:
    """Start a program in a session of its own, so that :func:`kill_group` ends its child processes too. Its outputs are pipes.

    Raises:
        BadInput: the system has no process groups.
        OSError, ValueError: it cannot be run.
    """
    require_groups(argv[0])
    return subprocess.Popen(  # noqa: S603  the operator's own program
        argv, env=environ, cwd=cwd, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a program of :func:`start_group` and its child processes, except those in a session of their own.

    Raises:
        PermissionError: the program has another user's rights.
    """
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def close_pipes(process: subprocess.Popen[bytes]) -> None:
    """Close our ends of a program's pipes."""
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with contextlib.suppress(OSError):  # unwritten input has no reader
                pipe.close()


def run_program(argv: Sequence[str], given: bytes, timeout_s: float, limit: int) -> tuple[int, bytes, bytes]:
    """Run a program with that input. Return its exit code, its whole output and the end of its standard error.

    If it exceeds a limit, or on any other exception, it is killed with its child processes, except those in a session of their own.

    Raises:
        BadInput, OSError, ValueError: as :func:`start_group`.
        subprocess.TimeoutExpired, TooMuchOutput: as :func:`communicate`.
    """
    process = start_group(argv, None, subprocess.PIPE)
    try:
        out, err = communicate(process, given, timeout_s, limit)
    except BaseException:
        kill_group(process)
        close_pipes(process)
        process.wait()
        raise
    return process.returncode, out, err


def communicate(process: subprocess.Popen[bytes], given: bytes, timeout_s: float, limit: int) -> tuple[bytes, bytes]:
    """Give a program its input. Return its whole output, and the end of its standard error.

    All three are pipes. The program is left as it is: the caller must end it if this function raises. No thread waits at a pipe after
    that, so the pipes can be closed, even if another process still holds them.

    Raises:
        subprocess.TimeoutExpired: the program, or a process that inherited its pipes, did not end within ``timeout_s``.
        TooMuchOutput: it printed more than ``limit`` bytes.
    """
    out, err = Sink(limit), Sink(TAIL_BYTES, tail=True)
    stdin, stdout, stderr = (cast("IO[bytes]", pipe) for pipe in (process.stdin, process.stdout, process.stderr))
    deadline = time.monotonic() + timeout_s
    with contextlib.closing(Pipes({stdout.fileno(): out.take, stderr.fileno(): err.take})) as pipes:
        pipes.feed(stdin, given)
        while pipes.reading:
            left = deadline - time.monotonic()
            if left < 0:
                raise subprocess.TimeoutExpired(process.args, timeout_s)
            pipes.transfer(left)
            if out.over:
                raise TooMuchOutput
    process.wait(max(deadline - time.monotonic(), _POLL_S))
    close_pipes(process)
    return bytes(out.data), bytes(err.data)

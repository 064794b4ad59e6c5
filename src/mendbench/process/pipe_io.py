"""Communicates with a program through its pipes, with limited output."""

from __future__ import annotations

import os
import selectors
import subprocess
import time
from typing import IO, cast

TAIL = 4096
"""How many bytes of the end of standard error are kept."""

_CHUNK = 65536
_POLL_S = 0.05


class TooMuchOutput(Exception):
    """A program printed more than the limit."""


def communicate(process: subprocess.Popen[bytes], given: bytes, timeout_s: float, most: int) -> tuple[bytes, bytes]:
    """Give a program its input. Return its whole output, and the end of its standard error.

    All three are pipes. The program is left as it is: the caller must end it if this function raises. No thread waits at a pipe after
    that, so the pipes can be closed, even if another process still holds them.

    Raises:
        subprocess.TimeoutExpired: the program, or a process that inherited its pipes, did not end within ``timeout_s``.
        TooMuchOutput: it printed more than ``most`` bytes.
    """
    out, err = _Heard(most), _Heard(TAIL, tail=True)
    into, *outputs = (cast("IO[bytes]", pipe) for pipe in (process.stdin, process.stdout, process.stderr))
    rest, deadline = memoryview(given), time.monotonic() + timeout_s
    with selectors.DefaultSelector() as ready:
        os.set_blocking(into.fileno(), False)
        ready.register(into, selectors.EVENT_WRITE)
        for pipe, heard in zip(outputs, (out, err), strict=True):
            ready.register(pipe, selectors.EVENT_READ, heard)
        while not (out.ended and err.ended):
            left = deadline - time.monotonic()
            if left < 0:
                raise subprocess.TimeoutExpired(process.args, timeout_s)
            for key, _ in ready.select(left):
                if key.fileobj is into:
                    rest = rest[_told(key.fd, rest) :]
                    if not rest:
                        ready.unregister(into)
                        into.close()
                elif not key.data.take(os.read(key.fd, _CHUNK)):
                    ready.unregister(key.fileobj)
    process.wait(max(deadline - time.monotonic(), _POLL_S))
    for pipe in (into, *outputs):
        pipe.close()
    return bytes(out.data), bytes(err.data)


class _Heard:
    """The data from a pipe: its beginning, or with ``tail`` its end."""

    def __init__(self, most: int, *, tail: bool = False) -> None:
        self._most, self._tail = most, tail
        self.data, self.ended = bytearray(), False

    def take(self, chunk: bytes) -> bool:
        """Add a chunk of data; return whether more may come.

        Raises:
            TooMuchOutput: it exceeds the limit.
        """
        self.data += chunk
        if self._tail:
            del self.data[: -self._most]
        elif len(self.data) > self._most:
            raise TooMuchOutput
        self.ended = not chunk
        return not self.ended


def _told(to: int, rest: memoryview) -> int:
    """Return how much input the program took or does not need: all of it if it does not read its input."""
    try:
        return os.write(to, rest[:_CHUNK])
    except BlockingIOError:
        return 0
    except OSError:
        return len(rest)

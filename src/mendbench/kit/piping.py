"""Talking to a program through its pipes, without taking in more than is wanted."""

from __future__ import annotations

import contextlib
import subprocess
import threading
import time
from typing import IO

TAIL = 4096
"""So much of the end of standard error is kept, bytes."""

_CHUNK = 65536
_POLL_S = 0.05


class TooMuchOutput(Exception):
    """A program printed more than is taken in."""


def communicate(process: subprocess.Popen[bytes], given: bytes, timeout_s: float, most: int) -> tuple[bytes, bytes]:
    """Give a program its input and return all that it printed, and the end of what it printed to standard error.

    All three are pipes. The program is left as it is: ending it where this raises is the caller's.

    Raises:
        subprocess.TimeoutExpired: it, or what it left its pipes to, did not end within ``timeout_s``.
        TooMuchOutput: it printed more than ``most`` bytes.
    """
    out, err = _Listener(process.stdout, most), _Listener(process.stderr, TAIL, tail=True)
    told = threading.Thread(target=_tell, args=(process.stdin, given), daemon=True)
    told.start()
    deadline = time.monotonic() + timeout_s
    while out.is_alive() or err.is_alive():
        if out.over:
            raise TooMuchOutput
        if time.monotonic() > deadline:
            raise subprocess.TimeoutExpired(process.args, timeout_s)
        (out if out.is_alive() else err).join(_POLL_S)
    if out.over:
        raise TooMuchOutput
    process.wait(max(deadline - time.monotonic(), _POLL_S))
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
    return bytes(out.data), bytes(err.data)


class _Listener(threading.Thread):
    """Reads a pipe to its end: the beginning of what comes, or with ``tail`` the end."""

    def __init__(self, pipe: IO[bytes] | None, most: int, *, tail: bool = False) -> None:
        super().__init__(daemon=True)
        self._pipe, self._most, self._tail = pipe, most, tail
        self.data, self.over = bytearray(), False
        self.start()

    def run(self) -> None:
        """Read until the end, or until there is too much."""
        with contextlib.suppress(OSError, ValueError):  # it was closed from the other side
            while self._pipe is not None and not self.over and (chunk := self._pipe.read1(_CHUNK)):  # type: ignore[attr-defined]
                self.data += chunk
                if self._tail:
                    del self.data[: -self._most]
                elif len(self.data) > self._most:
                    self.over = True
                    self.data.clear()


def _tell(pipe: IO[bytes] | None, given: bytes) -> None:
    if pipe is not None:
        with contextlib.suppress(OSError, ValueError):  # it does not want to hear it
            pipe.write(given)
        with contextlib.suppress(OSError, ValueError):
            pipe.close()

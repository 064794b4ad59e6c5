"""Something tried in a process of its own, which may take so much time and memory and no more."""

from __future__ import annotations

import os
import pickle
import resource
import select
import signal
import time
import traceback
from collections.abc import Callable
from pathlib import Path

CPU_S = 40
"""Processor time that one attempt may take, seconds; far more than any bound lets it take."""

MEMORY = 1_500_000_000
"""Bytes that it may take beyond what this process has."""

WALL_S = 180
"""Seconds until an attempt that waits for something is given up."""


def isolated(attempt: Callable[[], str | None], *, cpu_s: int = CPU_S, memory: int = MEMORY) -> str | None:
    """Return what went wrong in ``attempt``: what it returns or raises, or that it took too much."""
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reads)
        os.setsid()
        _limit(cpu_s, memory)
        try:
            said: str | None = attempt()
        except BaseException as error:  # noqa: BLE001  it is reported, and the process ends
            said = "".join(traceback.format_exception(error))[-1500:]
        with os.fdopen(writes, "wb") as out:
            pickle.dump(said, out)
        os._exit(0)
    os.close(writes)
    received = _read(reads, time.monotonic() + WALL_S)
    if received is None:
        os.killpg(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    os.close(reads)
    if received is None:
        return f"nothing came of it within {WALL_S} s"
    if not received:
        return f"the process ended with {os.waitstatus_to_exitcode(status)}: too much time or memory"
    found: str | None = pickle.loads(received)
    return found


def _limit(cpu_s: int, memory: int) -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + memory
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    used = int(time.process_time()) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (used + cpu_s, used + cpu_s))


def _read(pipe: int, until: float) -> bytes | None:
    """Return all that comes until the pipe is closed; None if that takes too long."""
    parts: list[bytes] = []
    while (left := until - time.monotonic()) > 0:
        if select.select([pipe], [], [], left)[0]:
            part = os.read(pipe, 65536)
            if not part:
                return b"".join(parts)
            parts.append(part)
    return None

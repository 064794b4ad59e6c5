"""The guard: inside a trial nothing opens a socket or starts a process, except at the rim.

That is a recording, or a command that is the engine (:mod:`mendbench.engines`): all its effects come to a server of ours.

One audit hook (PEP 578), installed with the first trial; outside trials it costs a look-up per audited event. It
covers the context of the trial: a thread that foreign code starts has a context of its own and is not covered.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from mendbench.errors import GuardTripped

GUARDED_EVENTS = frozenset(
    {
        "socket.connect", "socket.bind", "socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr",
        "socket.sendto", "socket.sendmsg",
        "subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.forkpty",
        "pty.spawn", "os.startfile",
    }
)  # fmt: skip
"""Audit events of effects (the table of audit events in the Python library reference)."""

_MAX_DETAIL = 120

_trips: ContextVar[list[GuardTripped] | None] = ContextVar("mendbench_guard", default=None)


@contextmanager
def guarded() -> Iterator[None]:
    """Run a trial: an effect past the exchange port raises ``GuardTripped``.

    Where foreign code swallowed it, it is raised on leaving.
    """
    _install()
    trips: list[GuardTripped] = []
    token = _trips.set(trips)
    try:
        yield
    finally:
        _trips.reset(token)
    if trips:
        raise trips[0]


@contextmanager
def allowed() -> Iterator[None]:
    """Let effects pass: for a live exchange while recording, and for a program that is the engine."""
    token = _trips.set(None)
    try:
        yield
    finally:
        _trips.reset(token)


@functools.cache
def _install() -> None:
    """Install the hook once per process; a hook cannot be removed again."""
    sys.addaudithook(_hook)


def _hook(event: str, args: tuple[object, ...]) -> None:
    if event not in GUARDED_EVENTS:
        return
    trips = _trips.get()
    if trips is None:
        return
    tripped = GuardTripped(event, _detail(event, args))
    trips.append(tripped)
    raise tripped


def _detail(event: str, args: tuple[object, ...]) -> str:
    """Return what the effect was aimed at, without the socket object and its random numbers."""
    shown = (
        args[1:]
        if event.startswith("socket.") and event.rpartition(".")[2] in {"connect", "bind", "sendto", "sendmsg"}
        else args[:2]
    )
    return " ".join(str(arg) for arg in shown)[:_MAX_DETAIL]

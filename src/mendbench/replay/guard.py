"""The guard: inside a trial, code opens no socket, starts no process and changes no file, except at the boundary.

The exceptions are a recording, and a command that is the engine (:mod:`mendbench.engines`): all its effects come to our own server.

One audit hook (PEP 578), installed with the first trial; outside trials it costs a look-up per audited event. It covers the context of
the trial, tasks and callbacks that inherit that context, and every thread that was started inside, with those that it starts.

It cannot see what Python does not audit: C code that makes its own system calls (an extension module; ``ctypes`` beyond the names in
:data:`GUARDED_SYMBOLS`), a socket that listens without an address, a thread that existed before the trial began or (in Python 3.11) is
started by ``_thread`` itself, a process that ``multiprocessing`` spawns, before it gets its task, a file that an in-memory SQLite
database attaches, a new pipe or device (``os.mkfifo``), and writes to files that were open before. Reading a file does not count as an
effect.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType
from typing import Final
from weakref import WeakKeyDictionary

from mendbench.errors import GuardTripped

GUARDED_EVENTS = frozenset(
    {
        "socket.connect", "socket.bind", "socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr",
        "socket.getnameinfo", "socket.sendto", "socket.sendmsg", "socket.sethostname", "syslog.syslog",
        "subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.forkpty",
        "pty.spawn", "os.startfile", "os.kill", "os.killpg", "signal.pthread_kill",
        "os.chmod", "os.chown", "os.chflags", "os.truncate", "os.utime", "os.setxattr", "os.removexattr", "os.link", "os.symlink",
        "_winapi.CreateProcess", "_winapi.TerminateProcess", "_winapi.CreateNamedPipe", "_winapi.CreateJunction",
        "winreg.CreateKey", "winreg.DeleteKey", "winreg.DeleteValue", "winreg.LoadKey", "winreg.SaveKey", "winreg.SetValue",
    }
)  # fmt: skip
"""Audit events of effects (the table of audit events in the Python library reference)."""

GUARDED_SYMBOLS = frozenset(
    {
        "system", "popen", "fork", "vfork", "clone", "execv", "execve", "execvp", "posix_spawn", "posix_spawnp",
        "socket", "connect", "syscall", "CreateProcessA", "CreateProcessW", "ShellExecuteA", "ShellExecuteW", "WinExec",
        "WSASocketA", "WSASocketW", "WSAConnect",
    }
)  # fmt: skip
"""Functions of the C library and of Windows that ``ctypes`` may not look up."""

_STARTS = frozenset({"_thread.start_new_thread", "_thread.start_joinable_thread"})
_PLACES = {"os.remove": 1, "os.rename": 2, "os.mkdir": 1, "os.rmdir": 1}
"""Changes of a folder, and how many of the arguments are paths. Python's own cache of compiled modules does not count."""
_WATCHED = GUARDED_EVENTS | _STARTS | _PLACES.keys() | {"open", "sqlite3.connect", "ctypes.dlsym"}

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_IN_MEMORY = frozenset({"", ":memory:"})
_CACHE = "__pycache__"
_IMPORT = frozenset({"_frozen_importlib_external", "importlib._bootstrap_external"})
"""The name of the module that writes compiled modules, before and after ``importlib`` is imported."""

_MAX_DETAIL = 120


class _Outside(list[GuardTripped]):
    """Marks a context in which no trial was set."""


_OUTSIDE: Final = _Outside()
_trips: ContextVar[list[GuardTripped] | None] = ContextVar("mendbench_guard", default=_OUTSIDE)
_begun: WeakKeyDictionary[threading.Thread, list[GuardTripped]] = WeakKeyDictionary()
"""Threads that were started inside a trial, and their trial."""


@contextmanager
def guarded() -> Iterator[None]:
    """Run a trial: an effect outside the exchange port raises ``GuardTripped``.

    If foreign code swallowed the exception, it is raised again when the trial ends. The same applies to attempts of threads that were
    started inside.
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
    """Allow effects: for a live exchange while recording and for storing it, and for a program that is the engine."""
    token = _trips.set(None)
    try:
        yield
    finally:
        _trips.reset(token)


@functools.cache
def _install() -> None:
    """Install the hook once per process; a hook cannot be removed. Not every Python audits threads, so their start is tracked."""
    sys.addaudithook(_hook)
    start = threading.Thread.start

    @functools.wraps(start)
    def tracked(thread: threading.Thread) -> None:
        trips = _trips_here()
        if trips is not None:
            _begun[thread] = trips
        start(thread)

    threading.Thread.start = tracked  # type: ignore[assignment,method-assign]


def _trips_here() -> list[GuardTripped] | None:
    """Return the list for an effect of this context; None if the context is not part of a trial."""
    trips = _trips.get()
    return trips if trips is not _OUTSIDE else _begun.get(threading.current_thread()) if _begun else None


def _hook(event: str, args: tuple[object, ...]) -> None:
    if event not in _WATCHED:
        return
    trips = _trips_here()
    if trips is None or (event not in GUARDED_EVENTS and _harmless(event, args)):
        return
    tripped = GuardTripped(event, _detail(event, args))
    trips.append(tripped)
    raise tripped


def _harmless(event: str, args: tuple[object, ...]) -> bool:
    """Return whether an event that may be an effect is not one. A thread is not one: it belongs to its trial."""
    if event == "open":
        return _only_reads(args)
    if event in _STARTS:
        return isinstance(getattr(args[0], "__self__", None), threading.Thread)
    if event == "ctypes.dlsym":
        return args[1] not in GUARDED_SYMBOLS
    if event == "sqlite3.connect":
        return args[0] in _IN_MEMORY
    return all(_in_cache(str(path)) for path in args[: _PLACES[event]])


def _only_reads(args: tuple[object, ...]) -> bool:
    path, _, flags = args
    if not isinstance(flags, int) or not flags & _WRITING:
        return True
    if isinstance(path, int):  # an open file, also when a compiled module is written
        return _asks_for() in _IMPORT
    return isinstance(path, str) and (path == os.devnull or _in_cache(path))


def _asks_for() -> str:
    """Return the name of the module that caused an audited event."""
    frame: FrameType | None = sys._getframe()  # noqa: SLF001  the documented way to the caller
    while frame is not None and frame.f_globals is globals():
        frame = frame.f_back
    return "" if frame is None else str(frame.f_globals.get("__name__"))


def _in_cache(path: str) -> bool:
    """Return whether a path is one of Python's compiled modules: a module may be imported for the first time inside a trial."""
    path, prefix = os.path.normpath(path), sys.pycache_prefix
    if prefix is not None and f"{path}{os.sep}".startswith(f"{os.path.normpath(prefix)}{os.sep}"):
        return True
    return _CACHE in path.split(os.sep)  # noqa: PTH206  of every audited path


def _detail(event: str, args: tuple[object, ...]) -> str:
    """Return the target of the effect, without the socket object and its random numbers."""
    if event.startswith("socket.") and event.rpartition(".")[2] in {"connect", "bind", "sendto", "sendmsg"}:
        shown = args[1:]
    elif event in _STARTS:
        shown = (getattr(args[0], "__name__", "a thread"),)
    else:
        shown = args[: _PLACES.get(event, 1 if event == "open" else 2)]
    return " ".join(str(arg) for arg in shown)[:_MAX_DETAIL]

"""Limits of a command in the sandbox: time, output, processes, memory and files, watched while it runs."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import stat
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Literal, Self, TypeAlias, cast

from mendbench.io.folder_removal import emptied
from mendbench.process.syscall_filter import call_filter

Bound: TypeAlias = Literal["time", "output", "processes", "memory", "files"]
"""The limit that a command exceeded."""

MEGABYTE = 1_000_000
_POLL_S = 0.02
_WEIGH_EVERY_S = 0.05
_GRACE_S = 5.0
"""How long the kernel may take to end a killed process, in seconds."""
_CHUNK = 65_536
NOBODY = 65534
"""The user id without rights on Linux."""
_MAX_PATH = 1000
"""Length in bytes of the longest path below the home: deeper paths cannot be reached by name (``PATH_MAX`` is 4096)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How much a command and all processes that it starts may use together. If they use more, all of them are ended at once."""

    time_s: float
    output_bytes: int = MEGABYTE
    """Of standard output, and the same again for standard error."""
    processes: int = 64
    memory_bytes: int = 1000 * MEGABYTE
    """Resident memory of all its processes."""
    file_bytes: int = 100 * MEGABYTE
    """The largest file: the kernel refuses to write more (``RLIMIT_FSIZE``)."""
    folder_bytes: int = 200 * MEGABYTE
    """All files of its home, if that is a folder on disk; places in memory have :attr:`scratch_bytes`."""
    entries: int = 10_000
    """Files and folders of its home, and of each place in memory."""
    scratch_bytes: int = 64 * MEGABYTE
    """Each of the places in memory: ``/tmp``, ``/dev/shm``, and a home that is not a folder on disk."""

    def says(self, bound: Bound) -> str:
        """Return a description of how a command exceeded a limit."""
        return {
            "time": f"it ran longer than {self.time_s:g} seconds",
            "output": f"it wrote more than {self.output_bytes:,} bytes to one of its outputs",
            "processes": f"it had more than {self.processes} processes",
            "memory": f"it used more than {self.memory_bytes:,} bytes of memory",
            "files": (
                f"its files were more than {self.entries:,}, more than {self.folder_bytes:,} bytes, "
                f"or deeper than {_MAX_PATH} bytes of path"
            ),
        }[bound]


@dataclass(slots=True, kw_only=True)
class Ran:
    """The result of a command."""

    out: bytes = b""
    err: bytes = b""
    code: int | None = None
    """None if it did not end by itself, or never began."""
    over: Bound | None = None
    began: bool = False
    """Whether the sandbox was set up and the command was started in it."""
    ready: bool = False
    """Whether the command's ready line came."""

    def take(self, sink: str, chunk: bytes, limit: int) -> bool:
        """Add a chunk of output; return whether more may come."""
        if sink == "out" and not self.ready:
            self.ready, chunk = True, chunk[1:]
        joined = (self.out if sink == "out" else self.err) + chunk
        if sink == "out":
            self.out = joined[:limit]
        else:
            self.err = joined[:limit]
        return len(joined) <= limit


@dataclass(slots=True, kw_only=True)
class _Watched:
    """A running sandbox."""

    process: subprocess.Popen[bytes]
    bounds: Bounds
    folder: Path | None
    status: bytearray = field(default_factory=bytearray)
    init: int | None = None
    """The sandbox's first process: when it ends, all others end."""
    pidfd: int | None = None

    def hear(self, chunk: bytes) -> None:
        """Process bubblewrap's status output."""
        self.status += chunk
        child = _said(self.status, "child-pid")
        if self.init is None and child is not None:
            self.init = child
            with contextlib.suppress(ProcessLookupError):  # it has ended already
                self.pidfd = os.pidfd_open(child)

    def over(self) -> Bound | None:
        """Return the limit that is exceeded now, if any.

        Raises:
            PermissionError: this machine does not let us see the processes in the sandbox.
        """
        if self.folder is not None and not fits(self.folder, self.bounds):
            return "files"
        if self.init is None:
            return None
        try:
            return _weighed(Path(f"/proc/{self.init}/root"), self.bounds, in_memory=self.folder is None)
        except (FileNotFoundError, ProcessLookupError):
            return None  # not yet set up, or ended by now

    def end(self) -> None:
        """End the sandbox with all its processes, and wait until none of them runs any more."""
        self.process.kill()
        self.process.wait()
        if self.pidfd is not None:
            with selectors.DefaultSelector() as gone:
                gone.register(self.pidfd, selectors.EVENT_READ)
                gone.select(_GRACE_S)
            os.close(self.pidfd)
            self.pidfd = None


def run_bounded(
    program: str, options: Sequence[str], command: Sequence[str], *, stdin: bytes, bounds: Bounds, folder: Path | None
) -> Ran:
    """Run a command in bubblewrap within ``bounds``. When this returns, none of its processes runs any more.

    ``command`` writes an empty line to its standard output, reads one from its standard input, and then begins: if we have ended by then,
    the sandbox runs nothing. ``folder`` is where the sandbox's home is on disk. If its files exceed the limits, it is emptied. The
    superuser's commands run as :data:`NOBODY`, who must own the folder.

    Raises:
        OSError: ``program`` cannot be run, or not watched.
        ValueError: an option or the command cannot be passed to a program.
    """
    reads, writes = os.pipe()
    calls = _calls()
    told = ["--json-status-fd", str(writes), *(["--seccomp", str(calls)] if calls is not None else [])]
    nobody: dict[str, Any] = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    try:
        process = subprocess.Popen(  # noqa: S603  the command runs inside the sandbox
            [program, *told, *options, "--", *command],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={}, cwd="/", **nobody,
            pass_fds=(writes, *(() if calls is None else (calls,))),
        )  # fmt: skip
    except BaseException:
        os.close(reads)
        raise
    finally:
        for end in (writes, *(() if calls is None else (calls,))):
            os.close(end)
    ran, watched = Ran(), _Watched(process=process, bounds=bounds, folder=folder)
    try:
        ran.over = _attend(watched, ran, reads, stdin)
    finally:
        watched.end()
        os.close(reads)
        for pipe in (process.stdin, process.stdout, process.stderr):
            with contextlib.suppress(OSError):  # the remaining input has no reader
                cast("IO[bytes]", pipe).close()
    ran.began = ran.over is not None or _said(watched.status, "exit-code") is not None
    if folder is not None and not fits(folder, bounds):
        ran.over = ran.over or "files"
        emptied(folder)
    ran.code = process.returncode if ran.over is None else None
    return ran


def _calls() -> int | None:
    """Return a file descriptor from which to read the system call filter."""
    known = call_filter()
    if known is None:
        return None
    place = os.memfd_create("calls")
    os.write(place, known)
    os.lseek(place, 0, os.SEEK_SET)
    return place


def _attend(watched: _Watched, ran: Ran, reads: int, stdin: bytes) -> Bound | None:
    """Feed and read the command until it has ended; return the limit that it exceeded before."""
    weighed = time.monotonic()
    deadline, ended = weighed + watched.bounds.time_s, False
    with _Ends(watched, ran, reads, stdin) as ends:
        while ends.reading or not ended:
            if not ends.pump():
                return "output"
            now = time.monotonic()
            if not ended and watched.process.poll() is not None:
                ended, deadline = True, now + _GRACE_S
                watched.end()
            if now > deadline:
                return None if ended else "time"
            if not ended and now - weighed > _WEIGH_EVERY_S:
                weighed = now
                if (bound := watched.over()) is not None:
                    return bound
    return None


class _Ends:
    """Our ends of a sandbox's pipes."""

    def __init__(self, watched: _Watched, ran: Ran, reads: int, stdin: bytes) -> None:
        process = watched.process
        out, err, self._into = (cast("IO[bytes]", each) for each in (process.stdout, process.stderr, process.stdin))
        self._watched, self._ran, self._rest = watched, ran, memoryview(b"\n" + stdin)
        self._sinks = {out.fileno(): "out", err.fileno(): "err"}
        self.reading = {reads, *self._sinks}
        """The pipes from which more data may come."""
        self._ready = selectors.DefaultSelector()

    def __enter__(self) -> Self:
        for end in self.reading:
            self._ready.register(end, selectors.EVENT_READ)
        os.set_blocking(self._into.fileno(), False)
        return self

    def __exit__(self, *_raised: object) -> None:
        self._ready.close()

    def pump(self) -> bool:
        """Transfer the available data; return whether the command kept within its output limit."""
        for key, _ in self._ready.select(_POLL_S):
            if key.fileobj is self._into:
                self._feed(key.fd)
            elif not (chunk := os.read(key.fd, _CHUNK)):
                self._ready.unregister(key.fd)
                self.reading.discard(key.fd)
            elif (sink := self._sinks.get(key.fd)) is None:
                self._watched.hear(chunk)
            else:
                if sink == "out" and not self._ran.ready:
                    self._ready.register(self._into, selectors.EVENT_WRITE)
                if not self._ran.take(sink, chunk, self._watched.bounds.output_bytes):
                    return False
        return True

    def _feed(self, to: int) -> None:
        with contextlib.suppress(BlockingIOError):
            try:
                self._rest = self._rest[os.write(to, self._rest[:_CHUNK]) :] if self._rest else self._rest
            except BrokenPipeError:  # there is no reader
                self._rest = self._rest[:0]
        if not self._rest:
            self._ready.unregister(self._into)
            self._into.close()


def _said(status: bytes | bytearray, name: str) -> int | None:
    """Return bubblewrap's status value of that name: one JSON object a line; the last line may still be incomplete."""
    for line in bytes(status).splitlines():
        with contextlib.suppress(ValueError):
            said = json.loads(line)
            if name in said:
                return int(said[name])
    return None


def _weighed(root: Path, bounds: Bounds, *, in_memory: bool) -> Bound | None:
    """Return which limit is exceeded in the sandbox whose file system is visible at ``root``."""
    if root.samefile("/"):
        return None  # it is not set up yet, and these would be the machine's processes
    processes = [each.name for each in (root / "proc").iterdir() if each.name.isdigit()]
    if len(processes) > bounds.processes + 1:  # the first one is bubblewrap's own
        return "processes"
    if sum(_resident_bytes(root / "proc" / name) for name in processes) > bounds.memory_bytes:
        return "memory"
    for place in ("tmp", "dev/shm", *(("sandbox",) if in_memory else ())):
        filled = os.statvfs(root / place)
        if filled.f_files - filled.f_ffree > bounds.entries:
            return "files"
    return None


def _resident_bytes(process: Path) -> int:
    try:
        return int((process / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):  # it has just ended
        return 0


def fits(folder: Path, bounds: Bounds) -> bool:
    """Return whether the files below a folder are within the limits. Links are not followed."""
    seen = held = 0
    for entry, told in entries_of(folder):
        seen, held = seen + 1, held + (told.st_size if told is not None else 0)
        if seen > bounds.entries or held > bounds.folder_bytes or len(os.fsencode(entry)) > _MAX_PATH:
            return False
    return True


def entries_of(folder: Path) -> Iterator[tuple[str, os.stat_result | None]]:
    """Yield all entries below a folder by relative path, with their status: None if it cannot be read.

    Links are not followed, and a folder without read permission is not entered. Entries that vanish meanwhile are left out.
    """
    open_folders = [""]
    while open_folders:
        inside = open_folders.pop()
        with (
            contextlib.suppress(FileNotFoundError, NotADirectoryError, PermissionError),
            os.scandir(folder / inside) as entries,
        ):
            for entry in entries:
                path = f"{inside}/{entry.name}" if inside else entry.name
                try:
                    told = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                except PermissionError:
                    yield path, None
                    continue
                yield path, told
                if stat.S_ISDIR(told.st_mode):
                    open_folders.append(path)

"""What bounds a command in the sandbox beside its walls: time, output, processes, memory and files, watched while it runs."""

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
"""What a command went beyond."""

MEGABYTE = 1_000_000
_POLL_S = 0.02
_WEIGH_EVERY_S = 0.05
_GRACE_S = 5.0
"""How long the kernel may take to end what was killed, seconds."""
_CHUNK = 65_536
NOBODY = 65534
"""The user of no rights, by number, on Linux."""
_MAX_PATH = 1000
"""Bytes of the longest path below the home: deeper ones cannot be reached by name (``PATH_MAX`` is 4096)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How much a command and all that it starts may use together. Who uses more is ended at once, all of it."""

    time_s: float
    output_bytes: int = MEGABYTE
    """Of standard output, and again of standard error."""
    processes: int = 64
    memory_bytes: int = 1000 * MEGABYTE
    """Resident memory of all its processes."""
    file_bytes: int = 100 * MEGABYTE
    """The largest file: the kernel refuses to write on (``RLIMIT_FSIZE``)."""
    folder_bytes: int = 200 * MEGABYTE
    """All files of its home, if that is a folder of the disk; what lies in memory has :attr:`scratch_bytes`."""
    entries: int = 10_000
    """Files and folders of its home, and of each place in memory."""
    scratch_bytes: int = 64 * MEGABYTE
    """Each of the places in memory: ``/tmp``, ``/dev/shm``, and a home that is no folder of the disk."""

    def says(self, bound: Bound) -> str:
        """Return in words what a command did that went beyond."""
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
    """What came of a command."""

    out: bytes = b""
    err: bytes = b""
    code: int | None = None
    """None if it did not end by itself, or never began."""
    over: Bound | None = None
    began: bool = False
    """Whether the sandbox stood and the command was started in it."""
    ready: bool = False
    """Whether the line came with which it says so."""

    def take(self, sink: str, chunk: bytes, limit: int) -> bool:
        """Take in what was written; return whether more may come."""
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
    """A sandbox while it runs."""

    process: subprocess.Popen[bytes]
    bounds: Bounds
    folder: Path | None
    status: bytearray = field(default_factory=bytearray)
    init: int | None = None
    """The sandbox's first process: with it all others end."""
    pidfd: int | None = None

    def hear(self, chunk: bytes) -> None:
        """Take in what bubblewrap says of its state."""
        self.status += chunk
        child = _said(self.status, "child-pid")
        if self.init is None and child is not None:
            self.init = child
            with contextlib.suppress(ProcessLookupError):  # it has ended already
                self.pidfd = os.pidfd_open(child)

    def over(self) -> Bound | None:
        """Return the bound that is overstepped now, if any.

        Raises:
            PermissionError: this machine does not let us see what runs in the sandbox.
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
        """End the sandbox, which takes all in it along, and wait until nothing of it runs any more."""
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
    """Run a command in bubblewrap within ``bounds``. When this returns, nothing that it started runs any more.

    ``command`` writes an empty line to its standard output, reads one from its standard input, and then begins: a sandbox
    that we are no longer there for has nothing to begin with. ``folder`` is where the sandbox's home lies on the disk. If its
    files go beyond, it is emptied. The superuser has it run as :data:`NOBODY`, who then has to own the folder.

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
            with contextlib.suppress(OSError):  # what was still to be told has nobody to read it
                cast("IO[bytes]", pipe).close()
    ran.began = ran.over is not None or _said(watched.status, "exit-code") is not None
    if folder is not None and not fits(folder, bounds):
        ran.over = ran.over or "files"
        emptied(folder)
    ran.code = process.returncode if ran.over is None else None
    return ran


def _calls() -> int | None:
    """Return a descriptor to read the filter of system calls from."""
    known = call_filter()
    if known is None:
        return None
    place = os.memfd_create("calls")
    os.write(place, known)
    os.lseek(place, 0, os.SEEK_SET)
    return place


def _attend(watched: _Watched, ran: Ran, reads: int, stdin: bytes) -> Bound | None:
    """Feed and read the command until it has ended; return the bound that it went beyond before."""
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
        """Those that more may come from."""
        self._ready = selectors.DefaultSelector()

    def __enter__(self) -> Self:
        for end in self.reading:
            self._ready.register(end, selectors.EVENT_READ)
        os.set_blocking(self._into.fileno(), False)
        return self

    def __exit__(self, *_raised: object) -> None:
        self._ready.close()

    def pump(self) -> bool:
        """Pass on what can be passed on now; return whether the command kept within its output."""
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
            except BrokenPipeError:  # nobody reads
                self._rest = self._rest[:0]
        if not self._rest:
            self._ready.unregister(self._into)
            self._into.close()


def _said(status: bytes | bytearray, name: str) -> int | None:
    """Return what bubblewrap said under that name: one JSON object a line, of which the last may not be whole yet."""
    for line in bytes(status).splitlines():
        with contextlib.suppress(ValueError):
            said = json.loads(line)
            if name in said:
                return int(said[name])
    return None


def _weighed(root: Path, bounds: Bounds, *, in_memory: bool) -> Bound | None:
    """Return which bound is overstepped in the sandbox whose file system is seen at ``root``."""
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
    """Return whether the files below a folder are within the bounds. Links are not followed."""
    seen = held = 0
    for entry, told in entries_of(folder):
        seen, held = seen + 1, held + (told.st_size if told is not None else 0)
        if seen > bounds.entries or held > bounds.folder_bytes or len(os.fsencode(entry)) > _MAX_PATH:
            return False
    return True


def entries_of(folder: Path) -> Iterator[tuple[str, os.stat_result | None]]:
    """Yield all that is below a folder by its path there, with what it is: None where that may not be seen.

    Links are not followed, nor is a folder entered that may not be read. What vanishes meanwhile is left out.
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

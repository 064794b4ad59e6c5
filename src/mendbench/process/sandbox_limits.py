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
from typing import IO, Any, Literal, TypeAlias, cast

from mendbench.io.folder_removal import emptied
from mendbench.process.pipe_io import Pipes, Sink, close_pipes
from mendbench.process.syscall_filter import call_filter

Bound: TypeAlias = Literal["time", "output", "processes", "memory", "files"]
"""The limit that a command exceeded."""

MEGABYTE = 1_000_000
_POLL_S = 0.02
_WEIGH_EVERY_S = 0.05
_GRACE_S = 5.0
"""How long the kernel may take to end a killed process, in seconds."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxResult:
    """The result of a command."""

    out: bytes = b""
    err: bytes = b""
    code: int | None = None
    """None if it did not end by itself, or never began."""
    over: Bound | None = None
    began: bool = False
    """Whether the sandbox was set up and the command was started in it."""


@dataclass(slots=True, kw_only=True)
class _Watched:
    """A running sandbox."""

    process: subprocess.Popen[bytes]
    bounds: Bounds
    folder: Path | None
    out: Sink
    err: Sink
    status: bytearray = field(default_factory=bytearray)
    init: int | None = None
    """The sandbox's first process: when it ends, all others end."""
    pidfd: int | None = None

    def hear(self, chunk: bytes) -> None:
        """Process bubblewrap's status output."""
        self.status += chunk
        child = _status_value(self.status, "child-pid")
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
) -> SandboxResult:
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
    flags = ["--json-status-fd", str(writes), *(["--seccomp", str(calls)] if calls is not None else [])]
    nobody: dict[str, Any] = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    try:
        process = subprocess.Popen(  # noqa: S603  the command runs inside the sandbox
            [program, *flags, *options, "--", *command],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={}, cwd="/", **nobody,
            pass_fds=(writes, *(() if calls is None else (calls,))),
        )  # fmt: skip
    except BaseException:
        os.close(reads)
        raise
    finally:
        for end in (writes, *(() if calls is None else (calls,))):
            os.close(end)
    out, err = Sink(bounds.output_bytes), Sink(bounds.output_bytes)
    watched = _Watched(process=process, bounds=bounds, folder=folder, out=out, err=err)
    try:
        over = _attend(watched, reads, stdin)
    finally:
        watched.end()
        os.close(reads)
        close_pipes(process)
    began = over is not None or _status_value(watched.status, "exit-code") is not None
    if folder is not None and not fits(folder, bounds):
        over = over or "files"
        emptied(folder)
    code = process.returncode if over is None else None
    return SandboxResult(out=bytes(out.data), err=bytes(err.data), code=code, over=over, began=began)


def _calls() -> int | None:
    """Return a file descriptor from which to read the system call filter."""
    known = call_filter()
    if known is None:
        return None
    place = os.memfd_create("calls")
    os.write(place, known)
    os.lseek(place, 0, os.SEEK_SET)
    return place


def _attend(watched: _Watched, reads: int, stdin: bytes) -> Bound | None:
    """Feed and read the command until it has ended; return the limit that it exceeded before."""
    ready = False

    def take_output(chunk: bytes) -> None:
        """Begin to write the input when the command's first line says that it is ready."""
        nonlocal ready
        if not ready:
            ready, chunk = True, chunk[1:]
            pipes.feed(into, b"\n" + stdin)
        watched.out.take(chunk)

    into, out, err = (
        cast("IO[bytes]", pipe) for pipe in (watched.process.stdin, watched.process.stdout, watched.process.stderr)
    )
    weighed = time.monotonic()
    deadline, ended = weighed + watched.bounds.time_s, False
    readers = {reads: watched.hear, out.fileno(): take_output, err.fileno(): watched.err.take}
    with contextlib.closing(Pipes(readers)) as pipes:
        while pipes.reading or not ended:
            pipes.transfer(_POLL_S)
            if watched.out.over or watched.err.over:
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


def _status_value(status: bytes | bytearray, name: str) -> int | None:
    """Return bubblewrap's status value of that name: one JSON object a line; the last line may still be incomplete."""
    for line in bytes(status).splitlines():
        with contextlib.suppress(ValueError):
            entry = json.loads(line)
            if name in entry:
                return int(entry[name])
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
    for entry, status in entries_of(folder):
        seen, held = seen + 1, held + (status.st_size if status is not None else 0)
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
                    status = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                except PermissionError:
                    yield path, None
                    continue
                yield path, status
                if stat.S_ISDIR(status.st_mode):
                    open_folders.append(path)

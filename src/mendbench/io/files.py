"""Atomic and durable file writes, also if the writer is killed.

A file is written next to its target under a unique name, flushed to the disk, and renamed to its target. The folder is flushed too. So
neither a killed process nor a power cut leaves a partial file, or the old file after success was reported. The leftovers of a killed
process are recognised by their name and their missing lock. The next writer into that folder removes them. Where the system has no such
locks, they stay.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from mendbench.io.folder_removal import emptied
from mendbench.io.locks import awaited_lock_file, has_flock, hold, is_at

LEFT = ".mendbench-part"
"""The suffix of a temporary file or folder that is not yet renamed to its target."""

_LOCK = ".mendbench.lock"
"""The lock file of a folder, where folders themselves cannot be locked."""

_LEFT = re.compile(rf"\..+\.[a-z0-9_]{{8}}{re.escape(LEFT)}")

_AT_CWD, _EXCHANGE = -100, 2
"""``AT_FDCWD`` and ``RENAME_EXCHANGE`` of renameat2(2) of Linux."""

_AS_IT_IS = getattr(os, "O_BINARY", 0)
"""Without this flag, Windows writes ``\\r\\n`` for ``\\n``."""

_AT_ONCE = 65536
"""The size up to which small parts are written together, in bytes."""

_CANNOT_EXCHANGE = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EPERM})


def write_atomically(path: Path, data: str | bytes) -> None:
    """Write ``data`` to ``path`` so that a reader sees either the old file or the whole new one.

    Raises:
        OSError: the folder cannot be written to. Nothing is left behind.
    """
    write_parts_atomically(path, (data,))


def why_unwritable(error: OSError) -> str:
    """Return why a path cannot be written to."""
    if isinstance(error, FileExistsError | NotADirectoryError):
        return "a folder of this path is a file"
    if isinstance(error, IsADirectoryError):
        return "a folder, not a file"
    return error.strerror or "cannot be written"


def ignore_folder(folder: Path) -> None:
    """Make Git ignore the contents of a folder, before anything is written to it.

    Raises:
        OSError: the folder is not writable.
    """
    if not (folder / ".gitignore").exists():
        write_atomically(folder / ".gitignore", "*\n")


def write_parts_atomically(path: Path, parts: Iterable[str | bytes]) -> None:
    """Write the joined ``parts``, as :func:`write_atomically` does. They are consumed one by one, and not kept in memory.

    Raises:
        OSError: as there. Exceptions of the iterator propagate; nothing is left behind then either.
    """
    make_folder(path.parent)
    clear_left(path.parent)
    handle, beside = _opened_beside(path)
    with contextlib.ExitStack() as opened:
        opened.callback(os.close, handle)
        try:
            _write_parts(handle, parts)
            os.fsync(handle)
            beside.chmod(0o644)
            if not has_flock():
                opened.close()  # an open file cannot be renamed there
            beside.replace(path)
        except BaseException:
            opened.close()
            beside.unlink(missing_ok=True)
            raise
    flush_folder(path.parent)


class Appended:
    """An append-only file: each piece is written whole or not at all.

    A process that is killed, or a power cut, can leave an incomplete last piece, which readers drop.
    """

    def __init__(self, path: Path) -> None:
        """Open the file, which need not exist.

        Raises:
            OSError: it cannot be written to.
        """
        self._path = path
        self._handle: int | None = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _AS_IT_IS, 0o644)

    def add(self, data: str | bytes) -> None:
        """Append a piece.

        Raises:
            OSError: it cannot be written. The file is then unchanged.
        """
        if self._handle is None:
            raise ValueError(f"{self._path} is closed")
        size = os.fstat(self._handle).st_size
        try:
            _write(self._handle, data.encode() if isinstance(data, str) else data)
        except BaseException:
            os.ftruncate(self._handle, size)
            raise

    def flush(self) -> None:
        """Wait until all of it is on the disk."""
        if self._handle is not None:
            os.fsync(self._handle)

    def close(self) -> None:
        """Close the file. Safe to call twice."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


def append_durably(path: Path, data: str) -> None:
    """Append ``data`` to ``path`` and wait until it is on the disk. A crash can leave an incomplete tail, which readers drop.

    Raises:
        OSError: it cannot be written. The file is then unchanged, or still absent.
    """
    make_folder(path.parent)
    new = not path.exists()
    with contextlib.closing(Appended(path)) as out:
        try:
            out.add(data)
            out.flush()
        except BaseException:
            if new:
                path.unlink(missing_ok=True)
            raise
    if new:
        flush_folder(path.parent)


def make_folder(folder: Path) -> None:
    """Create a folder and its parents durably.

    Raises:
        OSError: it cannot be created.
    """
    new = []
    at = folder
    while not at.exists():
        new.append(at)
        at = at.parent
    folder.mkdir(parents=True, exist_ok=True)
    for made in new:
        flush_folder(made.parent)


def flush_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk, if the system supports that."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def exchanged(one: Path, other: Path) -> bool:
    """Exchange two folders or two files atomically. Return False, with nothing changed, if the system cannot do that.

    Raises:
        OSError: one of them does not exist, or their folder cannot be written to.
    """
    import ctypes  # noqa: PLC0415  only who replaces a folder pays for it

    call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None) if os.name == "posix" else None
    if call is None:
        return False
    if call(_AT_CWD, os.fsencode(one), _AT_CWD, os.fsencode(other), _EXCHANGE) == 0:
        flush_folder(one.parent)
        return True
    number = ctypes.get_errno()
    if number in _CANNOT_EXCHANGE:
        return False
    raise OSError(number, os.strerror(number), str(one))


def move_folder(folder: Path, to: Path) -> None:
    """Move a folder durably to a path that does not exist or is an empty folder.

    Raises:
        OSError: the path is in use, or it cannot be written to.
    """
    make_folder(to.parent)
    folder.rename(to)
    flush_folder(to.parent)


def remove(path: Path) -> None:
    """Remove a file, a link or a whole folder of any depth, as far as possible."""
    if path.is_dir() and not path.is_symlink():
        with contextlib.suppress(OSError, NotImplementedError):  # not all of it is ours, or the system is not POSIX
            emptied(path)
            path.rmdir()
            return
        with contextlib.suppress(RecursionError):
            shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()


def is_left(name: str) -> bool:
    """Return whether a name is that of a temporary file or folder."""
    return _LEFT.fullmatch(name) is not None


@contextlib.contextmanager
def folder_beside(path: Path) -> Iterator[Path]:
    """Yield a new empty folder next to ``path``, to be filled and renamed. Anything that remains is removed at the end.

    Raises:
        OSError: it cannot be created.
    """
    make_folder(path.parent)
    clear_left(path.parent)
    while True:
        beside = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}.", suffix=LEFT))
        handle = held_folder(beside)
        if handle is not None:
            break
    try:
        beside.chmod(0o755)
        yield beside
    finally:
        remove(beside)
        os.close(handle)


def held_folder(folder: Path) -> int | None:
    """Return a handle that locks a new folder while open; None if another process removed the folder as a leftover."""
    if not has_flock():
        return os.open(os.devnull, os.O_RDONLY)  # nothing is removed as a leftover there
    try:
        handle = os.open(folder, os.O_RDONLY)
    except FileNotFoundError:
        return None
    with contextlib.suppress(OSError):  # a file system without locks
        hold(handle, wait=True)
    if is_at(handle, folder):
        return handle
    os.close(handle)
    return None


def clear_left(folder: Path, named: Callable[[str], bool] = is_left) -> None:
    """Remove the leftovers of ended processes in a folder: temporary names that are not locked, where the system has locks."""
    if not has_flock():
        return
    with contextlib.suppress(OSError), os.scandir(folder) as found:
        for name in [each.name for each in found if named(each.name)]:
            with contextlib.suppress(OSError):
                _clear(folder / name)


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock ``folder`` against other writers that use this lock. The folder is created if necessary.

    The lock ends with the process that holds it.

    Raises:
        OSError: the folder cannot be created, or its file system has no locks.
    """
    make_folder(folder)
    if not has_flock():
        with awaited_lock_file(folder / _LOCK):
            yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        hold(handle, wait=True)
        yield
    finally:
        os.close(handle)


def _opened_beside(path: Path) -> tuple[int, Path]:
    """Return a new file next to a path, open and locked, so that no process treats it as a leftover."""
    while True:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=LEFT)
        with contextlib.suppress(OSError):  # a file system without locks
            hold(handle, wait=True)
        if is_at(handle, Path(name)):
            return handle, Path(name)
        os.close(handle)


def _clear(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)  # do not wait for a writer if it is a pipe
    try:
        if hold(handle, wait=False):
            remove(path)
    finally:
        os.close(handle)


def _write_parts(handle: int, parts: Iterable[str | bytes]) -> None:
    waiting, size = list[bytes](), 0
    for part in parts:
        waiting.append(part.encode() if isinstance(part, str) else part)
        size += len(waiting[-1])
        if size >= _AT_ONCE:
            _write(handle, b"".join(waiting))
            waiting, size = [], 0
    _write(handle, b"".join(waiting))


def _write(handle: int, data: bytes) -> None:
    """Write all of it: one call may write only a part of large data, or if the disk is nearly full."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]

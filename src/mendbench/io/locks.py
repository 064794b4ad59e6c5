"""Locks between processes: those of the system (``flock``), which end with the process that holds them; elsewhere, lock files."""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Iterator
from pathlib import Path

_POLL_S = 0.05


def has_flock() -> bool:
    """Return whether the system locks open files and folders. Windows does not, nor does it rename or remove open files."""
    try:
        import fcntl  # noqa: F401, PLC0415  absent on Windows
    except ImportError:
        return False
    return True


def hold(handle: int, *, wait: bool) -> bool:
    """Lock an open file or folder while it is open. Return False if another process holds the lock.

    Raises:
        OSError: its file system, or the system, has no locks.
    """
    if not has_flock():
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))
    import fcntl  # noqa: PLC0415  absent on Windows

    try:
        fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_at(handle: int, path: Path) -> bool:
    """Return whether an open file or folder is the one at a path."""
    try:
        return os.path.samestat(os.fstat(handle), path.lstat())
    except FileNotFoundError:
        return False


@contextlib.contextmanager
def lock_file(path: Path) -> Iterator[bool]:
    """Lock a lock file. Yield False if another process holds the lock.

    The file exists only while it is locked. A killed process leaves it behind unlocked.

    Raises:
        OSError: the file cannot be written.
    """
    if not has_flock():
        with _created(path) as got:
            yield got
        return
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            got = hold(handle, wait=False)
        except BaseException:
            os.close(handle)
            raise
        if not got or is_at(handle, path):
            break
        os.close(handle)  # its holder finished and removed it between the two calls
    try:
        yield got
    finally:
        if got:
            with contextlib.suppress(OSError):
                path.unlink()
        os.close(handle)


@contextlib.contextmanager
def awaited_lock_file(path: Path) -> Iterator[None]:
    """Lock a lock file as :func:`lock_file` does, and wait while another process holds it.

    Raises:
        OSError: the file cannot be written.
    """
    while True:
        with lock_file(path) as got:
            if got:
                yield
                return
        time.sleep(_POLL_S)


@contextlib.contextmanager
def _created(path: Path) -> Iterator[bool]:
    """Create a lock file that names this process. Yield False if that of a running process is there."""
    handle = _claimed(path)
    try:
        yield handle is not None
    finally:
        if handle is not None:
            os.close(handle)
            with contextlib.suppress(OSError):
                path.unlink()


def _claimed(path: Path) -> int | None:
    while True:
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o644)
        except FileExistsError:
            try:
                if not _is_abandoned(path):
                    return None
                path.unlink()
            except FileNotFoundError:
                continue  # its holder has just finished
            except PermissionError:
                return None
        else:
            os.write(handle, str(os.getpid()).encode())
            return handle


def _is_abandoned(path: Path) -> bool:
    """Return whether the process that created a lock file has ended.

    Raises:
        FileNotFoundError: the file is gone.
    """
    if os.name == "nt":
        return True  # its holder has it open, and Windows refuses to remove an open file
    named = path.read_bytes()
    if not named.isdigit():
        return False  # created a moment ago
    try:
        os.kill(int(named), 0)
    except (ProcessLookupError, OverflowError):
        return True
    except PermissionError:
        pass
    return False

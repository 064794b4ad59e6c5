"""Empty a folder that other code filled, with any depth and any permissions.

Every entry is reached by a handle of its folder. So no path is too long, and no link is followed, not even one that replaces a folder
meanwhile.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path


def emptied(folder: Path) -> None:
    """Remove everything in a folder, but not the folder itself.

    Raises:
        OSError: an entry cannot be removed, or is added meanwhile.
        NotImplementedError: the system does not support such handles.
    """
    top, count = _opened(folder, None), 0
    try:
        while names := os.listdir(top):  # noqa: PTH208  by descriptor
            for name in names:
                if _is_folder(name, top):
                    count = _raised(name, top, count)
                    os.rmdir(name, dir_fd=top)
                else:
                    os.unlink(name, dir_fd=top)
    finally:
        os.close(top)


def _raised(name: str, top: int, count: int) -> int:
    """Remove the files of a folder in ``top``, and move its subfolders up into ``top``, which limits the depth."""
    inner = _opened(name, top)
    try:
        for each in os.listdir(inner):  # noqa: PTH208  by descriptor
            if _is_folder(each, inner):
                os.close(_opened(each, inner))  # a folder that is moved has to be writable itself
                os.rename(each, f"{count} {os.urandom(8).hex()}", src_dir_fd=inner, dst_dir_fd=top)
                count += 1
            else:
                os.unlink(each, dir_fd=inner)
    finally:
        os.close(inner)
    return count


def _opened(folder: str | Path, within: int | None) -> int:
    """Return a handle of a folder that we own, after granting us all permissions on it."""
    how = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
    try:
        handle = os.open(folder, how, dir_fd=within)
    except PermissionError:
        _allow(folder, within)
        handle = os.open(folder, how, dir_fd=within)
    try:
        rights = stat.S_IMODE(os.fstat(handle).st_mode)
        if rights & stat.S_IRWXU != stat.S_IRWXU:
            os.fchmod(handle, rights | stat.S_IRWXU)
    except BaseException:
        os.close(handle)
        raise
    return handle


def _allow(folder: str | Path, within: int | None) -> None:
    """Make an unreadable folder of ours accessible through its path handle (``O_PATH`` of open(2), Linux)."""
    if not hasattr(os, "O_PATH"):
        os.chmod(folder, stat.S_IRWXU, dir_fd=within)
        return
    place = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=within)
    try:
        Path(f"/proc/self/fd/{place}").chmod(stat.S_IRWXU)
    finally:
        os.close(place)


def _is_folder(name: str, within: int) -> bool:
    return stat.S_ISDIR(os.stat(name, dir_fd=within, follow_symlinks=False).st_mode)

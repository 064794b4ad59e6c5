"""Files that are read at any offset. Renaming, replacing or removing one later has no effect on its reader, nor is it hindered by it."""

from __future__ import annotations

import io
import os
import weakref
from pathlib import Path
from typing import BinaryIO, Protocol


class OpenedFile(Protocol):
    """A file as it was when it was opened, with what its writer appended since."""

    def size(self) -> int:
        """Return its current size in bytes."""

    def whole(self) -> BinaryIO:
        """Return a handle on it, positioned at its beginning."""

    def at(self, start: int, size: int) -> bytes:
        """Return ``size`` bytes from an offset, fewer at the end of the file."""

    def grew(self, data: bytes) -> None:
        """Take note of what this process appended to it."""


def opened(path: Path) -> OpenedFile:
    """Open a file for reading. Where an open file cannot be renamed (Windows), its content is kept in memory.

    Raises:
        OSError: it cannot be read.
    """
    return _OnDisk(path) if hasattr(os, "pread") else _InMemory(path)


class _OnDisk:
    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        weakref.finalize(self, os.close, self._file)

    def size(self) -> int:
        return os.fstat(self._file).st_size

    def whole(self) -> BinaryIO:
        file = os.fdopen(os.dup(self._file), "rb")
        file.seek(0)
        return file

    def at(self, start: int, size: int) -> bytes:
        found = os.pread(self._file, size, start)
        while len(found) < size and (more := os.pread(self._file, size - len(found), start + len(found))):
            found += more
        return found

    def grew(self, data: bytes) -> None:
        """Nothing to do: reads go to the file."""


class _InMemory:
    def __init__(self, path: Path) -> None:
        self._data = bytearray(path.read_bytes())

    def size(self) -> int:
        return len(self._data)

    def whole(self) -> BinaryIO:
        return io.BytesIO(self._data)

    def at(self, start: int, size: int) -> bytes:
        return bytes(self._data[start : start + size])

    def grew(self, data: bytes) -> None:
        self._data += data

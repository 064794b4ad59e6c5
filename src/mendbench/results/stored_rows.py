"""Lines of a file that are read when they are asked for: where each stands is known, and none is held.

The file is opened once and stays the one that was opened, whatever becomes of its name.
"""

from __future__ import annotations

import hashlib
import json
import os
import weakref
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, overload

from mendbench.io.files import Appended, write_parts_atomically
from mendbench.model.trial import JsonRow
from mendbench.scoring.record_table import Records, records_of
from mendbench.values.lru import LruCache

OFFSETS = "Q"
"""What places in a file are held as in an array: 64 bits."""

_AT_ONCE = 1_000_000
"""Bytes of a file that are read together where all of it is gone through."""

_TEXTS_KEPT = 64
"""Long texts that were asked for a moment ago: a trial's neighbours have most of them too."""


class Lines:
    """The lines of a file by number, from 0, in the order in which they stand there."""

    def __init__(self, path: Path, starts: array[int]) -> None:
        """Open a file. ``starts`` are the offsets of its lines and, last, that of its end; more may be added."""
        self.starts = starts
        self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        weakref.finalize(self, os.close, self._file)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.starts) - 1

    def size(self) -> int:
        """Return how many bytes the file has now."""
        return os.fstat(self._file).st_size

    def whole(self) -> BinaryIO:
        """Return the same file to be read from its beginning."""
        file = os.fdopen(os.dup(self._file), "rb")
        file.seek(0)
        return file

    def digest(self) -> str:
        """Return the SHA-256 of the whole file, in hexadecimal digits."""
        known = hashlib.sha256()
        with self.whole() as file:
            while part := file.read(_AT_ONCE):
                known.update(part)
        return known.hexdigest()

    def __getitem__(self, number: int) -> bytes:
        """Return a line as it stands there, with its end."""
        start = self.starts[number]
        size = self.starts[number + 1] - start
        found = os.pread(self._file, size, start)
        while len(found) < size and (more := os.pread(self._file, size - len(found), start + len(found))):
            found += more
        return found


class GrowingFile:
    """A file that lines are appended to: each piece of it is there whole, or not at all."""

    def __init__(self, path: Path, begun: Iterable[str]) -> None:
        """Begin a file anew with some lines: it has all of them, or is as it was.

        Raises:
            OSError: it cannot be written.
        """
        self._starts = array(OFFSETS, [0])
        write_parts_atomically(path, indexed_lines((line.encode() for line in begun), self._starts))
        self._lines = Lines(path, self._starts)
        self._file = Appended(path)

    def append(self, *lines: str) -> int:
        """Add lines, each with its end, and return the number of the first.

        Raises:
            OSError: they cannot be written; the file, and what is known of it, is then as it was.
        """
        raw = [line.encode() for line in lines]
        self._file.add(b"".join(raw))
        first = len(self._lines)
        for line in raw:
            self._starts.append(self._starts[-1] + len(line))
        return first

    def close(self) -> None:
        """Let go of the file. Its lines can be read all the same."""
        self._file.close()

    def lines(self) -> Lines:
        """Return the lines that are there, now and later."""
        return self._lines


def indexed_lines(lines: Iterable[bytes], starts: array[int]) -> Iterator[bytes]:
    """Yield lines, and add to ``starts`` where each ends."""
    for line in lines:
        starts.append(starts[-1] + len(line))
        yield line


class StoredRows(Sequence[JsonRow]):
    """The rows of a run, each read when it is asked for."""

    def __init__(self, lines: Lines, *, order: Sequence[int] | None = None, records: Records | None = None) -> None:
        """Take rows from lines; ``order`` are the numbers of the lines in the order of the rows, all of them if left out.

        ``records`` are those of the rows, where they are known.
        """
        self._lines, self._order, self._records = lines, order, records

    def records(self) -> Records:
        """Return what scores are computed from. The rows are read for it once."""
        if self._records is None:
            self._records = records_of(self)
        return self._records

    def known(self) -> Records | None:
        """Return the records if they were asked for before."""
        return self._records

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._lines) if self._order is None else len(self._order)

    @overload
    def __getitem__(self, at: int) -> JsonRow: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[JsonRow, ...]: ...
    def __getitem__(self, at: Any) -> Any:
        """Return the row at a place, or those of a part."""
        if isinstance(at, slice):
            return tuple(self[one] for one in range(*at.indices(len(self))))
        places = range(len(self))
        return json.loads(self._lines[places[at] if self._order is None else self._order[at]])

    def __iter__(self) -> Iterator[JsonRow]:
        """Yield the rows one by one; none is kept."""
        return (self[at] for at in range(len(self)))

    def lines(self) -> Lines:
        """Return the lines of the file that they stand in, in its order."""
        return self._lines

    def raw(self) -> Iterator[bytes]:
        """Yield the rows as they stand in the file."""
        return (self._lines[at] for at in (range(len(self)) if self._order is None else self._order))

    def __eq__(self, other: object) -> bool:
        """Return whether the other ones are the same rows in the same order."""
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        return len(self) == len(other) and all(one == two for one, two in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]


class StoredTexts(Mapping[str, str]):
    """The long texts of a run by digest, each read when it is asked for."""

    def __init__(self, lines: Lines, numbers: Mapping[str, int]) -> None:
        """Take texts from lines; ``numbers`` are the numbers of the lines by the texts' digests."""
        self._lines, self._numbers = lines, numbers
        self._recent = LruCache[str, str](_TEXTS_KEPT)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._numbers)

    def __iter__(self) -> Iterator[str]:
        """Yield the digests."""
        return iter(self._numbers)

    def __contains__(self, digest: object) -> bool:
        """Return whether there is a text of that digest; none is read."""
        return digest in self._numbers

    def __getitem__(self, digest: str) -> str:
        """Return the text of a digest."""
        number = self._numbers[digest]
        return self._recent.get(digest, lambda: str(json.loads(self._lines[number])["text"]))

    def lines(self) -> Lines:
        """Return the lines of the file that they stand in."""
        return self._lines

    def raw(self, digest: str) -> bytes:
        """Return the line of a text as it stands in the file."""
        return self._lines[self._numbers[digest]]

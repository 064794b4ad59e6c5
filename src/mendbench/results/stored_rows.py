"""Lines of a file that are read on demand: only their offsets are kept in memory.

The file is opened once. Renaming or replacing it later has no effect.
"""

from __future__ import annotations

import hashlib
import json
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, overload

from mendbench.io.files import Appended, write_parts_atomically
from mendbench.io.opened_files import opened
from mendbench.model.trial import TrialRow
from mendbench.scoring.record_table import Records, records_of
from mendbench.values.lru import LruCache

OFFSETS = "Q"
"""Array type code of file offsets: 64 bits."""

_AT_ONCE = 1_000_000
"""Chunk size in bytes for reading a whole file."""

_TEXTS_KEPT = 64
"""Number of recently read long texts that are cached: neighbouring trials share most of them."""


class Lines:
    """The lines of a file by number, from 0, in file order."""

    def __init__(self, path: Path, starts: array[int]) -> None:
        """Open a file. ``starts`` are the offsets of its lines and, last, of its end; more may be added later."""
        self.starts = starts
        self._file = opened(path)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.starts) - 1

    def size(self) -> int:
        """Return the current size of the file in bytes."""
        return self._file.size()

    def whole(self) -> BinaryIO:
        """Return a handle on the same file, positioned at its beginning."""
        return self._file.whole()

    def digest(self) -> str:
        """Return the SHA-256 of the whole file, in hexadecimal digits."""
        known = hashlib.sha256()
        with self.whole() as file:
            while part := file.read(_AT_ONCE):
                known.update(part)
        return known.hexdigest()

    def __getitem__(self, number: int) -> bytes:
        """Return the raw bytes of a line, with its line end."""
        start = self.starts[number]
        return self._file.at(start, self.starts[number + 1] - start)

    def grew(self, data: bytes) -> None:
        """Take note of what was appended to the file."""
        self._file.grew(data)


class GrowingFile:
    """A file that lines are appended to: each append is written whole or not at all."""

    def __init__(self, path: Path, begun: Iterable[bytes]) -> None:
        """Replace the file's content with some lines: it then has all of them, or is unchanged.

        Raises:
            OSError: the file cannot be written.
        """
        self._starts = array(OFFSETS, [0])
        write_parts_atomically(path, indexed_lines(begun, self._starts))
        self._lines = Lines(path, self._starts)
        self._file = Appended(path)

    def append(self, *lines: bytes) -> int:
        """Add lines, each with its line end, and return the number of the first.

        Raises:
            OSError: they cannot be written; the file and its offsets are unchanged.
        """
        data = b"".join(lines)
        self._file.add(data)
        self._lines.grew(data)
        first = len(self._lines)
        for line in lines:
            self._starts.append(self._starts[-1] + len(line))
        return first

    def close(self) -> None:
        """Close the file for writing. Its lines can still be read."""
        self._file.close()

    def lines(self) -> Lines:
        """Return the lines of the file, including those that are appended later."""
        return self._lines


def indexed_lines(lines: Iterable[bytes], starts: array[int]) -> Iterator[bytes]:
    """Yield lines, and append the end offset of each to ``starts``."""
    for line in lines:
        starts.append(starts[-1] + len(line))
        yield line


class StoredRows(Sequence[TrialRow]):
    """The rows of a run, each read on demand."""

    def __init__(self, lines: Lines, *, order: Sequence[int] | None = None, records: Records | None = None) -> None:
        """Take rows from lines; ``order`` are the line numbers in the order of the rows, by default all lines in file order.

        ``records`` are the records of the rows, if already known.
        """
        self._lines, self._order, self._records = lines, order, records

    def records(self) -> Records:
        """Return the records that scores are computed from. The rows are read once for this."""
        if self._records is None:
            self._records = records_of(self)
        return self._records

    def known(self) -> Records | None:
        """Return the records if they are already computed."""
        return self._records

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._lines) if self._order is None else len(self._order)

    @overload
    def __getitem__(self, at: int) -> TrialRow: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[TrialRow, ...]: ...
    def __getitem__(self, at: Any) -> Any:
        """Return the row at an index, or the rows of a slice."""
        if isinstance(at, slice):
            return tuple(self[one] for one in range(*at.indices(len(self))))
        return json.loads(self.line(at))

    def line(self, at: int) -> bytes:
        """Return the raw line of the row at an index."""
        places = range(len(self))
        return self._lines[places[at] if self._order is None else self._order[at]]

    def __iter__(self) -> Iterator[TrialRow]:
        """Yield the rows one by one; none is kept."""
        return (self[at] for at in range(len(self)))

    def lines(self) -> Lines:
        """Return the lines of the file that contains the rows, in file order."""
        return self._lines

    def raw(self) -> Iterator[bytes]:
        """Yield the raw lines of the rows."""
        return (self._lines[at] for at in (range(len(self)) if self._order is None else self._order))

    def __eq__(self, other: object) -> bool:
        """Return whether both have the same rows in the same order."""
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        return len(self) == len(other) and all(one == two for one, two in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]


class StoredTexts(Mapping[str, str]):
    """The long texts of a run by digest, each read on demand."""

    def __init__(self, lines: Lines, numbers: Mapping[str, int]) -> None:
        """Take texts from lines; ``numbers`` are the line numbers by digest of the text."""
        self._lines, self._numbers = lines, numbers
        self._recent = LruCache[str, str](_TEXTS_KEPT)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._numbers)

    def __iter__(self) -> Iterator[str]:
        """Yield the digests."""
        return iter(self._numbers)

    def __contains__(self, digest: object) -> bool:
        """Return whether there is a text with that digest. No text is read."""
        return digest in self._numbers

    def __getitem__(self, digest: str) -> str:
        """Return the text with a digest."""
        number = self._numbers[digest]
        return self._recent.get(digest, lambda: str(json.loads(self._lines[number])["text"]))

    def lines(self) -> Lines:
        """Return the lines of the file that contains the texts."""
        return self._lines

    def raw(self, digest: str) -> bytes:
        """Return the raw line of a text."""
        return self._lines[self._numbers[digest]]

"""The pools of the cases of a run, in memory or, if they are large, in a file: one for each case, and one for what several cases share.

An entry of a pool refers to earlier ones by number. To find what cases share, every entry has a digest of its expanded value,
which is the same in every pool.
"""

from __future__ import annotations

import contextlib
import heapq
import marshal
import tempfile
import weakref
from array import array
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import groupby
from typing import IO, Any, TypeAlias, overload

from mendbench.io.temporary_folders import reported_folder_errors
from mendbench.model.json import Json, JsonObject
from mendbench.values.interning import NUMBERS

TEXT_LINES, LIST = -1, 0
"""The type of a pool's entry, its first number; from 1 on it is the number of an object's shape."""

Entry: TypeAlias = str | int | float | bool | list[int] | None

_DIGEST = 16
"""Bytes of a digest: two different entries have the same digest with a probability of 2^-128."""

_IN_MEMORY = 32_000_000
"""Size of pools, in bytes, above which they are stored in an unnamed file in the temporary folder."""

_READ = 1024
"""Digests of one case that are read at once during the merge over all cases."""


class PoolFile(Sequence[JsonObject]):
    """For each case its ``pool``, without what cases share, and the references of its ``rows``."""

    def __init__(self) -> None:
        """Create the file.

        Raises:
            BadInput: the temporary folder has no room for it.
        """
        with reported_folder_errors():
            self._file = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - open as long as the parts can be asked for
        weakref.finalize(self, _close, self._file)
        self._cases: list[tuple[int, int, int]] = []
        """For each case: the offset of its sorted digests, their number, and the offset of its pool."""
        self._common: dict[bytes, int] = {}

    def add(self, entries: Sequence[Entry], refs: Sequence[int]) -> None:
        """Take the pool of the next case, and the references of its rows.

        Raises:
            BadInput: the temporary folder has no room for it.
        """
        own = _reached(entries, refs)
        numbers = {place: number for number, place in enumerate(own)}
        kept = [_renumbered(entries[place], numbers) for place in own]
        digests = list(_digests(kept))
        rows = array(NUMBERS, (numbers[ref] for ref in refs)).tobytes()
        with reported_folder_errors():
            begin = self._file.seek(0, 2)
            self._file.write(b"".join(sorted(digests)))
            self._cases.append((begin, len(digests), self._file.tell()))
            marshal.dump((kept, b"".join(digests), rows), self._file)
            self._file.flush()

    def common(self) -> tuple[Entry, ...]:
        """Return the pool of entries that more than one case has, and remove them from the cases' own pools."""
        found = groupby(heapq.merge(*(self._in_order(begin, count) for begin, count, _ in self._cases)))
        shared = {digest for digest, same in found if next(same) and next(same, None)}
        texts: dict[bytes, Entry] = {}
        others: dict[bytes, Any] = {}
        for number in range(len(self)):
            entries, digests, _ = self._read(number)
            for entry, digest in zip(entries, digests, strict=True):
                if digest in shared and isinstance(entry, str):
                    texts.setdefault(digest, entry)
                elif digest in shared and digest not in others:
                    others[digest] = _by_digest(entry, digests)
        self._common = {digest: number for number, digest in enumerate((*texts, *others))}
        return (*texts.values(), *(self._in_common(entry) for entry in others.values()))

    def __len__(self) -> int:
        """Return how many cases there are."""
        return len(self._cases)

    @overload
    def __getitem__(self, at: int) -> JsonObject: ...
    @overload
    def __getitem__(self, at: slice) -> list[JsonObject]: ...
    def __getitem__(self, at: Any) -> Any:
        """Return the own pool and the rows of one case."""
        if isinstance(at, slice):
            return [self[index] for index in range(*at.indices(len(self)))]
        entries, digests, rows = self._read(range(len(self))[at])
        own = [place for place, digest in enumerate(digests) if digest not in self._common]
        own.sort(key=lambda place: not isinstance(entries[place], str))
        numbers = {place: self._common[digest] for place, digest in enumerate(digests) if digest in self._common}
        numbers |= {place: len(self._common) + number for number, place in enumerate(own)}
        pool: list[Json] = [_renumbered(entries[place], numbers) for place in own]
        return {"pool": pool, "rows": [numbers[ref] for ref in rows]}

    def _in_common(self, entry: Any) -> Entry:
        return [entry[0], *(self._common[digest] for digest in entry[1:])] if isinstance(entry, list) else entry

    def _read(self, number: int) -> tuple[list[Entry], list[bytes], array[int]]:
        self._file.seek(self._cases[number][2])
        entries, raw, refs = marshal.load(self._file)  # noqa: S302 - written above, in a file without a name
        rows = array(NUMBERS)
        rows.frombytes(refs)
        return entries, [raw[at : at + _DIGEST] for at in range(0, len(raw), _DIGEST)], rows

    def _in_order(self, begin: int, count: int) -> Iterator[bytes]:
        """Yield the digests of one case in order."""
        for start in range(0, count, _READ):
            self._file.seek(begin + start * _DIGEST)
            raw = self._file.read(min(_READ, count - start) * _DIGEST)
            yield from (raw[at : at + _DIGEST] for at in range(0, len(raw), _DIGEST))


def _close(file: IO[bytes]) -> None:
    with contextlib.suppress(OSError):  # after a failed write, closing fails too
        file.close()


def _digests(entries: Sequence[Entry]) -> Iterator[bytes]:
    """Yield the digest of every entry; an entry refers only to earlier ones."""
    made: list[bytes] = []
    for entry in entries:
        if isinstance(entry, list):
            raw = b"%d " % entry[0] + b"".join(made[ref] for ref in entry[1:])
        elif isinstance(entry, str):
            raw = b"s" + entry.encode("utf-8", "surrogatepass")
        else:
            raw = f"{type(entry).__name__} {entry!r}".encode()
        made.append(blake2b(raw, digest_size=_DIGEST).digest())
        yield made[-1]


def _by_digest(entry: Entry, digests: Sequence[bytes]) -> Any:
    return [entry[0], *(digests[ref] for ref in entry[1:])] if isinstance(entry, list) else entry


def _reached(entries: Sequence[Entry], refs: Sequence[int]) -> list[int]:
    """Return the places of all entries that rows refer to, in order."""
    found: set[int] = set()
    todo = list(refs)
    while todo:
        place = todo.pop()
        if place not in found:
            found.add(place)
            entry = entries[place]
            todo += entry[1:] if isinstance(entry, list) else ()
    return sorted(found)


def _renumbered(entry: Entry, numbers: Mapping[int, int]) -> Entry:
    return [entry[0], *(numbers[ref] for ref in entry[1:])] if isinstance(entry, list) else entry

"""Interning: shared values, each stored once under a number, and compact lists of names with common prefixes."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")

NUMBERS = "I"
"""The array type code for the numbers of values: 32 bits, enough for 4,294,967,295 values."""

_HEAD = 24
"""The length of the prefix by which names are grouped before sorting, so that few of them are in memory at a time."""


class Interned(Generic[T]):
    """Distinct values in the order of their insertion."""

    def __init__(self) -> None:
        self.values: list[T] = []
        self._numbers: dict[object, int] = {}

    def number(self, value: T) -> int:
        """Return the number of a value. Equal values have the same number. Unhashable values are compared by their representation."""
        known: object = value
        try:
            found = self._numbers.get(known)
        except TypeError:
            known = (Interned, repr(value))
            found = self._numbers.get(known)
        if found is None:
            found = self._numbers[known] = len(self.values)
            self.values.append(value)
        return found


class Names(Sequence[str]):
    """Names of parts with a separator between them. The text before the last separator and the text after it are stored once each."""

    def __init__(self, separator: str, names: Iterable[str] = ()) -> None:
        self._separator = separator
        self._heads, self._tails = Interned[str](), Interned[str]()
        self._head, self._tail = array(NUMBERS), array(NUMBERS)
        for name in names:
            self.append(name)

    @classmethod
    def of_coded(cls, separator: str, heads: list[str], tails: list[str], head: array[int], tail: array[int]) -> Names:
        """Return the names of which :meth:`coded` returned these parts."""
        names = cls(separator)
        for one in heads:
            names._heads.number(one)
        for one in tails:
            names._tails.number(one)
        names._head, names._tail = head, tail
        return names

    def coded(self) -> tuple[list[str], list[str], array[int], array[int]]:
        """Return the distinct texts before and after the last separator, and the number of each name's two texts."""
        return self._heads.values, self._tails.values, self._head, self._tail

    def append(self, name: str) -> None:
        """Add a name at the end."""
        head, separator, tail = name.rpartition(self._separator)
        self._head.append(self._heads.number(head + separator))
        self._tail.append(self._tails.number(tail))

    def __len__(self) -> int:
        """Return the number of names."""
        return len(self._head)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[str, ...]: ...
    def __getitem__(self, at: Any) -> Any:
        """Return the name at an index."""
        if isinstance(at, slice):
            return tuple(self[index] for index in range(*at.indices(len(self))))
        return self._heads.values[self._head[at]] + self._tails.values[self._tail[at]]

    def __iter__(self) -> Iterator[str]:
        """Yield the names in the order of their insertion."""
        heads, tails = self._heads.values, self._tails.values
        return (heads[head] + tails[tail] for head, tail in zip(self._head, self._tail, strict=True))

    def in_order(self) -> array[int]:
        """Return the indexes of the names, sorted by name; for a repeated name, only the last index."""
        apart: dict[str, array[int]] = defaultdict(lambda: array(NUMBERS))
        for at, name in enumerate(self):
            apart[name[:_HEAD]].append(at)
        places = array(NUMBERS)
        for head in sorted(apart):
            found = {self[at]: at for at in apart.pop(head)}
            places.extend(found[name] for name in sorted(found))
        return places

"""Values that many things have in common, each kept once and known by a number; and lists of names that begin alike."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")

NUMBERS = "I"
"""What numbers of values are held as in an array: 32 bits, enough for 4,294,967,295 of them."""

_HEAD = 24
"""Characters by which names are laid apart before they are sorted, so that few of them are spelled out at a time."""


class Interned(Generic[T]):
    """Values, each once, in the order in which they came."""

    def __init__(self) -> None:
        self.values: list[T] = []
        self._numbers: dict[object, int] = {}

    def number(self, value: T) -> int:
        """Return the number of a value. Values that are equal have one number; what has no hash is told apart by how it is shown."""
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
    """Names of parts with a separator between them. What comes before the last one, and what comes after it, is kept once each."""

    def __init__(self, separator: str, names: Iterable[str] = ()) -> None:
        self._separator = separator
        self._heads, self._tails = Interned[str](), Interned[str]()
        self._head, self._tail = array(NUMBERS), array(NUMBERS)
        for name in names:
            self.append(name)

    def append(self, name: str) -> None:
        """Add a name at the end."""
        head, separator, tail = name.rpartition(self._separator)
        self._head.append(self._heads.number(head + separator))
        self._tail.append(self._tails.number(tail))

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._head)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[str, ...]: ...
    def __getitem__(self, at: Any) -> Any:
        """Return the name at a place."""
        if isinstance(at, slice):
            return tuple(self[one] for one in range(*at.indices(len(self))))
        return self._heads.values[self._head[at]] + self._tails.values[self._tail[at]]

    def __iter__(self) -> Iterator[str]:
        """Yield the names in the order in which they came."""
        heads, tails = self._heads.values, self._tails.values
        return (heads[head] + tails[tail] for head, tail in zip(self._head, self._tail, strict=True))

    def in_order(self) -> array[int]:
        """Return the places of the names in the order of the names; of a name that came several times, the last place alone."""
        apart: dict[str, array[int]] = defaultdict(lambda: array(NUMBERS))
        for at, name in enumerate(self):
            apart[name[:_HEAD]].append(at)
        places = array(NUMBERS)
        for head in sorted(apart):
            found = {self[at]: at for at in apart.pop(head)}
            places.extend(found[name] for name in sorted(found))
        return places

"""How large a value is, counted so that it costs no more than the bound that it is held against."""

from __future__ import annotations

from mendbench.model.json import Json

PER_VALUE = 8
"""What each value counts besides its text: as much as so many characters."""


def size_of(value: Json, most: int, levels: int | None = None) -> int:
    """Return the size of ``value`` as if it were written out: the characters of all its texts and keys, and 8 for each value.

    What stands in it twice counts twice, whether or not memory holds it once. Counting ends once it is over ``most``; what nests
    deeper than ``levels`` is over it too.
    """
    if isinstance(value, str):
        return PER_VALUE + len(value)
    size, depth, layer = 0, 0, [value]
    while layer:
        inner: list[Json] = []
        for one in layer:
            size += PER_VALUE
            if isinstance(one, str):
                size += len(one)
            elif isinstance(one, dict):
                size += sum(len(key) if isinstance(key, str) else PER_VALUE for key in one)
                inner.extend(one.values())
            elif isinstance(one, list | tuple):
                inner.extend(one)
            if size + len(inner) * PER_VALUE > most:
                return most + 1
        layer = inner
        depth += 1
        if layer and levels is not None and depth > levels:
            return most + 1
    return size

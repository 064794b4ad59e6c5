"""The size of a value, computed at a cost that is limited by the bound it is compared with."""

from __future__ import annotations

from mendbench.model.json import Json

PER_VALUE = 8
"""The fixed size of each value besides its text, in characters."""


def size_of(value: Json, most: int, levels: int | None = None) -> int:
    """Return the serialised size of ``value``: the characters of all its texts and keys, and 8 for each value.

    A value that occurs twice counts twice, even if it is one object in memory. Counting ends above ``most``; a value that nests deeper than
    ``levels`` also exceeds it.
    """
    if isinstance(value, str):
        return PER_VALUE + len(value)
    size, depth, layer = 0, 0, [value]
    while layer:
        inner: list[Json] = []
        for item in layer:
            size += PER_VALUE
            if isinstance(item, str):
                size += len(item)
            elif isinstance(item, dict):
                size += sum(len(key) if isinstance(key, str) else PER_VALUE for key in item)
                inner.extend(item.values())
            elif isinstance(item, list | tuple):
                inner.extend(item)
            if size + len(inner) * PER_VALUE > most:
                return most + 1
        layer = inner
        depth += 1
        if layer and levels is not None and depth > levels:
            return most + 1
    return size

"""Lists of names in messages."""

from __future__ import annotations

from collections.abc import Collection
from itertools import islice

MAX_NAMES = 4
"""Names that a line lists."""


def few(names: Collection[object], separator: str = ", ", most: int = MAX_NAMES) -> str:
    """Return the first ``most`` names in one line, and how many more there are."""
    more = len(names) - most
    return separator.join(map(str, islice(names, most))) + (f" and {more} more" if more > 0 else "")

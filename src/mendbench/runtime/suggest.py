"""What a wrong name was most likely meant to be. All of it is our own diagnosis, never an API's word."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

CUTOFF = 0.6
"""Least likeness, 0 to 1, of a name that is suggested: the default of :func:`difflib.get_close_matches`."""

MAX_NAME = 500
"""Characters of a name or path that is compared at all: comparing takes the square of them, and more."""

_SWAPPED = 0.95
"""Likeness of two names that differ by two neighbouring letters in the wrong order, or by one letter too many or too few."""

_SAME_WORDS = 0.9
"""Likeness of two names made of the same words in another order."""

_PART_OF = 0.7
"""Likeness where all words of one name are among the words of the other: ``user_id`` and ``id``."""

_LAST = 0.65
"""Share of the last segment in the likeness of two paths."""

_LONG_ENOUGH = 4
"""Letters that a name must have before one missing letter is taken for a slip."""

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+|[^\W\d_]+")
_INDEXES = re.compile(r"\[[^\]]*\]")


def closest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that ``name`` was most likely meant to be, or None if none is like it.

    Case, hyphens and underscores do not count; swapped and missing letters count little. Of equally good names the first in
    alphabetical order is returned.
    """
    ranked = sorted((-_likeness(name, other), other) for other in set(known))
    return ranked[0][1] if ranked and -ranked[0][0] >= CUTOFF else None


def closest_path(wanted: str, available: Iterable[str]) -> str | None:
    """Return the available path that ``wanted`` was most likely meant to be, or None.

    Paths are in template syntax: ``fetch.response.items[0].id``. The last segment counts most, so that a level left out
    (``data.messages`` for ``result.data.messages``) or an index left out (``issues.title`` for ``issues[0].title``) is found.
    """
    best: tuple[float, int, str] | None = None
    last = _INDEXES.sub("", _last(wanted))
    for path in set(available):
        if path == wanted:
            return path
        score = _path_likeness(wanted, last, path)
        if score > 0:
            rank = (-score, len(path), path)
            best = rank if best is None or rank < best else best
    return best[2] if best else None


def _path_likeness(wanted: str, last: str, path: str) -> float:
    """Return how like two paths are, 0 if their last segments are not."""
    tail = _likeness(last, _INDEXES.sub("", _last(path)))
    if tail < CUTOFF or max(len(wanted), len(path)) > MAX_NAME:
        return 0.0
    return _LAST * tail + (1 - _LAST) * SequenceMatcher(None, wanted, path, autojunk=False).ratio()


def _last(path: str) -> str:
    return path.rsplit(".", 1)[-1]


def _likeness(one: str, other: str) -> float:
    a, b = _plain(one), _plain(other)
    if not a or not b:
        return 0.0
    if a == b:
        return 1.0
    if max(len(a), len(b)) > MAX_NAME:
        return 0.0
    if _one_slip(a, b):
        return _SWAPPED
    ratio = SequenceMatcher(None, min(a, b), max(a, b), autojunk=False).ratio()
    return max(ratio, _by_words(one, other))


def _plain(name: str) -> str:
    return name.casefold().replace("-", "").replace("_", "").replace(" ", "")


def _by_words(one: str, other: str) -> float:
    a, b = ({word.casefold() for word in _WORDS.findall(name)} for name in (one, other))
    if not a or not b:
        return 0.0
    if a == b:
        return _SAME_WORDS
    return _PART_OF if a < b or b < a else 0.0


def _one_slip(a: str, b: str) -> bool:
    """Return whether two neighbouring letters changed places, or one letter is too many."""
    short, long = sorted((a, b), key=len)
    if len(short) < _LONG_ENOUGH or len(long) - len(short) > 1:
        return False
    at = next((i for i, (x, y) in enumerate(zip(short, long, strict=False)) if x != y), len(short))
    if len(short) < len(long):
        return short[at:] == long[at + 1 :]
    return short[at : at + 2] == long[at : at + 2][::-1] and short[at + 2 :] == long[at + 2 :]

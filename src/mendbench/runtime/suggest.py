"""Suggests the most likely intended name for a wrong one. Suggestions are our own diagnosis, never from an API."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

CUTOFF = 0.6
"""Minimum similarity, 0 to 1, of a suggested name: the default of :func:`difflib.get_close_matches`."""

MAX_NAME = 80
"""Maximum length of a compared name in characters: comparison takes at least quadratic time."""

MAX_PATH = 500
"""Maximum length of a compared path in characters."""

MAX_COMPARED = 2_000_000
"""Maximum character pairs compared for one document, or for one failure of a node. Beyond it nothing is suggested, so that results do
not depend on the order."""

_A_PAIR = 100
"""Base cost of each pair of names, even if they are not compared closely."""

_SWAPPED = 0.95
"""Similarity of two names that differ by two swapped adjacent letters, or by one extra or missing letter."""

_SAME_WORDS = 0.9
"""Similarity of two names with the same words in another order."""

_PART_OF = 0.7
"""Similarity if all words of one name are among the words of the other: ``user_id`` and ``id``."""

_LAST = 0.65
"""Weight of the last segment in the similarity of two paths."""

_LONG_ENOUGH = 4
"""Minimum length of a name in which one missing letter counts as a typo."""

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+|[^\W\d_]+")
_INDEXES = re.compile(r"\[[^\]]*\]")


class Guesses:
    """Suggestions for the wrong names of one document, within a limit on comparison work."""

    def __init__(self, room: int = MAX_COMPARED) -> None:
        self._room = room

    def closest(self, name: str, known: Iterable[str]) -> str | None:
        """Return the known name closest to ``name``, or None if none is similar.

        Case, hyphens and underscores do not count; swapped and missing letters count little. Ties return the first name in
        alphabetical order.
        """
        if self._room < 0:
            return None
        best = min(((-self._likeness(name, other), other) for other in set(known)), default=(0.0, ""))
        return best[1] if self._room >= 0 and -best[0] >= CUTOFF else None

    def closest_path(self, wanted: str, available: Iterable[str]) -> str | None:
        """Return the available path closest to ``wanted``, or None.

        Paths are in template syntax: ``fetch.response.items[0].id``. The last segment counts most, so that a path with a missing
        level (``data.messages`` for ``result.data.messages``) or index (``issues.title`` for ``issues[0].title``) is found.
        """
        if self._room < 0:
            return None
        paths = set(available)
        if wanted in paths:
            return wanted
        last = _INDEXES.sub("", _last(wanted))
        ranked = ((-self._path_likeness(wanted, last, path), len(path), path) for path in paths)
        best = min((rank for rank in ranked if rank[0] < 0), default=None)
        return best[2] if self._room >= 0 and best is not None else None

    def _path_likeness(self, wanted: str, last: str, path: str) -> float:
        """Return the similarity of two paths, 0 if their last segments are not similar."""
        tail = self._likeness(last, _INDEXES.sub("", _last(path)))
        if tail < CUTOFF or max(len(wanted), len(path)) > MAX_PATH or not self._paid(len(wanted) * len(path)):
            return 0.0
        return _LAST * tail + (1 - _LAST) * SequenceMatcher(None, wanted, path, autojunk=False).ratio()

    def _likeness(self, name: str, other: str) -> float:
        """Return the similarity of two names. A value below :data:`CUTOFF` may be an underestimate."""
        if max(len(name), len(other)) > MAX_NAME or not self._paid(_A_PAIR):
            return 0.0
        a, b = _plain(name), _plain(other)
        if not a or not b:
            return 0.0
        if a == b:
            return 1.0
        if _one_slip(a, b):
            return _SWAPPED
        return max(self._ratio(min(a, b), max(a, b)), _by_words(name, other))

    def _ratio(self, a: str, b: str) -> float:
        """Return the similarity ratio of two names, or 0 if it is too low for a close comparison."""
        compared = SequenceMatcher(None, a, b, autojunk=False)
        if min(compared.real_quick_ratio(), compared.quick_ratio()) < CUTOFF or not self._paid(len(a) * len(b)):
            return 0.0
        return compared.ratio()

    def _paid(self, pairs: int) -> bool:
        """Return whether the work limit allows this number of character pairs, and deduct them."""
        self._room -= pairs
        return self._room >= 0


def _last(path: str) -> str:
    return path.rsplit(".", 1)[-1]


def _plain(name: str) -> str:
    return name.casefold().replace("-", "").replace("_", "").replace(" ", "")


def _by_words(name: str, other: str) -> float:
    a, b = ({word.casefold() for word in _WORDS.findall(text)} for text in (name, other))
    if not a or not b:
        return 0.0
    if a == b:
        return _SAME_WORDS
    return _PART_OF if a < b or b < a else 0.0


def _one_slip(a: str, b: str) -> bool:
    """Return whether two adjacent letters are swapped, or one letter is extra."""
    short, long = sorted((a, b), key=len)
    if len(short) < _LONG_ENOUGH or len(long) - len(short) > 1:
        return False
    at = next((i for i, (x, y) in enumerate(zip(short, long, strict=False)) if x != y), len(short))
    if len(short) < len(long):
        return short[at:] == long[at + 1 :]
    return short[at : at + 2] == long[at : at + 2][::-1] and short[at + 2 :] == long[at + 2 :]

"""Merge conflicts that version control left in a text file."""

from __future__ import annotations

import re

from mendbench.errors import BadInput

_OPENING = re.compile(r"^<{7}(?: .*)?\r?$", re.MULTILINE)
_CLOSING = re.compile(r"^>{7}(?: .*)?\r?$", re.MULTILINE)
"""The first and the last line of a conflict, as Git and Mercurial write them."""


def refuse_conflict(text: str, place: str, first_line: int = 1) -> None:
    """Refuse a text with a merge conflict. ``place`` names the file, ``first_line`` is the first line of ``text`` in it.

    Raises:
        BadInput: there is one; names its first line.
    """
    opening = _OPENING.search(text)
    if opening is not None and _CLOSING.search(text, opening.end()) is not None:
        line = first_line + text.count("\n", 0, opening.start())
        raise BadInput(f"{place}:{line}", "a merge conflict", "resolve it")

"""A1 notation (https://developers.google.com/workspace/sheets/api/guides/concepts#cell): parsed and formatted.

Rows and columns count from 0, ends are exclusive, and None is an open end, as in the API's GridRange.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_MAX_LETTERS = 3
"""Columns go up to ZZZ, so that ``Sheet1`` is not a cell."""
_CORNER = re.compile(rf"\$?([A-Za-z]{{1,{_MAX_LETTERS}}})?\$?([1-9][0-9]{{0,6}})?")
_PLAIN_TITLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LETTERS = 26


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A rectangle of cells."""

    top: int = 0
    left: int = 0
    bottom: int | None = None
    right: int | None = None

    @property
    def single(self) -> bool:
        """Whether it is one cell. As a write range, one cell is a start and not a bound."""
        return self.bottom == self.top + 1 and self.right == self.left + 1

    def clipped(self, rows: int, columns: int) -> Box:
        """Return the box clipped to a grid of that size. It may be empty."""
        bottom = rows if self.bottom is None else min(self.bottom, rows)
        right = columns if self.right is None else min(self.right, columns)
        return Box(top=self.top, left=self.left, bottom=bottom, right=right)

    def meets(self, other: Box) -> bool:
        """Return whether the two boxes share a cell."""
        return _overlap(self.top, self.bottom, other.top, other.bottom) and _overlap(
            self.left, self.right, other.left, other.right
        )


def split_range(text: str) -> tuple[str | None, str]:
    """Return the sheet's title and the cells of a range. The title may be None, the cells may be empty.

    A text without ``!`` is always returned as cells. It may also be a sheet's title or a named range.

    Raises:
        ValueError: a quote is not closed, or text follows it.
    """
    if text.startswith("'"):
        end = _closing_quote(text)
        title, rest = text[1:end].replace("''", "'"), text[end + 1 :]
        if rest == "!" or (rest and not rest.startswith("!")):
            raise ValueError(text)
        return title, rest[1:]
    title, mark, cells = text.rpartition("!")
    if not mark:
        return None, text
    if not title or not cells:
        raise ValueError(text)
    return title, cells


def read_cells(text: str) -> Box:
    """Return the box of ``A1``, ``A1:B2``, ``A:B``, ``2:5`` or ``A2:C``.

    Raises:
        ValueError: it is none of these.
    """
    first, colon, last = text.partition(":")
    start = _corner(first)
    end = _corner(last) if colon else start
    if not colon and None in start:
        raise ValueError(text)
    columns = [value for value in (start[0], end[0]) if value is not None]
    rows = [value for value in (start[1], end[1]) if value is not None]
    both_columns, both_rows = len(columns) == 2, len(rows) == 2  # noqa: PLR2004 - two corners
    if not (both_columns or both_rows):
        raise ValueError(text)
    return Box(
        top=min(rows) if rows else 0,
        left=min(columns) if columns else 0,
        bottom=max(rows) + 1 if both_rows else None,
        right=max(columns) + 1 if both_columns else None,
    )


def column_name(index: int) -> str:
    """Return a column's letters: 0 is A, 26 is AA."""
    letters, rest = "", index + 1
    while rest:
        rest, letter = divmod(rest - 1, _LETTERS)
        letters = chr(ord("A") + letter) + letters
    return letters


def quoted(title: str) -> str:
    """Return a sheet's title as ranges show it: in quotes where it is ambiguous."""
    if _PLAIN_TITLE.fullmatch(title) and not _is_cells(title):
        return title
    return "'" + title.replace("'", "''") + "'"


def show_box(title: str, box: Box) -> str:
    """Return a closed box as a range with its sheet: ``'Seed lots'!A1:C7``, ``Sheet1!B2`` for one cell."""
    bottom = box.top + 1 if box.bottom is None else box.bottom
    right = box.left + 1 if box.right is None else box.right
    first = f"{column_name(box.left)}{box.top + 1}"
    last = f"{column_name(max(right - 1, 0))}{bottom}"
    return f"{quoted(title)}!{first}" + ("" if first == last else f":{last}")


def _closing_quote(text: str) -> int:
    index = 1
    while True:
        index = text.index("'", index)
        if text[index : index + 2] != "''":
            return index
        index += 2


def _corner(text: str) -> tuple[int | None, int | None]:
    found = _CORNER.fullmatch(text)
    if not found or not text.strip("$"):
        raise ValueError(text)
    column, row = found.groups()
    return None if column is None else _column_index(column), None if row is None else int(row) - 1


def _column_index(letters: str) -> int:
    index = 0
    for letter in letters.upper():
        index = index * _LETTERS + ord(letter) - ord("A") + 1
    return index - 1


def _is_cells(text: str) -> bool:
    try:
        read_cells(text)
    except ValueError:
        return False
    return True


def _overlap(start: int, end: int | None, other_start: int, other_end: int | None) -> bool:
    return (other_end is None or start < other_end) and (end is None or other_start < end)

"""The place of appended values: below the last table that the range touches.

A table is a block of filled cells without an empty row or column
(https://developers.google.com/workspace/sheets/api/guides/values#append_values).
"""

from __future__ import annotations

from dataclasses import dataclass

from mendbench.model.json import JsonObject
from mendbench.services.sheets.a1 import Box
from mendbench.services.sheets.cells import extent, is_filled
from mendbench.services.sheets.state import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Append:
    """The place where values are appended."""

    at: Box
    """The first cell."""
    table: Box | None
    """The table above the values; None if there is none."""
    inserts: bool
    """Whether rows are inserted for them."""


def place_append(place: Place, *, insert: bool, height: int) -> Append:
    """Return the place for values of that ``height``. Without a table they begin at the range's first cell."""
    seed = _last_filled(place)
    table = _grown(place.sheet, *seed) if seed else None
    top = place.box.top if table is None else table.bottom or 0
    left = place.box.left if table is None else table.left
    at = Box(top=top, left=left, bottom=top + 1, right=left + 1)
    return Append(at=at, table=table, inserts=insert and height > 0)


def _last_filled(place: Place) -> tuple[int, int] | None:
    rows, columns = extent(place.sheet)
    box = place.box.clipped(rows, columns)
    for row in range((box.bottom or 0) - 1, box.top - 1, -1):
        for column in range(box.left, box.right or 0):
            if is_filled(place.sheet, row, column):
                return row, column
    return None


def _grown(sheet: JsonObject, row: int, column: int) -> Box:
    """Return the block around a cell. It grows while a row or column next to it, corners included, has a filled cell."""
    rows, columns = extent(sheet)
    top, left, bottom, right = row, column, row + 1, column + 1
    while True:
        across, down = range(max(left - 1, 0), min(right + 1, columns)), range(max(top - 1, 0), min(bottom + 1, rows))
        if top and any(is_filled(sheet, top - 1, at) for at in across):
            top -= 1
        elif bottom < rows and any(is_filled(sheet, bottom, at) for at in across):
            bottom += 1
        elif left and any(is_filled(sheet, at, left - 1) for at in down):
            left -= 1
        elif right < columns and any(is_filled(sheet, at, right) for at in down):
            right += 1
        else:
            return Box(top=top, left=left, bottom=bottom, right=right)

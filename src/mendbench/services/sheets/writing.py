"""Writing values to a sheet: the target cells, and whether the values fit."""

from __future__ import annotations

from mendbench.model.json import Json, JsonObject
from mendbench.services.sheets.a1 import Box, column_name, show_box
from mendbench.services.sheets.cells import size_of, typed, write_cell
from mendbench.services.sheets.errors import invalid
from mendbench.services.sheets.state import Place


def lines_of(value_range: JsonObject) -> list[list[Json]]:
    """Return the values of a checked ValueRange by rows. Shorter columns are filled with null."""
    lines = [line if isinstance(line, list) else [] for line in value_range.get("values") or []]
    if value_range.get("majorDimension") != "COLUMNS":
        return lines
    height = max((len(line) for line in lines), default=0)
    return [[line[row] if row < len(line) else None for line in lines] for row in range(height)]


def written_box(place: Place, lines: list[list[Json]]) -> Box:
    """Return the cells that ``lines`` cover, starting at the range's first cell.

    Raises:
        SheetsError: the values exceed the grid, or a range of more than one cell.
    """
    box = place.box
    width = max((len(line) for line in lines), default=0)
    covered = Box(top=box.top, left=box.left, bottom=box.top + len(lines), right=box.left + width)
    if not box.single:
        _within_range(place, lines)
    rows, columns = size_of(place.sheet)
    if (covered.bottom or 0) > rows or (covered.right or 0) > columns or box.top >= rows or box.left >= columns:
        where = show_box(place.sheet["title"], covered if lines and width else box)
        raise invalid(f"Range ({where}) exceeds grid limits. Max rows: {rows}, max columns: {columns}")
    return covered


def write_lines(place: Place, lines: list[list[Json]], *, as_user: bool) -> int:
    """Write the values and return the number of cells written. A null leaves a cell unchanged."""
    count = 0
    for row, line in enumerate(lines):
        for column, value in enumerate(line):
            if value is not None:
                write_cell(place.sheet, place.box.top + row, place.box.left + column, typed(value, as_user=as_user))
                count += 1
    return count


def _within_range(place: Place, lines: list[list[Json]]) -> None:
    box = place.box
    rows, columns = size_of(place.sheet)
    where = show_box(place.sheet["title"], box.clipped(max(rows, box.top + 1), max(columns, box.left + 1)))
    tried = f"Requested writing within range [{where}], but tried writing to"
    if box.bottom is not None and box.top + len(lines) > box.bottom:
        raise invalid(f"{tried} row [{box.bottom + 1}]")
    width = max((len(line) for line in lines), default=0)
    if box.right is not None and box.left + width > box.right:
        raise invalid(f"{tried} column [{column_name(box.right)}]")

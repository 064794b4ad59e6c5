"""Cells: how sent values are stored and shown.

A cell in the state is a text, a number, a boolean, ``""`` or null for an empty one, or ``{"value": 46085, "shown":
"2026-03-04"}`` for a number with another display form. Formulas are stored and shown as typed; they are not computed.
"""

from __future__ import annotations

import re
from datetime import date

from mendbench.model.json import Json, JsonObject
from mendbench.services.sheets.a1 import Box

_EPOCH = date(1899, 12, 30)
"""Day 0 of serial numbers (DateTimeRenderOption, SERIAL_NUMBER)."""
_NUMBER = re.compile(r"[+-]?(\d{1,15}(\.\d{0,10})?|\.\d{1,10})")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3}){1,4}(\.\d{1,10})?")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_SHOWN_DIGITS = 10


def typed(value: Json, *, as_user: bool) -> Json:
    """Return the cell for a sent value: unchanged, or, with USER_ENTERED, parsed as if a user had typed it."""
    if not as_user or not isinstance(value, str):
        return value
    text = value.strip()
    if value.startswith("'"):
        return value[1:]
    if text.upper() in {"TRUE", "FALSE"}:
        return text.upper() == "TRUE"
    if _NUMBER.fullmatch(text):
        return _whole(float(text))
    if _THOUSANDS.fullmatch(text):
        return {"value": _whole(float(text.replace(",", ""))), "shown": text.removeprefix("+")}
    if text.endswith("%") and _NUMBER.fullmatch(text[:-1]):
        return {"value": _whole(float(text[:-1]) / 100), "shown": text.removeprefix("+")}
    return _dated(text) if _DATE.fullmatch(text) else value


def shown(cell: Json, render: str) -> Json:
    """Return a cell in the form of ``render`` (a ValueRenderOption). An empty cell is an empty text."""
    if cell is None or cell == "":
        return ""
    if isinstance(cell, dict):
        return str(cell.get("shown", "")) if render == "FORMATTED_VALUE" else cell.get("value", "")
    if render != "FORMATTED_VALUE" or isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return str(cell).upper()
    return str(cell) if isinstance(cell, int) else f"{cell:.{_SHOWN_DIGITS}g}"


def read_box(sheet: JsonObject, box: Box, *, by_column: bool, render: str) -> list[list[Json]]:
    """Return the values of a closed box without trailing empty cells and rows."""
    rows = sheet.get("rows") or []
    bottom, right = box.bottom or 0, box.right or 0
    lines = [
        [shown(_at(rows, row, column), render) for column in range(box.left, right)]
        for row in range(box.top, min(bottom, len(rows)))
    ]
    if by_column:
        lines = [list(line) for line in zip(*lines, strict=True)]
    lines = [_trimmed(line) for line in lines]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def write_cell(sheet: JsonObject, row: int, column: int, cell: Json) -> None:
    """Write a cell into a sheet of the draft."""
    rows: list[list[Json]] = sheet.setdefault("rows", [])
    if cell == "" and not is_filled(sheet, row, column):
        return
    while len(rows) <= row:
        rows.append([])
    line = rows[row]
    line.extend([""] * (column + 1 - len(line)))
    line[column] = cell


def clear_box(sheet: JsonObject, box: Box) -> None:
    """Clear the cells of a closed box."""
    for row in (sheet.get("rows") or [])[box.top : box.bottom]:
        for column in range(box.left, min(box.right or 0, len(row))):
            row[column] = ""


def is_filled(sheet: JsonObject, row: int, column: int) -> bool:
    """Return whether the cell is filled."""
    return bool(shown(_at(sheet.get("rows") or [], row, column), "UNFORMATTED_VALUE") != "")


def extent(sheet: JsonObject) -> tuple[int, int]:
    """Return the number of rows and columns of a sheet that the state contains."""
    rows = sheet.get("rows") or []
    return len(rows), max((len(row) for row in rows), default=0)


def size_of(sheet: JsonObject) -> tuple[int, int]:
    """Return the size of a sheet's grid: rows and columns. It is never smaller than the written cells."""
    rows, columns = extent(sheet)
    return max(int(sheet.get("rowCount", 1000)), rows), max(int(sheet.get("columnCount", 26)), columns)


def _at(rows: list[list[Json]], row: int, column: int) -> Json:
    if row >= len(rows) or column >= len(rows[row]):
        return ""
    return rows[row][column]


def _trimmed(line: list[Json]) -> list[Json]:
    kept = list(line)
    while kept and kept[-1] == "":
        kept.pop()
    return kept


def _whole(number: float) -> float | int:
    return int(number) if number.is_integer() else number


def _dated(text: str) -> Json:
    try:
        return {"value": (date.fromisoformat(text) - _EPOCH).days, "shown": text}
    except ValueError:
        return text

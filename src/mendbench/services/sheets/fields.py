"""The ``fields`` mask (https://developers.google.com/workspace/sheets/api/guides/field-masks)."""

from __future__ import annotations

from typing import TypeAlias

from mendbench.model.json import Json, JsonObject
from mendbench.services.sheets.errors import unknown_fields

Tree: TypeAlias = dict[str, "Tree"]
"""Selected names; an empty one selects everything below it."""

_RANGE: Tree = {name: {} for name in ("sheetId", "startRowIndex", "endRowIndex", "startColumnIndex", "endColumnIndex")}
_CELL: Tree = {"userEnteredValue": {}, "effectiveValue": {}, "formattedValue": {}}
SPREADSHEET: Tree = {
    "spreadsheetId": {},
    "properties": {"title": {}, "locale": {}, "autoRecalc": {}, "timeZone": {}},
    "sheets": {
        "properties": {
            "sheetId": {},
            "title": {},
            "index": {},
            "sheetType": {},
            "gridProperties": {"rowCount": {}, "columnCount": {}},
            "hidden": {},
        },
        "data": {"startRow": {}, "startColumn": {}, "rowData": {"values": _CELL}},
        "protectedRanges": {"protectedRangeId": {}, "range": _RANGE, "editors": {"users": {}}},
    },
    "namedRanges": {"namedRangeId": {}, "name": {}, "range": _RANGE},
    "spreadsheetUrl": {},
}
"""The fields that a spreadsheet has."""


def masked(value: JsonObject, mask: str, known: Tree) -> JsonObject:
    """Return the parts of a response that ``mask`` selects.

    Raises:
        SheetsError: the mask contains a name that is not in ``known``.
    """
    if mask.strip() in {"", "*"}:
        return value
    wanted: Tree = {}
    for path in _paths(mask.replace(" ", "")):
        _add(wanted, path, known)
    kept = _kept(value, wanted)
    return kept if isinstance(kept, dict) else {}


def _paths(mask: str) -> list[list[str]]:
    """Return the paths of ``a.b,c(d,e/f)``."""
    found: list[list[str]] = []
    stack: list[list[str]] = [[]]
    name, path = "", list[str]()
    for char in f"{mask},":
        if char not in ".,/()":
            name += char
            continue
        path = [*path, name] if name else path
        name = ""
        if char == "(":
            stack.append([*stack[-1], *path])
            path = []
        elif char in ",)":
            found += [[*stack[-1], *path]] if path else []
            path = []
            if char == ")" and len(stack) > 1:
                stack.pop()
    return found


def _add(wanted: Tree, path: list[str], known: Tree) -> None:
    place, there = wanted, known
    for depth, name in enumerate(path):
        if name == "*":
            place.update({each: {} for each in there})
            return
        if name not in there:
            raise unknown_fields(".".join(path[: depth + 1]))
        there = there[name]
        place = place.setdefault(name, {})


def _kept(value: Json, wanted: Tree) -> Json:
    if not wanted:
        return value
    if isinstance(value, list):
        return [_kept(item, wanted) for item in value]
    if not isinstance(value, dict):
        return value
    return {name: _kept(value[name], below) for name, below in wanted.items() if name in value}

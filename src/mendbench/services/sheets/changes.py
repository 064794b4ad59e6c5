"""``spreadsheets.batchUpdate``: sheets added, deleted and renamed. A batch succeeds or fails as a whole.

https://developers.google.com/workspace/sheets/api/reference/rest/v4/spreadsheets/request
"""

from __future__ import annotations

from collections.abc import Callable

from mendbench.io.canonical_json import digest
from mendbench.model.json import Json, JsonObject
from mendbench.services.sheets.a1 import Box
from mendbench.services.sheets.body import check_names, snake
from mendbench.services.sheets.book import show_properties
from mendbench.services.sheets.cells import size_of
from mendbench.services.sheets.errors import (
    API_TYPE,
    NO_FIELD_LISTED,
    NO_REQUEST,
    PROTECTED,
    SheetsError,
    Violation,
    invalid,
    invalid_value,
    violated,
)
from mendbench.services.sheets.state import Context, is_protected, ordered_sheets

_TOP = frozenset({"requests", "includeSpreadsheetInResponse", "responseRanges", "responseIncludeGridData"})
_PROPERTIES = frozenset({"sheetId", "title", "index", "sheetType", "gridProperties", "hidden"})
_GRID = frozenset({"rowCount", "columnCount"})
_MOST_CELLS = 10_000_000
"""Maximum for one spreadsheet (https://support.google.com/drive/answer/37603)."""
_MAX_ID = 2**31 - 1
_NUMBERS = (("sheetId", "sheet_id"), ("index", "index"))


def batch_update(context: Context) -> JsonObject:
    """spreadsheets.batchUpdate."""
    requests = context.body.get("requests") or []
    if not isinstance(requests, list):
        requests = [requests]
    bad = check_names(context.body, _TOP, "")
    bad += [problem for index, request in enumerate(requests) for problem in _problems(request, f"requests[{index}]")]
    if bad:
        raise violated(*bad)
    if not requests:
        raise invalid(NO_REQUEST)
    replies: list[Json] = []
    for index, request in enumerate(requests):
        for kind, fields in request.items():
            try:
                replies.append(_KINDS[kind][0](context, fields))
            except SheetsError as refusal:
                raise refusal.inside(f"requests[{index}].{kind}") from None
    return {"spreadsheetId": context.book_id, "replies": replies}


def _add_sheet(context: Context, fields: JsonObject) -> JsonObject:
    given = fields.get("properties") or {}
    sheets: JsonObject = context.book.setdefault("sheets", {})
    title = str(given.get("title") or f"Sheet{len(sheets) + 1}")
    _require_free(context, title, None)
    sheet_id = str(given["sheetId"]) if "sheetId" in given else _new_id(context, title)
    grid = given.get("gridProperties") or {}
    sheets[sheet_id] = {
        "title": title,
        "index": int(given.get("index", len(sheets))),
        "rowCount": int(grid.get("rowCount") or 1000),
        "columnCount": int(grid.get("columnCount") or 26),
        "rows": [],
    }
    _require_room(context)
    return {"addSheet": {"properties": _shown(context, sheet_id)}}


def _delete_sheet(context: Context, fields: JsonObject) -> JsonObject:
    sheet_id = _known(context, fields.get("sheetId"))
    if len(context.book["sheets"]) == 1:
        raise invalid("You can't remove all the sheets in a document.")
    if is_protected(context.book, sheet_id, Box(), context.email):
        raise invalid(PROTECTED)
    del context.book["sheets"][sheet_id]
    return {}


def _update_sheet(context: Context, fields: JsonObject) -> JsonObject:
    mask = [part.strip() for part in str(fields.get("fields") or "").split(",") if part.strip()]
    if not mask:
        raise invalid(NO_FIELD_LISTED)
    given = fields.get("properties") or {}
    sheet_id = _known(context, given.get("sheetId"))
    sheet, every = context.book["sheets"][sheet_id], mask == ["*"]
    if "title" in mask or (every and "title" in given):
        _require_free(context, str(given.get("title") or ""), sheet_id)
        sheet["title"] = str(given.get("title") or "")
    if ("hidden" in mask or every) and "hidden" in given:
        shown = [key for key, other in ordered_sheets(context.book) if not other.get("hidden") and key != sheet_id]
        if given["hidden"] and not shown:
            raise invalid("You can't hide all the sheets in a document.")
        sheet["hidden"] = bool(given["hidden"])
    if "index" in mask or (every and "index" in given):
        sheet["index"] = int(given.get("index") or 0)
    grid = given.get("gridProperties") or {}
    for name in _GRID:
        if name in grid and (every or {"gridProperties", f"gridProperties.{name}"} & set(mask)):
            sheet[name] = int(grid[name])
    sheet["rows"] = [row[: sheet.get("columnCount")] for row in (sheet.get("rows") or [])[: sheet.get("rowCount")]]
    _require_room(context)
    return {}


_KINDS: dict[str, tuple[Callable[[Context, JsonObject], JsonObject], frozenset[str]]] = {
    "addSheet": (_add_sheet, frozenset({"properties"})),
    "deleteSheet": (_delete_sheet, frozenset({"sheetId"})),
    "updateSheetProperties": (_update_sheet, frozenset({"properties", "fields"})),
}
"""By name: the handler of a request, and its fields."""


def _problems(request: Json, field: str) -> list[Violation]:
    """Return the violations in the form of a single request."""
    if not isinstance(request, dict):
        return [invalid_value(field, f"{API_TYPE}.Request", request)]
    bad = check_names(request, frozenset(_KINDS), field)
    for kind, fields in request.items():
        if kind not in _KINDS:
            continue
        place = f"{field}.{snake(kind)}"
        if not isinstance(fields, dict):
            bad.append(invalid_value(place, f"{API_TYPE}.{kind[0].upper()}{kind[1:]}Request", fields))
            continue
        bad += check_names(fields, _KINDS[kind][1], place)
        bad += _number_problems(fields, place)
        given = fields.get("properties")
        if isinstance(given, dict):
            bad += _properties_problems(given, f"{place}.properties")
        elif given is not None:
            bad.append(invalid_value(f"{place}.properties", f"{API_TYPE}.SheetProperties", given))
    return bad


def _properties_problems(given: JsonObject, place: str) -> list[Violation]:
    bad = [*check_names(given, _PROPERTIES, place), *_number_problems(given, place)]
    if "title" in given and not isinstance(given["title"], str):
        bad.append(invalid_value(f"{place}.title", "TYPE_STRING", given["title"]))
    if "hidden" in given and not isinstance(given["hidden"], bool):
        bad.append(invalid_value(f"{place}.hidden", "TYPE_BOOL", given["hidden"]))
    grid = given.get("gridProperties")
    if isinstance(grid, dict):
        bad += check_names(grid, _GRID, f"{place}.grid_properties")
        bad += [
            invalid_value(f"{place}.grid_properties.{snake(name)}", "TYPE_INT32", grid[name])
            for name in sorted(_GRID & set(grid))
            if not _is_int(grid[name])
        ]
    elif grid is not None:
        bad.append(invalid_value(f"{place}.grid_properties", f"{API_TYPE}.GridProperties", grid))
    return bad


def _number_problems(fields: JsonObject, place: str) -> list[Violation]:
    return [
        invalid_value(f"{place}.{name}", "TYPE_INT32", fields[key])
        for key, name in _NUMBERS
        if key in fields and not _is_int(fields[key])
    ]


def _is_int(value: Json) -> bool:
    """Return whether proto3 JSON accepts a value for an int32: an integer, or a text of one."""
    if isinstance(value, str):
        return value.isascii() and value.isdigit() and int(value) <= _MAX_ID
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MAX_ID


def _known(context: Context, given: Json) -> str:
    key = str(0 if given is None else int(given))
    if key not in context.book["sheets"]:
        raise invalid(f"No grid with id: {key}")
    return key


def _require_free(context: Context, title: str, own: str | None) -> None:
    for key, sheet in context.book["sheets"].items():
        if key != own and sheet.get("title") == title:
            raise invalid(f'A sheet with the name "{title}" already exists. Please enter another name.')


def _require_room(context: Context) -> None:
    if sum(rows * columns for rows, columns in map(size_of, context.book["sheets"].values())) > _MOST_CELLS:
        limit = f"above the limit of {_MOST_CELLS} cells."
        raise invalid(f"This action would increase the number of cells in the workbook {limit}")


def _new_id(context: Context, title: str) -> str:
    made = int(digest([context.book_id, sorted(context.book["sheets"]), title], 8), 16) % _MAX_ID
    while str(made) in context.book["sheets"]:
        made += 1
    return str(made)


def _shown(context: Context, sheet_id: str) -> JsonObject:
    ordered = ordered_sheets(context.book)
    number = [key for key, _ in ordered].index(sheet_id)
    return show_properties(sheet_id, context.book["sheets"][sheet_id], number)

"""``spreadsheets``: the contents of a spreadsheet.

https://developers.google.com/workspace/sheets/api/reference/rest/v4/spreadsheets
"""

from __future__ import annotations

from mendbench.model.json import Json, JsonObject
from mendbench.services.sheets.a1 import Box, read_cells
from mendbench.services.sheets.cells import shown, size_of
from mendbench.services.sheets.fields import SPREADSHEET, masked
from mendbench.services.sheets.state import Context, Place, find_range, ordered_sheets

_SHEETS_URL = "https://docs.google.com/spreadsheets/d/{}/edit"


def get_spreadsheet(context: Context) -> JsonObject:
    """spreadsheets.get. ``ranges`` limits the response to their sheets, ``includeGridData`` adds their cells."""
    places = [find_range(context.book, text) for text in context.query.get("ranges", [])]
    with_cells = context.parameter("includeGridData").lower() == "true"
    wanted = {place.sheet_id for place in places}
    sheets: list[Json] = []
    for number, (sheet_id, sheet) in enumerate(ordered_sheets(context.book)):
        if wanted and sheet_id not in wanted:
            continue
        shown_sheet = show_sheet(context.book, sheet_id, sheet, number)
        if with_cells:
            own = [place.box for place in places if place.sheet_id == sheet_id] or [Box()]
            shown_sheet["data"] = [_grid(Place(sheet_id=sheet_id, sheet=sheet, box=box)) for box in own]
        sheets.append(shown_sheet)
    named = _named_ranges(context.book)
    spreadsheet: JsonObject = {
        "spreadsheetId": context.book_id,
        "properties": {
            "title": context.book.get("title", ""),
            "locale": context.book.get("locale", "en_GB"),
            "autoRecalc": "ON_CHANGE",
            "timeZone": context.book.get("timeZone", "Etc/GMT"),
        },
        "sheets": sheets,
        **({"namedRanges": named} if named else {}),
        "spreadsheetUrl": _SHEETS_URL.format(context.book_id),
    }
    return masked(spreadsheet, context.parameter("fields"), SPREADSHEET)


def show_sheet(book: JsonObject, sheet_id: str, sheet: JsonObject, number: int) -> JsonObject:
    """Return a sheet as the API shows it. It is the ``number``-th of its spreadsheet."""
    protected: list[Json] = [
        {
            "protectedRangeId": _number(key),
            "range": _grid_range(sheet_id, record.get("cells")),
            "editors": {"users": list(record.get("editors", []))},
        }
        for key, record in (book.get("protected") or {}).items()
        if str(record.get("sheetId")) == sheet_id
    ]
    properties = show_properties(sheet_id, sheet, number)
    return {"properties": properties, **({"protectedRanges": protected} if protected else {})}


def show_properties(sheet_id: str, sheet: JsonObject, number: int) -> JsonObject:
    """Return a sheet's SheetProperties."""
    rows, columns = size_of(sheet)
    return {
        "sheetId": _number(sheet_id),
        "title": sheet.get("title", ""),
        "index": number,
        "sheetType": "GRID",
        "gridProperties": {"rowCount": rows, "columnCount": columns},
        **({"hidden": True} if sheet.get("hidden") else {}),
    }


def _named_ranges(book: JsonObject) -> list[Json]:
    return [
        {
            "namedRangeId": key,
            "name": record.get("name", ""),
            "range": _grid_range(str(record.get("sheetId")), record.get("cells")),
        }
        for key, record in (book.get("namedRanges") or {}).items()
    ]


def _grid_range(sheet_id: str, cells: str | None) -> JsonObject:
    box = read_cells(cells) if cells else Box()
    shown_range: JsonObject = {"sheetId": _number(sheet_id)}
    shown_range |= {"startRowIndex": box.top} if box.top or box.bottom is not None else {}
    shown_range |= {"endRowIndex": box.bottom} if box.bottom is not None else {}
    shown_range |= {"startColumnIndex": box.left} if box.left or box.right is not None else {}
    return shown_range | ({"endColumnIndex": box.right} if box.right is not None else {})


def _grid(place: Place) -> JsonObject:
    box = place.box_in_grid
    lines = (place.sheet.get("rows") or [])[box.top : box.bottom]
    row_data: list[Json] = [{"values": [_cell(cell) for cell in line[box.left : box.right]]} for line in lines]
    return {
        **({"startRow": box.top} if box.top else {}),
        **({"startColumn": box.left} if box.left else {}),
        "rowData": row_data,
    }


def _cell(cell: Json) -> JsonObject:
    value = shown(cell, "UNFORMATTED_VALUE")
    if value == "":
        return {}
    kind = "boolValue" if isinstance(value, bool) else "stringValue" if isinstance(value, str) else "numberValue"
    return {
        "userEnteredValue": {kind: value},
        "effectiveValue": {kind: value},
        "formattedValue": shown(cell, "FORMATTED_VALUE"),
    }


def _number(key: str) -> Json:
    return int(key) if key.isdigit() else key

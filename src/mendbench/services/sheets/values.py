"""``spreadsheets.values``: cells read, written, appended and cleared.

https://developers.google.com/workspace/sheets/api/reference/rest/v4/spreadsheets.values
"""

from __future__ import annotations

from mendbench.model.json import Json, JsonObject
from mendbench.services.sheets.a1 import show_box
from mendbench.services.sheets.body import check_scalars, input_option, value_range_problems
from mendbench.services.sheets.cells import clear_box, read_box, size_of
from mendbench.services.sheets.errors import PROTECTED, SheetsError, invalid, invalid_value, violated
from mendbench.services.sheets.state import Context, Place, find_range, is_protected
from mendbench.services.sheets.tables import Append, place_append
from mendbench.services.sheets.writing import lines_of, write_lines, written_box


def get_values(context: Context) -> JsonObject:
    """values.get."""
    return _shown_range(context, context.range_text)


def batch_get_values(context: Context) -> JsonObject:
    """values.batchGet: one response for each ``ranges``."""
    ranges = [_shown_range(context, text) for text in context.query.get("ranges", [])]
    return {"spreadsheetId": context.book_id, **({"valueRanges": ranges} if ranges else {})}


def update_values(context: Context) -> JsonObject:
    """values.update."""
    as_user = _checked(context)
    place = find_range(context.book, context.range_text)
    named = context.body.get("range")
    if named and named != context.range_text:
        raise invalid(f"Request range[{context.range_text}] does not match value's range[{named}]")
    return _written(context, place, context.body, as_user=as_user)


def append_values(context: Context) -> JsonObject:
    """values.append: below the last table in the range."""
    as_user = _checked(context)
    place = find_range(context.book, context.range_text)
    lines = lines_of(context.body)
    check_scalars(lines)
    found = place_append(place, insert=context.parameter("insertDataOption") == "INSERT_ROWS", height=len(lines))
    at = Place(sheet_id=place.sheet_id, sheet=place.sheet, box=found.at)
    if any(lines):
        _make_room(at.sheet, found, lines)
    updates = _written(context, at, context.body, as_user=as_user)
    table = {"tableRange": show_box(place.sheet["title"], found.table)} if found.table else {}
    return {"spreadsheetId": context.book_id, **table, "updates": updates}


def batch_update_values(context: Context) -> JsonObject:
    """values.batchUpdate: ``data`` is written as a whole or not at all."""
    data = context.body.get("data") or []
    if not isinstance(data, list):
        data = [data]
    bad = [problem for index, item in enumerate(data) for problem in value_range_problems(item, f"data[{index}]")]
    if bad:
        raise violated(*bad)
    as_user = input_option(context.body.get("valueInputOption"))
    responses: list[JsonObject] = []
    for index, item in enumerate(data):
        try:
            place = find_range(context.book, str(item.get("range") or ""))
            responses.append(_written(context, place, item, as_user=as_user))
        except SheetsError as refusal:
            raise refusal.inside(f"data[{index}]") from None
    sheets = {response["updatedRange"].rpartition("!")[0] for response in responses}
    totals = {
        "totalUpdatedRows": sum(response.get("updatedRows", 0) for response in responses),
        "totalUpdatedColumns": sum(response.get("updatedColumns", 0) for response in responses),
        "totalUpdatedCells": sum(response.get("updatedCells", 0) for response in responses),
        "totalUpdatedSheets": len(sheets),
    }
    return {"spreadsheetId": context.book_id, **({**totals, "responses": responses} if responses else {})}


def clear_values(context: Context) -> JsonObject:
    """values.clear."""
    return {"spreadsheetId": context.book_id, "clearedRange": _cleared(context, context.range_text)}


def batch_clear_values(context: Context) -> JsonObject:
    """values.batchClear."""
    ranges = context.body.get("ranges") or []
    texts = ranges if isinstance(ranges, list) else [ranges]
    bad = [
        invalid_value(f"ranges[{index}]", "TYPE_STRING", text)
        for index, text in enumerate(texts)
        if not isinstance(text, str)
    ]
    if bad:
        raise violated(*bad)
    cleared: list[Json] = [_cleared(context, text) for text in texts]
    return {"spreadsheetId": context.book_id, **({"clearedRanges": cleared} if cleared else {})}


def _checked(context: Context) -> bool:
    """Check the form of a single ValueRange and its option, and return the option."""
    bad = value_range_problems(context.body, "data")
    if bad:
        raise violated(*bad)
    return input_option(context.parameter("valueInputOption"))


def _shown_range(context: Context, text: str) -> JsonObject:
    place = find_range(context.book, text)
    box = place.box_in_grid
    by_column = context.parameter("majorDimension") == "COLUMNS"
    found = read_box(
        place.sheet, box, by_column=by_column, render=context.parameter("valueRenderOption", "FORMATTED_VALUE")
    )
    return {
        "range": show_box(place.sheet["title"], box),
        "majorDimension": "COLUMNS" if by_column else "ROWS",
        **({"values": found} if found else {}),
    }


def _written(context: Context, place: Place, body: JsonObject, *, as_user: bool) -> JsonObject:
    """Write one ValueRange and return the response's UpdateValuesResponse."""
    lines = lines_of(body)
    check_scalars(lines)
    box = written_box(place, lines)
    title = place.sheet["title"]
    if not lines or box.bottom == box.top or box.right == box.left:
        return {"spreadsheetId": context.book_id, "updatedRange": show_box(title, place.box_in_grid)}
    if is_protected(context.book, place.sheet_id, box, context.email):
        raise invalid(PROTECTED)
    count = write_lines(place, lines, as_user=as_user)
    response: JsonObject = {
        "spreadsheetId": context.book_id,
        "updatedRange": show_box(title, box),
        "updatedRows": (box.bottom or 0) - box.top,
        "updatedColumns": (box.right or 0) - box.left,
        "updatedCells": count,
    }
    with_values = context.query.get("includeValuesInResponse", [context.body.get("includeValuesInResponse")])[-1]
    if str(with_values).lower() == "true":
        shown = read_box(
            place.sheet, box, by_column=False, render=context.parameter("responseValueRenderOption", "FORMATTED_VALUE")
        )
        response["updatedData"] = {"range": response["updatedRange"], "majorDimension": "ROWS", "values": shown}
    return response


def _make_room(sheet: JsonObject, found: Append, lines: list[list[Json]]) -> None:
    """Grow the grid to fit the appended values. With INSERT_ROWS, move the cells below down."""
    rows, columns = size_of(sheet)
    if found.inserts:
        written: list[list[Json]] = sheet.setdefault("rows", [])
        if found.at.top < len(written):
            written[found.at.top : found.at.top] = [[] for _ in lines]
        rows += len(lines)
    width = max((len(line) for line in lines), default=0)
    sheet["rowCount"] = max(rows, found.at.top + len(lines))
    sheet["columnCount"] = max(columns, found.at.left + width)


def _cleared(context: Context, text: str) -> str:
    place = find_range(context.book, text)
    box = place.box_in_grid
    if is_protected(context.book, place.sheet_id, box, context.email):
        raise invalid(PROTECTED)
    clear_box(place.sheet, box)
    return show_box(place.sheet["title"], box)

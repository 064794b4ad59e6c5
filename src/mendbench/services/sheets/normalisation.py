"""Normalises calls: equivalent calls become identical in quotes and letters of ranges, defaults, and response options."""

from __future__ import annotations

import json
from dataclasses import replace
from urllib.parse import quote, urlencode

from mendbench.model.exchange import Request
from mendbench.services.sheets.a1 import quoted, read_cells, split_range
from mendbench.services.sheets.body import SYSTEM_PARAMETERS, snake
from mendbench.services.sheets.routes import Found, find_method
from mendbench.services.wire import parse_json, read_call

_ONE_RANGE = frozenset({"values.append", "values.update"})
"""The methods whose body is one ValueRange."""
_API = "https://sheets.googleapis.com/v4/spreadsheets/"
_WISHES = SYSTEM_PARAMETERS - {"access_token", "oauth_token", "key"} | {
    "includeValuesInResponse", "responseValueRenderOption", "responseDateTimeRenderOption",
}  # fmt: skip


def normalised(request: Request) -> Request | None:
    """Return the normalised call, or None if no method matches."""
    call = read_call(request)
    found = find_method(call)
    if found is None:
        return None
    names = {snake(name): name for name in found.method.query}
    pairs = [(names.get(name, name), value) for name, value in call.query]
    if found.method.writes:
        pairs = [pair for pair in pairs if pair[0] not in _WISHES]
    query = urlencode(sorted(pairs, key=lambda pair: pair[0]), errors="replace")
    url = _API + _path(found)
    body = _without_defaults(request.body, found) if found.method.name in _ONE_RANGE else request.body
    return replace(request, method=call.method, url=f"{url}?{query}" if query else url, body=body)


def _without_defaults(raw: bytes, found: Found) -> bytes:
    """Return a ValueRange without redundant keys: rows as its dimension, and a repetition of the URL's range.

    https://developers.google.com/workspace/sheets/api/reference/rest/v4/spreadsheets.values#ValueRange
    """
    try:
        value = parse_json(raw.decode())
    except ValueError:
        return raw
    if not isinstance(value, dict):
        return raw
    kept = dict(value)
    if value.get("majorDimension") in (None, "DIMENSION_UNSPECIFIED", "ROWS"):
        kept.pop("majorDimension", None)
    if _range(str(value.get("range") or found.range_text)) == _range(found.range_text):
        kept.pop("range", None)
    return raw if kept == value else json.dumps(kept, ensure_ascii=False).encode("utf-8", "replace")


def _path(found: Found) -> str:
    group, _, verb = found.method.name.partition(".")
    book = quote(found.book_id, safe="", errors="replace")
    if group == "spreadsheets":
        return book if verb == "get" else f"{book}:{verb}"
    if not found.range_text:
        return f"{book}/values:{verb}"
    tail = f":{verb}" if verb in {"append", "clear"} else ""
    return f"{book}/values/{quote(_range(found.range_text), safe='', errors='replace')}{tail}"


def _range(text: str) -> str:
    """Return a range with its title quoted where needed, and its cells as ``A1:B2``. An invalid range is unchanged."""
    try:
        title, cells = split_range(text)
        if title is None or not cells:
            return text
        read_cells(cells)
    except ValueError:
        return text
    return f"{quoted(title)}!{cells.replace('$', '').upper()}"

"""The methods of the API: the path, the query parameters and the writes of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mendbench.model.json import JsonObject
from mendbench.services.sheets import book, changes, values
from mendbench.services.sheets.state import Context
from mendbench.services.wire import Call

_READING = frozenset({"majorDimension", "valueRenderOption", "dateTimeRenderOption"})
_WRITING = frozenset(
    {"valueInputOption", "includeValuesInResponse", "responseValueRenderOption", "responseDateTimeRenderOption"}
)
_BATCH = frozenset({"valueInputOption", "data", *_WRITING})
_VALUES_AT = 3
"""The index of the path part ``values`` in ``/v4/spreadsheets/<id>/values…``, from 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """One method."""

    name: str
    """Its name in the state's failures."""
    verb: str
    rpc: str
    """Its name in Google's error for a missing scope."""
    run: Callable[[Context], JsonObject]
    query: frozenset[str]
    body: frozenset[str] | None = None
    """The keys of the body's message. None: the method checks them itself."""
    writes: bool = False
    elapsed_ms: int


def _read(name: str, rpc: str, run: Callable[[Context], JsonObject], query: frozenset[str], ms: int) -> Method:
    return Method(name=name, verb="GET", rpc=rpc, run=run, query=query, elapsed_ms=ms)


def _write(
    name: str,
    rpc: str,
    run: Callable[[Context], JsonObject],
    ms: int,
    *,
    verb: str = "POST",
    query: frozenset[str] = frozenset(),
    body: frozenset[str] | None = None,
) -> Method:
    return Method(name=name, verb=verb, rpc=rpc, run=run, query=query, body=body, writes=True, elapsed_ms=ms)


_GET_QUERY = frozenset({"ranges", "includeGridData", "excludeTablesInBandedRanges"})
_APPEND_QUERY = _WRITING | {"insertDataOption"}
_RANGES = frozenset({"ranges"})

METHODS = (
    _read("spreadsheets.get", "GetSpreadsheet", book.get_spreadsheet, _GET_QUERY, 163),
    _read("values.get", "GetValues", values.get_values, _READING, 148),
    _read("values.batchGet", "BatchGetValues", values.batch_get_values, _READING | _RANGES, 171),
    _write("spreadsheets.batchUpdate", "BatchUpdateSpreadsheet", changes.batch_update, 287),
    _write("values.update", "UpdateValues", values.update_values, 234, verb="PUT", query=_WRITING),
    _write("values.append", "AppendValues", values.append_values, 251, query=_APPEND_QUERY),
    _write("values.clear", "ClearValues", values.clear_values, 219, body=frozenset()),
    _write("values.batchUpdate", "BatchUpdateValues", values.batch_update_values, 263, body=_BATCH),
    _write("values.batchClear", "BatchClearValues", values.batch_clear_values, 228, body=_RANGES),
)
_BY_NAME = {method.name: method for method in METHODS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The method for a request."""

    method: Method
    book_id: str
    range_text: str = ""


def find_method(call: Call) -> Found | None:
    """Return the method for a call, or None if the path or the HTTP method does not match."""
    parts = call.segments
    if parts[:2] != ("v4", "spreadsheets") or not all(parts) or not _VALUES_AT <= len(parts) <= _VALUES_AT + 2:
        return None
    book_id, text, name = parts[2], "", ""
    if len(parts) == _VALUES_AT:
        book_id, _, verb = book_id.partition(":")
        name = f"spreadsheets.{verb or 'get'}"
    elif len(parts) == _VALUES_AT + 1 and parts[_VALUES_AT].startswith("values:"):
        name = parts[_VALUES_AT].replace(":", ".")
    elif len(parts) == _VALUES_AT + 2 and parts[_VALUES_AT] == "values":
        text, name = _range_and_verb(parts[-1], call.method)
    method = _BY_NAME.get(name)
    return Found(method=method, book_id=book_id, range_text=text) if method and method.verb == call.method else None


def _range_and_verb(part: str, method: str) -> tuple[str, str]:
    for verb in ("append", "clear"):
        if method == "POST" and part.endswith(f":{verb}"):
            return part.removesuffix(f":{verb}"), f"values.{verb}"
    return part, "values.update" if method == "PUT" else "values.get"

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
    query: frozenset[str] = frozenset()
    body: frozenset[str] | None = None
    """The keys of the body's message. None: the method checks them itself."""
    writes: bool = False
    elapsed_ms: int = 148


METHODS = (
    Method(
        name="spreadsheets.get",
        verb="GET",
        rpc="GetSpreadsheet",
        run=book.get_spreadsheet,
        query=frozenset({"ranges", "includeGridData", "excludeTablesInBandedRanges"}),
        elapsed_ms=163,
    ),
    Method(
        name="spreadsheets.batchUpdate",
        verb="POST",
        rpc="BatchUpdateSpreadsheet",
        run=changes.batch_update,
        writes=True,
        elapsed_ms=287,
    ),
    Method(name="values.get", verb="GET", rpc="GetValues", run=values.get_values, query=_READING),
    Method(
        name="values.batchGet",
        verb="GET",
        rpc="BatchGetValues",
        run=values.batch_get_values,
        query=_READING | {"ranges"},
        elapsed_ms=171,
    ),
    Method(
        name="values.update",
        verb="PUT",
        rpc="UpdateValues",
        run=values.update_values,
        query=_WRITING,
        writes=True,
        elapsed_ms=234,
    ),
    Method(
        name="values.append",
        verb="POST",
        rpc="AppendValues",
        run=values.append_values,
        query=_WRITING | {"insertDataOption"},
        writes=True,
        elapsed_ms=251,
    ),
    Method(
        name="values.clear",
        verb="POST",
        rpc="ClearValues",
        run=values.clear_values,
        body=frozenset(),
        writes=True,
        elapsed_ms=219,
    ),
    Method(
        name="values.batchUpdate",
        verb="POST",
        rpc="BatchUpdateValues",
        run=values.batch_update_values,
        body=_BATCH,
        writes=True,
        elapsed_ms=263,
    ),
    Method(
        name="values.batchClear",
        verb="POST",
        rpc="BatchClearValues",
        run=values.batch_clear_values,
        body=frozenset({"ranges"}),
        writes=True,
        elapsed_ms=228,
    ),
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

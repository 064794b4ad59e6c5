"""The spreadsheets' state: the caller, the sheets, and the meaning of ranges.

The state is the JSON object that ``seed.json`` shows. :mod:`mendbench.services.sheets.shape` has all keys; any other key is an error::

    me             the account that calls are made as, unless the token names another
    tokens         {"<token>": {email, scopes: [...], status: active|expired}};
                   empty: every bearer token is valid, as ``me``. A missing ``scopes`` means all.
    project        the number of the project that quotas count for
    spreadsheets   {"<id>": {title, locale, timeZone,
                     sharing      {"<email>": owner|writer|reader}; absent: every account may write
                     sheets       {"<sheetId>": {title, index, rowCount, columnCount, hidden, rows: [[cell, …], …]}}
                     namedRanges  {"<id>": {name, sheetId, cells: "A1:C7"}}
                     protected    {"<id>": {sheetId, cells, editors: ["<email>"]}}; no cells: the whole sheet}}
    rate_limited   {"read"|"write": {times, retry_after, limit}}: the next ``times`` requests get HTTP 429; without it all;
                   without ``retry_after`` no such header
    failures       see :mod:`mendbench.services.scripted`; a route is ``PUT /v4/spreadsheets/<id>/values/<range>``
                   as requested, or the method's name: ``values.append``
    counters       counts that ids are made from

:mod:`mendbench.services.sheets.cells` describes a cell. Formats, charts, filters and formula evaluation are not
supported: a request for them fails as an unknown name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from mendbench.model.json import JsonObject
from mendbench.services.sheets.a1 import Box, quoted, read_cells, split_range
from mendbench.services.sheets.cells import size_of
from mendbench.services.sheets.errors import unparsable


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """One call that a method handles. The method may change ``draft``, which becomes the new state."""

    draft: JsonObject
    book_id: str
    email: str
    range_text: str
    """The range in the path; empty if the method's path has none."""
    query: dict[str, list[str]]
    body: JsonObject

    @property
    def book(self) -> JsonObject:
        """The spreadsheet."""
        return cast("JsonObject", self.draft["spreadsheets"][self.book_id])

    def parameter(self, name: str, default: str = "") -> str:
        """Return the last value of a query parameter."""
        return self.query.get(name, [default])[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A resolved range: the sheet, and its cells."""

    sheet_id: str
    sheet: JsonObject
    box: Box

    @property
    def box_in_grid(self) -> Box:
        """The cells that are inside the sheet's grid."""
        return self.box.clipped(*size_of(self.sheet))


def ordered_sheets(book: JsonObject) -> list[tuple[str, JsonObject]]:
    """Return a spreadsheet's sheets by id, in the order of their tabs."""
    listed = list((book.get("sheets") or {}).items())
    return sorted(listed, key=lambda pair: int(pair[1].get("index", len(listed))))


def find_range(book: JsonObject, text: str) -> Place:
    """Return the place for the range ``text``: a named range, cells, or a whole sheet by its title.

    Raises:
        SheetsError: the range is invalid, or its sheet does not exist. The message shows the range with its title quoted.
    """
    try:
        title, cells = split_range(text)
    except ValueError:
        raise unparsable(text) from None
    if title is None:
        return _untitled(book, cells)
    try:
        box = read_cells(cells) if cells else Box()
    except ValueError:
        raise unparsable(f"{quoted(title)}!{cells}") from None
    found = _titled(book, title)
    if found is None:
        raise unparsable(f"{quoted(title)}!{cells}" if cells else quoted(title))
    return Place(sheet_id=found[0], sheet=found[1], box=box)


def named_range(book: JsonObject, name: str) -> Place | None:
    """Return the place of a named range, or None."""
    for record in (book.get("namedRanges") or {}).values():
        sheet_id = str(record.get("sheetId"))
        if record.get("name") == name and sheet_id in book["sheets"]:
            return Place(sheet_id=sheet_id, sheet=book["sheets"][sheet_id], box=read_cells(record["cells"]))
    return None


def is_protected(book: JsonObject, sheet_id: str, box: Box, email: str) -> bool:
    """Return whether ``box`` contains a cell that this account may not change. Owners may change everything."""
    if (book.get("sharing") or {}).get(email) == "owner":
        return False
    for record in (book.get("protected") or {}).values():
        held = read_cells(record["cells"]) if record.get("cells") else Box()
        if str(record.get("sheetId")) == sheet_id and email not in record.get("editors", []) and held.meets(box):
            return True
    return False


def _untitled(book: JsonObject, text: str) -> Place:
    found = named_range(book, text)
    if found is not None:
        return found
    first = next((pair for pair in ordered_sheets(book) if not pair[1].get("hidden")), None)
    try:
        box = read_cells(text)
    except ValueError:
        titled = _titled(book, text)
        if titled is None:
            raise unparsable(text) from None
        return Place(sheet_id=titled[0], sheet=titled[1], box=Box())
    if first is None:
        raise unparsable(text)
    return Place(sheet_id=first[0], sheet=first[1], box=box)


def _titled(book: JsonObject, title: str) -> tuple[str, JsonObject] | None:
    return next((pair for pair in ordered_sheets(book) if pair[1].get("title") == title), None)

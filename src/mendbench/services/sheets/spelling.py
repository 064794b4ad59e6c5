"""One spelling for all calls that mean the same: a range's quotes and letters, and what is only wished back."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import quote, urlencode

from mendbench.model.exchange import Request
from mendbench.services.sheets.a1 import quoted, read_cells, split_range
from mendbench.services.sheets.body import SYSTEM_PARAMETERS, snake
from mendbench.services.sheets.routes import Found, find_method
from mendbench.services.wire import read_call

_API = "https://sheets.googleapis.com/v4/spreadsheets/"
_WISHES = SYSTEM_PARAMETERS - {"access_token", "oauth_token", "key"} | {
    "includeValuesInResponse", "responseValueRenderOption", "responseDateTimeRenderOption",
}  # fmt: skip


def meant(request: Request) -> Request | None:
    """Return a call in its one spelling, or None if it is for no method."""
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
    return replace(request, method=call.method, url=f"{url}?{query}" if query else url)


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
    """Return a range with its title quoted where it has to be, and its cells as ``A1:B2``. What is none stays."""
    try:
        title, cells = split_range(text)
        if title is None:
            return text
        if not cells:
            return text
        read_cells(cells)
    except ValueError:
        return text
    return f"{quoted(title)}!{cells.replace('$', '').upper()}"

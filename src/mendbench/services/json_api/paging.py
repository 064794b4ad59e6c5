"""Pages of long lists: offsets, pages with a Link header (RFC 8288), opaque cursors."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass
from urllib.parse import urlencode

from mendbench.model.exchange import Headers
from mendbench.model.json import Json, JsonObject
from mendbench.services.json_api.context import Context
from mendbench.services.json_api.refusal import RefusedError

_DEFAULT_LIMIT = 100
_NUMBER = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page of a list, and how to reach the rest."""

    items: list[Json]
    fields: JsonObject
    """Fields to place next to the items."""
    headers: Headers = ()


def page_of(context: Context, found: list[Json]) -> Page:
    """Return the page of ``found`` that the query requests.

    Raises:
        RefusedError: the cursor is not one that the service issued.
    """
    options = context.route.table("paging")
    size = _number(context, str(options.get("size_parameter", "limit")), int(options.get("size", _DEFAULT_LIMIT)))
    kind = options.get("by", "offset")
    if kind == "cursor":
        return _by_cursor(context, found, options, size)
    if kind == "page":
        return _by_page(context, found, options, size)
    start = _number(context, "offset", 0)
    return Page(items=found[start : start + size], fields={})


def _by_cursor(context: Context, found: list[Json], options: JsonObject, size: int) -> Page:
    name = str(options.get("parameter", "cursor"))
    start = _position(context.query.get(name))
    end = start + size
    more = base64.urlsafe_b64encode(f"after:{end}".encode()).decode() if end < len(found) else None
    fields = _under(str(options.get("next", "next_cursor")), more)
    return Page(items=found[start:end], fields=fields)


def _by_page(context: Context, found: list[Json], options: JsonObject, size: int) -> Page:
    name = str(options.get("parameter", "page"))
    last = max(1, -(-len(found) // max(size, 1)))
    number = max(1, _number(context, name, 1))
    near = {"prev": number - 1, "next": number + 1, "first": 1, "last": last}
    shown = {rel: to for rel, to in near.items() if 1 <= to <= last and to != number and last > 1}
    links = ", ".join(f'<{_url(context, name, to)}>; rel="{rel}"' for rel, to in shown.items())
    fields = _under(str(options["next"]), number + 1 if number < last else None) if options.get("next") else {}
    start = (number - 1) * size
    return Page(items=found[start : start + size], fields=fields, headers=(("link", links),) if links else ())


def _position(cursor: Json) -> int:
    if not cursor:
        return 0
    try:
        text = base64.b64decode(str(cursor).encode(), altchars=b"-_", validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        text = ""
    word, _, number = text.partition(":")
    if word != "after" or not _NUMBER.fullmatch(number):
        raise RefusedError(400, "Invalid cursor")
    return int(number)


def _url(context: Context, name: str, number: int) -> str:
    query = {**{key: value for key, value in context.query.items() if key != name}, name: number}
    return f"https://{context.api.hosts[0]}{context.url_path}?{urlencode(query)}"


def _under(path: str, value: Json) -> JsonObject:
    """Return an object with ``value`` under a dotted path."""
    *outer, last = path.split(".")
    result: JsonObject = {last: value}
    for part in reversed(outer):
        result = {part: result}
    return result


def _number(context: Context, name: str, default: int) -> int:
    value = str(context.query.get(name, default))
    return int(value) if _NUMBER.fullmatch(value) else default

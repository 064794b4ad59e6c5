"""Find another identifier of a record that a request identified: the id of a channel that was named, the number of an issue."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

from mendbench.model.json import Json, JsonObject

MAX_RECORDS = 5000
"""The maximum number of objects of the run's data that are searched."""

MAX_DEPTH = 12
_SHORTEST = 2
"""Shorter values occur everywhere."""

_LONGEST = 200
"""Longer values are texts."""

_OWN = frozenset({
    "id", "key", "number", "sid", "uuid", "guid", "gid", "nodeid", "slug", "login", "username", "name", "title", "email", "displayname",
    "realname", "fullname", "label", "handle", "code", "sku", "path", "ref", "tag", "subject", "shortname", "iid", "index",
    "namenormalized", "sheetid", "summary",
})  # fmt: skip
"""Slots by which a record identifies itself."""


def other_identifier(params: JsonObject, data: JsonObject) -> str | None:
    """Return ``slot=value`` of a record in ``data`` that ``params`` identify by another slot, or None.

    The value must not be in the parameters already. Case and a leading ``#`` or ``@`` do not matter.
    """
    sent = {_plain(text) for text in _texts(params, 0)} - {""}
    for record in _records(data, 0):
        own = {slot: value for slot, value in record.items() if _name(slot) in _OWN and _is_identifier(value)}
        used = {slot for slot, value in own.items() if _plain(str(value)) in sent}
        if not used:
            continue
        others = [slot for slot in own if slot not in used and _name(slot) != "title"]
        if others:
            return f"{others[0]}={own[others[0]]}"
    return None


def _name(slot: str) -> str:
    return re.sub(r"[^a-z0-9]", "", slot.lower())


def _is_identifier(value: Json) -> bool:
    if isinstance(value, str):
        return 0 < len(value) <= _LONGEST
    return isinstance(value, int) and not isinstance(value, bool)


def _plain(text: str) -> str:
    plain = text.strip().lstrip("#@").casefold()
    return plain if len(plain) >= _SHORTEST else ""


def _texts(value: Json, depth: int) -> Iterator[str]:
    """Yield the texts and numbers of a request: of a URL its segments and query values, of a list separated by commas each item."""
    if depth > MAX_DEPTH:
        return
    if isinstance(value, dict):
        for item in value.values():
            yield from _texts(item, depth + 1)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item, depth + 1)
    elif isinstance(value, str):
        yield value
        if "://" in value:
            parts = urlsplit(value)
            yield from (unquote(part) for part in [*parts.path.split("/"), *re.split(r"[&=]", parts.query)])
        elif "," in value:
            yield from value.split(",")
    elif isinstance(value, int) and not isinstance(value, bool):
        yield str(value)


def _records(value: Json, depth: int, left: list[int] | None = None) -> Iterator[JsonObject]:
    left = [MAX_RECORDS] if left is None else left
    if depth > MAX_DEPTH or left[0] <= 0:
        return
    if isinstance(value, dict):
        left[0] -= 1
        yield value
        for item in value.values():
            yield from _records(item, depth + 1, left)
    elif isinstance(value, list):
        for item in value:
            yield from _records(item, depth + 1, left)

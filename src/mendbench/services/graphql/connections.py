"""Connections: pages of a list by cursor (https://relay.dev/graphql/connections.htm)."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable

from mendbench.model.json import Json, JsonObject

_PREFIX = "arrayconnection:"
"""The format of graphql-relay (https://github.com/graphql-python/graphql-relay-py)."""

_CURSOR = re.compile(_PREFIX + r"([0-9]{1,9})")

Bad = Callable[[str], int]


def connection(items: list[Json], arguments: JsonObject, *, bad_cursor: Bad | None = None) -> JsonObject:
    """Return the page of ``items`` that ``first``, ``after``, ``last`` and ``before`` ask for.

    An invalid cursor counts as absent, as in graphql-relay. ``bad_cursor`` is called with it and may raise.
    """
    after, before = arguments.get("after"), arguments.get("before")
    start = 0 if after is None else _offset(after, -1, bad_cursor) + 1
    end = len(items) if before is None else min(_offset(before, len(items), bad_cursor), len(items))
    start, end = max(0, start), max(0, end)
    if (first := arguments.get("first")) is not None:
        end = min(end, start + max(0, first))
    if (last := arguments.get("last")) is not None:
        start = max(start, end - max(0, last))
    edges = [{"cursor": cursor_of(at), "node": items[at]} for at in range(start, max(start, end))]
    return {
        "edges": edges,
        "nodes": [edge["node"] for edge in edges],
        "totalCount": len(items),
        "pageInfo": {
            "hasNextPage": end < len(items),
            "hasPreviousPage": start > 0,
            "startCursor": edges[0]["cursor"] if edges else None,
            "endCursor": edges[-1]["cursor"] if edges else None,
        },
    }


def cursor_of(offset: int) -> str:
    """Return the cursor of the entry at ``offset``."""
    return base64.b64encode(f"{_PREFIX}{offset}".encode()).decode()


def _offset(cursor: Json, default: int, bad_cursor: Bad | None) -> int:
    try:
        text = base64.b64decode(str(cursor).encode("utf-8", "replace"), validate=True).decode()
    except (binascii.Error, ValueError):
        text = ""
    found = _CURSOR.fullmatch(text)
    if found is None:
        return default if bad_cursor is None else bad_cursor(str(cursor))
    return int(found.group(1))

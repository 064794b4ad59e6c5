"""Slack's cursors: opaque texts that hold where the next page starts (https://docs.slack.dev/apis/web-api/pagination)."""

from __future__ import annotations

import base64
import binascii

from mendbench.model.json import Json, JsonObject
from mendbench.services.slack.arguments import whole_number
from mendbench.services.slack.errors import SlackError

_PREFIX = "next:"


def page_of(items: list[Json], values: JsonObject, default: int) -> tuple[list[Json], str]:
    """Return the page that ``limit`` and ``cursor`` ask for, and the cursor of the next one (empty at the end).

    Raises:
        SlackError: ``invalid_cursor``.
    """
    start = _start(values.get("cursor"), len(items))
    end = start + whole_number(values, "limit", default)
    more = base64.b64encode(f"{_PREFIX}{end}".encode()).decode() if end < len(items) else ""
    return items[start:end], more


def _start(cursor: Json, size: int) -> int:
    if cursor in (None, ""):
        return 0
    try:
        text = base64.b64decode(str(cursor).encode(), validate=True).decode()
        start = int(text.removeprefix(_PREFIX)) if text.startswith(_PREFIX) else -1
    except (binascii.Error, ValueError):
        raise SlackError("invalid_cursor") from None
    if not 0 < start < size:
        raise SlackError("invalid_cursor")
    return start

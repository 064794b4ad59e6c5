"""A response's message as one readable line, never the representation of a dict."""

from __future__ import annotations

import json
from collections.abc import Iterator

from mendbench.model.json import Json

MAX_CHARS = 300
"""The maximum length of a line that a user reads. The failure contains the whole response."""

_SLOTS = ("message", "Message", "error", "detail", "description", "title", "code", "type", "status")


def worded(value: Json, fallback: str = "request failed") -> str:
    """Return the message in ``value``: a text unchanged, the message of an object or of its first item, else compact JSON."""
    for text in _texts(value, depth=0):
        line = " ".join(text.split())
        if line:
            return line if len(line) <= MAX_CHARS else line[: MAX_CHARS - 1] + "…"
    return fallback


def _texts(value: Json, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, bool) or value is None:
        return
    elif isinstance(value, int | float):
        yield str(value)
    elif isinstance(value, dict | list) and value and depth < len(_SLOTS):
        inner = [value.get(slot) for slot in _SLOTS] if isinstance(value, dict) else value[:1]
        for item in inner:
            yield from _texts(item, depth + 1)
        if depth == 0:
            yield _compact(value)


def _compact(value: Json) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        return ""

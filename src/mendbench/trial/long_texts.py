"""The long texts of rows: kept apart from the rows by digest, since many rows have the same ones.

In a row, ``{"$text": DIGEST}`` replaces each text over 200 bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mendbench.io.canonical_json import digest
from mendbench.io.json_documents import is_finite
from mendbench.model.json import Json

REFERENCE = "$text"
"""The only key of an object that replaces a long text; its value is the text's digest."""

LONG_TEXT = 200
"""Minimum size in bytes of a text in ``texts.jsonl``."""

_HOLDERS = frozenset({dict, list})


def shortened(value: Json, texts: dict[str, str]) -> Json:
    """Return ``value`` with every long text replaced by a reference; the texts are collected.

    A number outside the range of a double, which foreign code may produce, is written as text: otherwise the file could not be read again.
    An object that looks like a reference is escaped by a list around its value.
    """
    if isinstance(value, str):
        raw = value.encode("utf-8", "replace")  # a file cannot contain a lone surrogate
        if len(raw) <= LONG_TEXT:
            return raw.decode()
        key = digest(raw)
        texts[key] = raw.decode()
        return {REFERENCE: key}
    if isinstance(value, Mapping):
        short = {str(name).encode("utf-8", "replace").decode(): shortened(item, texts) for name, item in value.items()}
        return {REFERENCE: [short[REFERENCE]]} if set(short) == {REFERENCE} else short
    if isinstance(value, list | tuple):
        return [shortened(item, texts) for item in value]
    if isinstance(value, int | float) and not is_finite(value):
        return str(value) if isinstance(value, float) else hex(value)
    return value


def whole(value: Json, texts: Mapping[str, str]) -> Json:
    """Return ``value`` with every reference replaced by its text: the inverse of :func:`shortened`."""
    if isinstance(value, dict):
        if set(value) == {REFERENCE}:
            held = value[REFERENCE]
            return {REFERENCE: whole(held[0], texts)} if isinstance(held, list) else texts[held]
        return {name: whole(item, texts) for name, item in value.items()}
    return [whole(item, texts) for item in value] if isinstance(value, list) else value


def references(value: Json) -> set[str]:
    """Return the digests of all texts that a row refers to, from a row as parsed JSON.

    Raises:
        ValueError: an object that looks like a reference is neither a reference nor an escaped object.
    """
    found: set[str] = set()
    left: list[Any] = [[value]]
    while left:
        one = left.pop()
        if type(one) is dict:
            if len(one) == 1 and REFERENCE in one:
                held = one[REFERENCE]
                if isinstance(held, str):
                    found.add(held)
                    continue
                if not isinstance(held, list) or len(held) != 1:
                    raise ValueError(f"{REFERENCE!r} is neither a digest nor a list of one value")
            one = one.values()
        left += [item for item in one if type(item) in _HOLDERS]
    return found

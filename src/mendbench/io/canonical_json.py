"""Canonical JSON and digests: the same value gives the same bytes on every machine, for any order of keys."""

from __future__ import annotations

import hashlib
import json
import re
from functools import lru_cache

from mendbench.model.json import Json


def canonical_json(value: Json) -> str:
    """Return ``value`` as JSON with sorted keys and no white space; whole floats are written as integers (1.0 is 1).

    Raises:
        TypeError: ``value`` contains something that is not JSON.
    """
    text = _CANONICAL.encode(value)
    if (_MAY_END.search(text) or "e+" in text) and _WHOLE_FLOAT.search(text):
        return _CANONICAL.encode(_whole(value))
    return text


def pretty_json(value: Json) -> str:
    """Return ``value`` as JSON for people, indented by one space, with keys in their own order."""
    return _pretty(json.dumps(value, ensure_ascii=False))


def digest(value: Json | bytes, length: int = 16) -> str:
    """Return the first ``length`` hexadecimal digits of the SHA-256 of ``value`` (bytes unchanged, else canonical JSON)."""
    data = value if isinstance(value, bytes) else canonical_json(value).encode("utf-8", "surrogatepass")
    return hashlib.sha256(data).hexdigest()[:length]


_WHOLE_FLOAT = re.compile(r"(?:^|[:,\[])-?[0-9][0-9.]*(?:\.0|e\+[0-9]+)(?:[,\]}]|$)")
"""A whole number that Python writes with a decimal point. Such numbers are rare. Text can match too."""

_MAY_END = re.compile(r"\.0(?:[,\]}]|$)")
"""The end of such a number without an exponent. A search that starts with a fixed text is ten times as fast."""

_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


@lru_cache(maxsize=512)
def _pretty(compact: str) -> str:
    # The library writes indented text in pure Python, about fifty times slower than it writes and reads compact text.
    return json.dumps(json.loads(compact), indent=1, ensure_ascii=False)


def _whole(value: Json) -> Json:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {str(key): _whole(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_whole(item) for item in value]
    return value

"""Canonical JSON and digests: the same value gives the same bytes on every machine and in every order of keys."""

from __future__ import annotations

import hashlib
import json

from mendbench.model.json import Json


def canonical_json(value: Json) -> str:
    """Return ``value`` as JSON with sorted keys and no white space; whole floats are written as integers (1.0 is 1).

    Raises:
        TypeError: ``value`` holds something that is not JSON.
    """
    return json.dumps(_whole(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def digest(value: Json | bytes, length: int = 16) -> str:
    """Return the first ``length`` hexadecimal digits of the SHA-256 of ``value`` (bytes as they are, else canonical JSON)."""
    data = value if isinstance(value, bytes) else canonical_json(value).encode("utf-8", "surrogatepass")
    return hashlib.sha256(data).hexdigest()[:length]


def _whole(value: Json) -> Json:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {str(key): _whole(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_whole(item) for item in value]
    return value

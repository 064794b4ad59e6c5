"""Reads a node's parameters, and describes an invalid one in one sentence."""

from __future__ import annotations

import json
import math

from mendbench.model.json import Json, JsonObject

DEFAULT_TIMEOUT_S = 30.0
"""Default time that a node waits for a response, in seconds."""


def text(params: JsonObject, name: str, who: str) -> str:
    """Return a required string.

    Raises:
        ValueError: it is absent or empty.
        TypeError: it is not a string.
    """
    value = params.get(name)
    if value is None or value == "":
        raise ValueError(f"{who} node requires '{name}' parameter")
    if not isinstance(value, str):
        raise TypeError(f"{who} node parameter '{name}' must be a string, got {kind_of(value)}")
    return value


def optional_text(params: JsonObject, name: str, who: str) -> str | None:
    """Return an optional string, which may be empty.

    Raises:
        TypeError: it is not a string.
    """
    return None if params.get(name) in (None, "") else text(params, name, who)


def table(params: JsonObject, name: str, who: str) -> JsonObject:
    """Return an optional object.

    Raises:
        TypeError: it is not an object.
    """
    value = params.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise TypeError(f"{who} node parameter '{name}' must be an object, got {kind_of(value)}")
    return value


def number(params: JsonObject, name: str, who: str) -> float | None:
    """Return an optional finite number; a numeric string is accepted.

    Raises:
        ValueError: it is not a number.
    """
    value = params.get(name)
    if value is None:
        return None
    try:
        found = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        found = math.nan
    if not math.isfinite(found):
        raise ValueError(f"{who} node parameter '{name}' must be a number, got {value!r}")
    return found


def timeout(params: JsonObject, who: str) -> float:
    """Return the node's timeout in seconds.

    Raises:
        ValueError: it is not a number above zero.
    """
    seconds = number(params, "timeout", who)
    if seconds is None:
        return DEFAULT_TIMEOUT_S
    if seconds <= 0:
        raise ValueError(f"{who} node parameter 'timeout' must be above 0 seconds, got {seconds:g}")
    return seconds


def flag(params: JsonObject, name: str, *, default: bool) -> bool:
    """Return a boolean; the strings ``true``, ``1`` and ``yes`` count as true."""
    value = params.get(name)
    if value is None:
        return default
    return value.strip().lower() in {"true", "1", "yes"} if isinstance(value, str) else bool(value)


def as_text(value: Json) -> str:
    """Return a string unchanged, and anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def kind_of(value: Json) -> str:
    """Return the JSON type name of ``value``."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    words: dict[type, str] = {str: "string", list: "array", dict: "object"}
    return words.get(type(value), type(value).__name__)

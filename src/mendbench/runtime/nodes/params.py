"""Reads a node's parameters, and says in one sentence what is wrong with one."""

from __future__ import annotations

import math

from mendbench.model.json import Json, JsonObject

DEFAULT_TIMEOUT_S = 30.0
"""How long a node waits for a response where it is not told, seconds."""


def text(params: JsonObject, name: str, who: str) -> str:
    """Return a required text.

    Raises:
        ValueError: it is absent or empty.
        TypeError: it is no text.
    """
    value = params.get(name)
    if value is None or value == "":
        raise ValueError(f"{who} node requires '{name}' parameter")
    if not isinstance(value, str):
        raise TypeError(f"{who} node parameter '{name}' must be a string, got {kind_of(value)}")
    return value


def optional_text(params: JsonObject, name: str, who: str) -> str | None:
    """Return a text that may be left out or empty.

    Raises:
        TypeError: it is no text.
    """
    return None if params.get(name) in (None, "") else text(params, name, who)


def table(params: JsonObject, name: str, who: str) -> JsonObject:
    """Return an object that may be left out.

    Raises:
        TypeError: it is no object.
    """
    value = params.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise TypeError(f"{who} node parameter '{name}' must be an object, got {kind_of(value)}")
    return value


def number(params: JsonObject, name: str, who: str) -> float | None:
    """Return a finite number that may be left out; a text that spells one counts.

    Raises:
        ValueError: it is no number.
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
        ValueError: it is no number above zero.
    """
    seconds = number(params, "timeout", who)
    if seconds is None:
        return DEFAULT_TIMEOUT_S
    if seconds <= 0:
        raise ValueError(f"{who} node parameter 'timeout' must be above 0 seconds, got {seconds:g}")
    return seconds


def flag(params: JsonObject, name: str, *, default: bool) -> bool:
    """Return a yes or no; a text counts as yes if it says ``true``, ``1`` or ``yes``."""
    value = params.get(name)
    if value is None:
        return default
    return value.strip().lower() in {"true", "1", "yes"} if isinstance(value, str) else bool(value)


def kind_of(value: Json) -> str:
    """Return JSON's word for the type of ``value``."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    words: dict[type, str] = {str: "string", list: "array", dict: "object"}
    return words.get(type(value), type(value).__name__)

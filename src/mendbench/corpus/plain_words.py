"""What pydantic says about a number, a length or a pattern, in the words of someone who writes a document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic_core import ErrorDetails

_BOUNDS = {
    "greater_than_equal": ("at least", "ge"),
    "greater_than": ("more than", "gt"),
    "less_than_equal": ("at most", "le"),
    "less_than": ("less than", "lt"),
}


def in_plain_words(error: ErrorDetails) -> str:
    """Return the message of an error; pydantic's own if it is none of these."""
    kind, limits = error["type"], error.get("ctx", {})
    if kind in {"too_short", "too_long"}:
        return f"{limits['actual_length']} given, {_wanted(limits)} needed"
    if kind in {"string_too_short", "string_too_long"}:
        return f"{_wanted(limits, 'character')} needed"
    if kind == "string_pattern_mismatch":
        return f"it does not match {limits['pattern']}"
    if kind in _BOUNDS:
        words, name = _BOUNDS[kind]
        return f"{words} {limits[name]:g} is needed"
    if kind == "model_type":
        return "Input should be an object"
    return error["msg"].removeprefix("Value error, ")


def _wanted(limits: Mapping[str, Any], noun: str = "") -> str:
    """Return the number that a length may have, with its verb."""
    words, number = ("at least", limits["min_length"]) if "min_length" in limits else ("at most", limits["max_length"])
    many = number != 1
    counted = f" {noun}{'s' if many else ''}" if noun else ""
    return f"{words} {number}{counted} {'are' if many else 'is'}"

"""Schemas of documents that programs write, defined as data and checked before a document is used.

A shape is a function that returns the problem of a value (a path and a message), or None.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Callable, Collection, Mapping
from typing import TypeAlias

from mendbench.model.json import Json
from mendbench.secrets.undeclared import sanitise

Shape: TypeAlias = Callable[[Json], str | None]


def misfit(value: Json, shape: Shape) -> str | None:
    """Return where and how a document differs from its shape (``a.b[0]: 5, where a text is due``), or None."""
    wrong = shape(value)
    return None if wrong is None else wrong.lstrip(".: ")


def of(*kinds: type, least: float | None = None) -> Shape:
    """Return the shape of a value of one of these types; ``least`` is the minimum of a number. Booleans are not numbers."""
    known = frozenset(kinds)
    words = " or ".join(_WORDS[kind] for kind in kinds)

    def check(value: Json) -> str | None:
        if type(value) not in known:
            return _mismatch(value, words)
        if least is not None and type(value) in _NUMBERS and value < least:
            return f": {shown(value)}, which is below {least}"
        return None

    return check


def among(values: Collection[str | int]) -> Shape:
    """Return the shape of one of these values."""
    known = frozenset(values)
    words = ", ".join(sorted(map(str, known)))
    due = f"one of {words}" if len(known) > 1 else words
    return lambda value: None if type(value) in _LISTED and value in known else _mismatch(value, due)


def matching(pattern: str, words: str) -> Shape:
    """Return the shape of a text that fully matches a pattern; ``words`` describe such a text."""
    known = re.compile(pattern)
    return lambda value: None if isinstance(value, str) and known.fullmatch(value) else _mismatch(value, words)


def many(shape: Shape) -> Shape:
    """Return the shape of a list whose items have a given shape."""

    def check(value: Json) -> str | None:
        if not isinstance(value, list):
            return _mismatch(value, "a list")
        for index, item in enumerate(value):
            if (wrong := shape(item)) is not None:
                return f"[{index}]{wrong}"
        return None

    return check


def named(shape: Shape) -> Shape:
    """Return the shape of an object with any keys, whose values have a given shape."""

    def check(value: Json) -> str | None:
        if not isinstance(value, dict):
            return _mismatch(value, "an object")
        for name, item in value.items():
            if (wrong := shape(item)) is not None:
                return f".{shown(name, key=True)}{wrong}"
        return None

    return check


def fields(required: Mapping[str, Shape], optional: Mapping[str, Shape] | None = None) -> Shape:
    """Return the shape of an object with these keys and possibly others."""
    needed, others = tuple(required.items()), tuple((optional or {}).items())

    def check(value: Json) -> str | None:
        if not isinstance(value, dict):
            return _mismatch(value, "an object")
        for name, shape in needed:
            if name not in value:
                return f".{name}: missing"
            if (wrong := shape(value[name])) is not None:
                return f".{name}{wrong}"
        for name, shape in others:
            if name in value and (wrong := shape(value[name])) is not None:
                return f".{name}{wrong}"
        return None

    return check


def maybe(shape: Shape) -> Shape:
    """Return a shape that also permits null."""
    return lambda value: None if value is None else shape(value)


def text_or(shape: Shape) -> Shape:
    """Return a shape that also permits any text."""
    return lambda value: None if type(value) is str else shape(value)


def _mismatch(value: Json, words: str) -> str:
    return f": {shown(value)}, where {words} is due"


def shown(value: Json, *, key: bool = False) -> str:
    """Return a value for quotation: without credentials, shortened if long or deep, and a key without its quotes."""
    text = _SHORT.repr(value)
    return text[1:-1] if key else text


_NUMBERS = frozenset({int, float})
_LISTED = frozenset({str, int})
_WORDS = {
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    dict: "an object",
    list: "a list",
}
_SEEN = 4000
"""The number of characters of a text that are searched before it is cut. A credential that is cut cannot be recognised."""


class _Short(reprlib.Repr):
    def repr_str(self, x: str, level: int) -> str:
        return super().repr_str(str(sanitise(x[:_SEEN])), level)


_SHORT = _Short()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 60

TEXT = of(str)
MAYBE_TEXT = maybe(TEXT)
FLAG = of(bool)
COUNT = of(int, least=0)
NUMBER = of(int, float)
OBJECT = of(dict)
TEXTS = many(TEXT)

"""JSON as it comes in: only what every reader takes alike, and nothing that no reader of ours could go through.

Refused besides what is no JSON: ``NaN`` and ``Infinity``, numbers that no double holds, half characters (lone surrogates, which no file
can hold), and documents that nest deeper than :data:`~mendbench.io.reading.MAX_DEPTH`.
"""

from __future__ import annotations

import json
import math
import re

from mendbench.errors import BadInput
from mendbench.io.reading import MAX_DEPTH
from mendbench.model.json import Json

_DIGITS = 308
"""Decimal digits of the largest double, less one (IEEE 754): a number of so many is one for sure."""

_LONG_NUMBER = re.compile(rf"[0-9]{{{_DIGITS + 1}}}")
_STRIDE = 100
"""A number of more digits has one at three places in a row that are so far from each other: few texts have that."""
_ITS_STRIDES = re.compile(r"[0-9]{3}")
_HALF = re.compile(r"\\u[dD][89a-fA-F]")


def load_json(text: str, place: str, hint: str = "mend the JSON there", *, halves: bool = False) -> Json:
    """Return the value of a JSON text. ``place`` names the file in errors. With ``halves``, half characters pass.

    Raises:
        BadInput: it is no JSON, or holds what is refused; names line and column where they are known.
    """
    try:
        return parse_json(text, halves=halves)
    except json.JSONDecodeError as error:
        raise BadInput(f"{place}:{error.lineno}:{error.colno}", f"no JSON ({error.msg})", hint) from None
    except ValueError as error:
        raise BadInput(place, str(error), hint) from None


def parse_json(text: str, *, halves: bool = False) -> Json:
    """Return the value of a JSON text. With ``halves``, half characters pass.

    Raises:
        ValueError: it is no JSON, or holds what is refused.
    """
    try:
        value = finite_json(text)
    except RecursionError:
        raise ValueError("nested too deeply: write it flatter") from None
    if text.count("[") + text.count("{") > MAX_DEPTH and nests_deeper(value):
        raise ValueError("nested too deeply: write it flatter")
    if not halves and _HALF.search(text):
        refuse_halves(value)
    return value


def finite_json(text: str) -> Json:
    """Return the value of a JSON text from a program, which may nest as deep as it likes.

    Raises:
        ValueError: it is no JSON, or holds a number that no double holds.
        RecursionError: it nests deeper than Python can go.
    """
    return reader_of(text).decode(text)


def reader_of(text: str) -> json.JSONDecoder:
    """Return what reads JSON in ``text`` as :func:`finite_json` does."""
    return _LONG_READER if _ITS_STRIDES.search(text[::_STRIDE]) and _LONG_NUMBER.search(text) else _READER


def is_finite(number: float) -> bool:
    """Return whether a double holds a number: no other can be written as JSON that every reader takes."""
    try:
        return math.isfinite(number)
    except OverflowError:
        return False


def beyond_doubles(value: Json) -> bool:
    """Return whether there is a number in ``value``, which must not hold itself, that no double holds."""
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, dict | list | tuple):
            left.extend(one.values() if isinstance(one, dict) else one)
        elif isinstance(one, int | float) and not is_finite(one):
            return True
    return False


def refuse_halves(value: Json) -> None:
    """Refuse a text that no file can hold.

    Raises:
        ValueError: a text in ``value`` has half of a surrogate pair.
    """
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        half = str(error.object)[error.start]
        raise ValueError(f"half a character ({half!r}), which no file can hold") from None


def nests_deeper(value: Json, limit: int = MAX_DEPTH) -> bool:
    """Return whether ``value``, which must not hold itself, has more than ``limit`` levels."""
    layer = [value] if isinstance(value, dict | list) else []
    for _ in range(limit):
        if not layer:
            return False
        layer = [
            item
            for outer in layer
            for item in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(item, dict | list)
        ]
    return bool(layer)


def finite(text: str) -> float:
    """Return a number of JSON.

    Raises:
        ValueError: no double holds it.
    """
    number = float(text)
    if math.isfinite(number):
        return number
    raise ValueError(f"{_short(text)} is no JSON number: it is too large")


def whole_number(text: str) -> int:
    """Return a whole number of JSON.

    Raises:
        ValueError: no double holds it.
    """
    if len(text) > _DIGITS + 2 or not math.isfinite(float(text)):
        raise ValueError(f"{_short(text)} is no JSON number: it is too large")
    return int(text)


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is no JSON number")


def _short(text: str) -> str:
    return text if len(text) <= 20 else f"{text[:12]}… ({len(text)} digits)"  # noqa: PLR2004 - what is read at a glance


_READER = json.JSONDecoder(parse_constant=_no_number, parse_float=finite)
_LONG_READER = json.JSONDecoder(parse_constant=_no_number, parse_float=finite, parse_int=whole_number)

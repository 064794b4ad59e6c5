"""JSON input, limited to what all parsers read alike and all our readers can process.

Besides invalid JSON, these are refused: ``NaN`` and ``Infinity``, numbers outside the range of a double, lone surrogates (which no file can
contain), and documents that nest deeper than :data:`~mendbench.io.reading.MAX_DEPTH`.
"""

from __future__ import annotations

import json
import math
import re

from mendbench.errors import BadInput
from mendbench.io.merge_conflicts import refuse_conflict
from mendbench.io.reading import MAX_DEPTH
from mendbench.model.json import Json

_DIGITS = 308
"""The decimal digits of the largest double, less one (IEEE 754): a number with this many digits always fits."""

_LONG_NUMBER = re.compile(rf"[0-9]{{{_DIGITS + 1}}}")
_STRIDE = 100
"""A longer number has digits at three positions with this distance. Few texts do."""
_ITS_STRIDES = re.compile(r"[0-9]{3}")
_HALF = re.compile(r"\\u[dD][89a-fA-F]")


def load_json(
    text: str, place: str, hint: str = "mend the JSON there", *, line: int | None = None, halves: bool = False
) -> Json:
    """Return the value of a JSON text. ``place`` names the file in errors. ``halves`` permits lone surrogates.

    ``line`` is the line of the file that the text is, if it is one of several.

    Raises:
        BadInput: it is invalid JSON, or contains a refused value. The message has line and column if known.
    """
    try:
        return parse_json(text, halves=halves)
    except json.JSONDecodeError as error:
        refuse_conflict(text, place)
        at = error.lineno + (line or 1) - 1
        raise BadInput(f"{place}:{at}:{error.colno}", f"no JSON ({error.msg})", hint) from None
    except ValueError as error:
        raise BadInput(place if line is None else f"{place}:{line}", str(error), hint) from None


def refuse_repeated_keys(text: str, place: str) -> None:
    """Refuse valid JSON in which an object has a key twice: readers keep the last of the two values.

    Raises:
        BadInput: there is such an object.
    """

    def once(pairs: list[tuple[str, Json]]) -> None:
        seen = set[str]()
        for name, _ in pairs:
            if name in seen:
                raise BadInput(place, f"the key {name!r} stands twice in an object", "keep one of the two")
            seen.add(name)

    json.loads(text, object_pairs_hook=once)


def parse_json(text: str, *, halves: bool = False) -> Json:
    """Return the value of a JSON text. ``halves`` permits lone surrogates.

    Raises:
        ValueError: it is invalid JSON, or contains a refused value.
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
    """Return the value of a JSON text from a program, without a limit on its depth.

    Raises:
        ValueError: it is invalid JSON, or contains a number outside the range of a double.
        RecursionError: it nests deeper than Python can recurse.
    """
    return reader_of(text).decode(text)


def reader_of(text: str) -> json.JSONDecoder:
    """Return a decoder that reads JSON in ``text`` as :func:`finite_json` does."""
    return _LONG_READER if _ITS_STRIDES.search(text[::_STRIDE]) and _LONG_NUMBER.search(text) else _READER


def is_finite(number: float) -> bool:
    """Return whether a double can represent a number: no other number is portable JSON."""
    try:
        return math.isfinite(number)
    except OverflowError:
        return False


def beyond_doubles(value: Json) -> bool:
    """Return whether ``value``, which must not contain itself, has a number outside the range of a double."""
    left = [value]
    while left:
        item = left.pop()
        if isinstance(item, dict | list | tuple):
            left.extend(item.values() if isinstance(item, dict) else item)
        elif isinstance(item, int | float) and not is_finite(item):
            return True
    return False


def refuse_halves(value: Json) -> None:
    """Refuse text that cannot be encoded in a file.

    Raises:
        ValueError: a text in ``value`` has half of a surrogate pair.
    """
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        half = str(error.object)[error.start]
        raise ValueError(f"half a character ({half!r}), which no file can hold") from None


def nests_deeper(value: Json, limit: int = MAX_DEPTH) -> bool:
    """Return whether ``value``, which must not contain itself, has more than ``limit`` levels."""
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
        ValueError: a double cannot represent it.
    """
    number = float(text)
    if math.isfinite(number):
        return number
    raise ValueError(f"{_short(text)} is no JSON number: it is too large")


def whole_number(text: str) -> int:
    """Return an integer of JSON.

    Raises:
        ValueError: a double cannot represent it.
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

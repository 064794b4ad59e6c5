"""The lines of a JSONL file: each with its place, and each one JSON object."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path

from mendbench.errors import BadInput
from mendbench.model.json import JsonObject

_BOM = b"\xef\xbb\xbf"


def bytes_of(path: Path) -> bytes:
    """Return what is in a file, without a byte order mark.

    Raises:
        BadInput: it cannot be read.
    """
    try:
        return path.read_bytes().removeprefix(_BOM)
    except OSError as error:
        raise BadInput(str(path), error.strerror or "cannot be read", "name a file that can be read") from None


def lines_of(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield every line that is not blank, with its place: ``answers.jsonl:3``.

    A line ends at a line feed alone: JSON texts may hold other line breaks of Unicode.

    Raises:
        BadInput: the file cannot be read.
    """
    for number, line in enumerate(bytes_of(path).split(b"\n"), 1):
        if line.strip():
            yield f"{path}:{number}", line


def parsed(line: bytes, place: str) -> JsonObject:
    """Return the JSON object in a line.

    Raises:
        BadInput: it holds none: cut off, say, or no JSON that all readers would take alike (``NaN``).
    """
    try:
        value = json.loads(line.decode(), parse_constant=_refused, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise BadInput(place, f"no whole line of JSON ({error})", "fetch the file again, or mend the line") from None
    if not isinstance(value, dict):
        raise BadInput(place, f"no JSON object but {type(value).__name__}", "write one JSON object a line")
    return value


def _refused(word: str) -> float:
    raise ValueError(f"{word} is no JSON number")


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _refused(text)

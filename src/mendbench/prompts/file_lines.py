"""The lines of a JSONL file: each is one JSON object and has a place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from mendbench.errors import BadInput
from mendbench.io.json_documents import parse_json
from mendbench.io.reading import MAX_RECORDING, read_bytes
from mendbench.model.json import JsonObject


def bytes_of(path: Path) -> bytes:
    """Return the content of a file, without a byte order mark.

    Raises:
        BadInput: it cannot be read.
    """
    hint = "name a file that can be read"
    return read_bytes(path, MAX_RECORDING, hint, hint)


def lines_of(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield every line that is not blank, with its place: ``answers.jsonl:3``.

    Only a line feed ends a line: JSON texts may contain other Unicode line breaks.

    Raises:
        BadInput: the file cannot be read.
    """
    for number, line in enumerate(bytes_of(path).split(b"\n"), 1):
        if line.strip():
            yield f"{path}:{number}", line


def parsed(line: bytes, place: str) -> JsonObject:
    """Return the JSON object in a line.

    Raises:
        BadInput: it contains none: it is truncated, for example, or is not standard JSON (``NaN``).
    """
    try:
        value = parse_json(line.decode(), halves=True)
    except ValueError as error:
        at, why = (f":{error.colno}", error.msg) if isinstance(error, json.JSONDecodeError) else ("", str(error))
        raise BadInput(
            f"{place}{at}", f"no whole line of JSON ({why})", "fetch the file again, or mend the line"
        ) from None
    if not isinstance(value, dict):
        raise BadInput(place, f"no JSON object but {type(value).__name__}", "write one JSON object a line")
    return value

"""Finds the JSON object at the end of a program's output, after any other output."""

from __future__ import annotations

import json
import re

from mendbench.io.json_documents import reader_of
from mendbench.model.json import JsonObject

_BEGINS = re.compile(r'(?<![^\n\r\v\f\x1c-\x1e\x85\u2028\u2029])\{(?=\s*["}])')
"""Where an object can begin: at the beginning of a line."""

TIMES = 8
"""The limit of characters to parse, as a multiple of the output's length."""

BROKEN = 100
"""How many failed starts are tried. A valid document has none (except in a text, after a line end that JSON does not count as one), and
finding where one fails takes time proportional to the text before it."""


def last_object(printed: str) -> JsonObject | None:
    """Return the printed object: the whole output, or one that begins on a later line and ends the output; None if there is none.

    Raises:
        ValueError: the only candidate holds a number that no double can hold.
    """
    reader, end, wrong = reader_of(printed), len(printed.rstrip()), None
    room, broken = TIMES * len(printed), 0
    starts = [found.start() for found in _BEGINS.finditer(printed)]
    for start in (len(printed) - len(printed.lstrip()), *reversed(starts)):
        stopped = end
        try:
            value, stopped = reader.raw_decode(printed, start)
            if stopped >= end:
                return value if isinstance(value, dict) else None
        except json.JSONDecodeError as error:
            stopped, broken = error.pos, broken + 1
        except ValueError as error:
            wrong = wrong or error
        except RecursionError:
            broken += 1
        room -= stopped - start
        if room < 0 or broken > BROKEN:
            break
    if wrong is not None:
        raise wrong
    return None

"""The JSON object that a program ends with, after whatever else it printed."""

from __future__ import annotations

import json
import re

from mendbench.io.json_documents import reader_of
from mendbench.model.json import JsonObject

_BEGINS = re.compile(r'(?<![^\n\r\v\f\x1c-\x1e\x85\u2028\u2029])\{(?=\s*["}])')
"""Where an object can begin: at the beginning of a line."""

TIMES = 8
"""How many times as much as was printed is gone through."""

BROKEN = 100
"""Beginnings of no object that are tried. A right document has none (but in a text, after a line end that JSON does not take for one), and
telling where one breaks takes time in proportion to all that stands before it."""


def last_object(printed: str) -> JsonObject | None:
    """Return the object that was printed: the whole of it, or else what a later line begins with and ends all; None if there is none.

    Raises:
        ValueError: there is none, but there would be one if it did not hold a number that no double holds.
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

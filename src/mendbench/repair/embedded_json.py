"""Finds JSON in a model's text: plain, fenced, or between sentences."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from mendbench.model.json import Json

MAX_STARTS = 1000
"""Maximum number of start positions tried in a text: limits the work on a text of only brackets."""

_FENCE = re.compile(r"```[^\n`]*\n(.*?)(?:```|\Z)", re.DOTALL)
_START = re.compile(r'\{\s*["}]|\[\s*\{')
_THOUGHTS = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundValue:
    """One value found in a text."""

    value: Json
    inner: bool = False
    """Whether it was found after the start of JSON that did not parse, and may be a part of that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """JSON that starts and does not parse."""

    why: str


def find_json(text: str) -> Iterator[FoundValue | Broken]:
    """Yield the values of ``text``, most deliberate first: all of it; else the fenced blocks, then the prose.

    A literal newline or tab inside a JSON string is allowed; NaN, Infinity and numbers outside the double range are not.
    A model's reasoning in ``<think>`` before its response is skipped.
    """
    text = _THOUGHTS.sub("", text).strip()
    whole = _parsed(text)
    if whole is not None:
        yield whole
        return
    yield from filter(None, (_parsed(block.strip()) for block in _FENCE.findall(text)))
    yield from _in_prose(text)


def _in_prose(text: str) -> Iterator[FoundValue | Broken]:
    at, inner = 0, False
    for _ in range(MAX_STARTS):
        start = _START.search(text, at)
        if start is None:
            return
        try:
            value, at = _DECODER.raw_decode(text, start.start())
        except (ValueError, RecursionError) as error:
            yield Broken(why=_reason(error))
            at, inner = start.start() + 1, True
        else:
            yield FoundValue(value=value, inner=inner)


def _parsed(text: str) -> FoundValue | None:
    try:
        return FoundValue(value=_DECODER.decode(text))
    except (ValueError, RecursionError):
        return None


def _reason(error: ValueError | RecursionError) -> str:
    if isinstance(error, json.JSONDecodeError):
        near = error.doc[error.pos : error.pos + 20]
        return f"{error.msg} at line {error.lineno} column {error.colno}, " + (
            f"near {near!r}" if near else "at its end"
        )
    return "it nests too deep" if isinstance(error, RecursionError) else str(error)


def _no_constant(name: str) -> Json:
    raise ValueError(f"{name} is no JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"the number {digits[:20]} is too large")
    return number


_DECODER = json.JSONDecoder(strict=False, parse_constant=_no_constant, parse_float=_finite)

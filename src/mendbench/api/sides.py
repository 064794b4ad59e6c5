"""One side of a comparison: a run's folder, narrowed to some of its trials: ``reports/latest:strategy=mend,policy=two-layer``."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from mendbench.errors import BadInput, UnknownName
from mendbench.results.baseline import responses_of
from mendbench.results.store import StoredRun, read_run
from mendbench.scoring.chance import ResponseDigest
from mendbench.scoring.comparing.changes import ResponsesByKey
from mendbench.scoring.comparing.pairing import FIELDS
from mendbench.scoring.record_table import Records
from mendbench.scoring.records import Treatment
from mendbench.values.interning import NUMBERS, Interned

NONE = "none"
"""Marks a field without a value: the detector under ``naive``, the model of a repairer that needs none, a case in no part."""

FILTERS = (*FIELDS, "part", "kind", "family")
"""Fields that can narrow a run: those of treatments and of cases."""

_NARROWED = re.compile(r"^(?P<folder>.*?):(?P<only>[^:=/,]*=.*)$", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One side, as requested."""

    given: str
    folder: Path
    only: Mapping[str, str]
    """Field and value; empty for the whole run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenSide:
    """A side that has been read."""

    side: Side
    run: StoredRun
    records: Records
    """The requested trials."""
    responses: ResponsesByKey
    """The responses in each trial of the whole run, by key."""


def parse_side(given: str | Path) -> Side:
    """Parse the text of a side.

    Raises:
        BadInput: a field occurs twice, or has no value.
        UnknownName: a field does not exist.
    """
    text = str(given)
    match = None if Path(text).is_dir() else _NARROWED.match(text)
    if match is None:
        return Side(given=text, folder=Path(text), only={})
    only: dict[str, str] = {}
    for pair in match["only"].split(","):
        name, equals, value = (word.strip() for word in pair.partition("="))
        if name not in FILTERS:
            raise UnknownName("field", name, FILTERS, text)
        if not equals or not value:
            raise BadInput(text, f"{name!r} without a value", f"write {name}=VALUE")
        if name in only:
            raise BadInput(text, f"{name!r} stands twice", "name it once; leave it out for all of its values")
        only[name] = value
    return Side(given=text, folder=Path(match["folder"] or "."), only=only)


def open_sides(a: str | Path, b: str | Path) -> tuple[OpenSide, OpenSide]:
    """Read both sides; if they are of one run, it is read once.

    Raises:
        BadInput: a folder contains no run, or nothing in it matches.
        UnknownName: a field does not exist, or no trial has the value.
    """
    sides = parse_side(a), parse_side(b)
    places = [one.folder.resolve() for one in sides]
    runs: dict[Path, StoredRun] = {}
    for one, place in zip(sides, places, strict=True):
        runs[place] = runs.get(place) or read_run(one.folder)
    narrowed = [_narrowed(one, runs[place].records) for one, place in zip(sides, places, strict=True)]
    responses = {place: _Responses(run) for place, run in runs.items()}
    first, second = (
        OpenSide(side=one, run=runs[place], records=records, responses=responses[place])
        for one, place, records in zip(sides, places, narrowed, strict=True)
    )
    return first, second


def _narrowed(side: Side, records: Records) -> Records:
    """Return the trials of a side."""
    if not records:
        raise BadInput(str(side.folder), "a run without trials", "make one with `mendbench run`")
    left = records
    for name, value in side.only.items():
        field, label = ("treatment", partial(_part, name)) if name in FIELDS else (name, _shown)
        there = {label(one) for one in records.values(field)}
        if value not in there:
            raise UnknownName(name, value, there, side.given)
        before, left = left, left.where(field, partial(_is_named, label, value))
        if not left:
            own = ", ".join(sorted({label(one) for one in before.values(field)}))
            raise BadInput(
                side.given, f"no trial has all of these: with the rest, {name} is {own}", "name one of those"
            )
    return left


class _Responses(Mapping[str, tuple[ResponseDigest, ...]]):
    """The responses in each trial of a run, by key; equal responses are stored once."""

    def __init__(self, run: StoredRun) -> None:
        known = Interned[tuple[ResponseDigest, ...]]()
        self._numbers = array(NUMBERS, (known.number(responses_of(row)) for row in run.rows))
        self._values, self._keys = known.values, run.records.trial_keys()

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __getitem__(self, key: str) -> tuple[ResponseDigest, ...]:
        at = bisect_left(self._keys, key)
        if at == len(self._keys) or self._keys[at] != key:
            raise KeyError(key)
        return self._values[self._numbers[at]]


def _is_named(label: Callable[[Any], str], value: str, one: object) -> bool:
    return label(one) == value


def _part(name: str, treatment: Treatment) -> str:
    return _shown(getattr(treatment, name))


def _shown(value: object) -> str:
    return str(value or NONE)

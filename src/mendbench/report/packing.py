"""Trials as they travel in the page: light columns of all of them, and a case's records in a part of their own.

Trials repeat each other: under most policies a trial is the beginning of another one, and what strategies are told differs by a few
lines. So every value stands once, in a pool, and everything above it refers to it by number: a text by its lines, an object by its
shape and its values. What several cases share stands in a pool of its own. Each part is compressed alone, so that the page unpacks the
columns at once, and a case when a reader opens one of its trials.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from mendbench.bench.rows import whole
from mendbench.model.json import Json, JsonObject
from mendbench.model.trial import JsonRow
from mendbench.report.marks import words_told

COLUMNS = (
    "case", "engine", "repairer", "model", "strategy", "policy", "detector", "sample", "group", "family", "part", "kind", "difficulty",
    "title", "request", "verdict", "outcome", "stop_reason", "wasted_attempts",
)  # fmt: skip
"""Fields of a row that trials are listed, filtered, sorted and compared by."""

UNTOLD = frozenset({"format", "key", "used", "timing"})
"""Fields that the page has no use for: the key is made of columns, and two rows that differ in timing alone are one."""

LINED = 120
"""Characters from which on a text is stored line by line: shorter ones are rarely shared in part."""

TEXT_LINES, LIST = -1, 0
"""What the first number of a pool's entry says it is; from 1 on it is the number of an object's shape."""

_OS_BYTE = 9
"""Where a gzip header says what system wrote it (RFC 1952 section 2.3)."""

Entry: TypeAlias = str | int | float | bool | list[int] | None
_Identity: TypeAlias = str | tuple[int, ...] | tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The trials of a run, in parts."""

    columns: JsonObject
    """By field: its ``values``, each once, and of every row the place ``at`` which its value stands."""
    cases: tuple[str, ...]
    """The cases, in the order of :attr:`records`."""
    shapes: tuple[tuple[str, ...], ...]
    """Names of the fields of each kind of object."""
    common: tuple[Entry, ...]
    """The pool that all cases share. A reference counts on from its end into the case's own pool."""
    records: tuple[JsonObject, ...]
    """For each case its ``pool``, and of each of its ``rows``, in their order, the reference."""


class _Pool:
    """Values, each once. References are numbers of entries; an entry refers to earlier ones alone."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = texts
        self.entries: list[Entry] = []
        self.shapes: dict[tuple[str, ...], int] = {}
        self._places: dict[_Identity, int] = {}
        self._known: dict[str, int] = {}

    def add(self, value: Json) -> int:
        """Return the reference of a row's value, which may hold references to texts."""
        if not isinstance(value, dict | list):
            return self._leaf(value)
        written = json.dumps(value)
        if written not in self._known:
            self._known[written] = self._list(value) if isinstance(value, list) else self._object(value)
        return self._known[written]

    def attempt(self, value: JsonObject) -> int:
        """Return the reference of an attempt, with the words that tell facts: all as its ``marks``, each fact's as its ``words``."""
        written = json.dumps(value)
        if written not in self._known:
            texts = [str(whole(section["text"], self.texts)) for section in value["sections"]]
            found = value["facts"]["found"]
            marks = self.items([self.add(word) for word in words_told(found, texts)])
            words = self.items([self.add(list(words_told([fact], texts))) for fact in found])
            self._known[written] = self.record({**value, "marks": None, "words": None}, marks=marks, words=words)
        return self._known[written]

    def record(self, fields: Mapping[str, Json], **known: int) -> int:
        """Return the reference of an object. Of fields in ``known`` the reference is known already."""
        shape = self.shapes.setdefault(tuple(fields), len(self.shapes))
        refs = (known[name] if name in known else self.add(value) for name, value in fields.items())
        return self._entry([1 + shape, *refs])

    def items(self, refs: Iterable[int]) -> int:
        """Return the reference of a list of values whose references are known."""
        return self._entry([LIST, *refs])

    def _list(self, value: Sequence[Json]) -> int:
        return self.items(self.add(item) for item in value)

    def _object(self, value: JsonObject) -> int:
        if set(value) != {"$text"}:
            return self.record(value)
        held = value["$text"]
        return self.record({"$text": held[0]}) if isinstance(held, list) else self._leaf(self.texts[held])

    def _leaf(self, value: Json) -> int:
        if not isinstance(value, str):
            return self._put((type(value).__name__, repr(value)), value)
        if len(value) <= LINED or "\n" not in value:
            return self._put(value, value)
        return self._entry([TEXT_LINES, *(self._put(line, line) for line in value.split("\n"))])

    def _entry(self, entry: list[int]) -> int:
        return self._put(tuple(entry), entry)

    def _put(self, identity: _Identity, entry: Entry) -> int:
        place = self._places.setdefault(identity, len(self.entries))
        if place == len(self.entries):
            self.entries.append(entry)
        return place


def parts_of(rows: Iterable[JsonRow], texts: Mapping[str, str]) -> Parts:
    """Return rows in parts. They are kept in their order, within a case too."""
    rows = tuple(rows)
    pool = _Pool(texts)
    records: dict[str, list[int]] = {}
    for row in rows:
        told = {name: value for name, value in row.items() if name not in UNTOLD and name not in COLUMNS}
        attempts = [pool.attempt(attempt) for attempt in row["attempts"]]
        records.setdefault(row["case"], []).append(pool.record(told, attempts=pool.items(attempts)))
    reached = {case: _reached(pool.entries, refs) for case, refs in records.items()}
    users = Counter(place for places in reached.values() for place in places)
    common = _texts_first((place for place, count in users.items() if count > 1), pool.entries)
    numbers = {place: number for number, place in enumerate(common)}
    return Parts(
        columns={name: column([_whole(row.get(name), texts) for row in rows]) for name in COLUMNS},
        cases=tuple(records),
        shapes=tuple(pool.shapes),
        common=tuple(_renumbered(pool.entries[place], numbers) for place in common),
        records=tuple(
            _part(pool.entries, (place for place in reached[case] if users[place] == 1), numbers, refs)
            for case, refs in records.items()
        ),
    )


def _whole(value: Json, texts: Mapping[str, str]) -> Json:
    return whole(value, texts) if isinstance(value, dict) else value


def column(values: Sequence[Json]) -> JsonObject:
    """Return values as those that there are, each once, and the place of each among them."""
    places: dict[str, int] = {}
    found: list[Json] = []
    at: list[Json] = []
    for value in values:
        written = json.dumps(value)
        if written not in places:
            places[written] = len(found)
            found.append(value)
        at.append(places[written])
    return {"values": found, "at": at}


def packed(value: object) -> str:
    """Return a value as base64 of gzipped JSON; equal values give equal letters on every system."""
    raw = gzip.compress(json.dumps(value, separators=(",", ":")).encode("ascii"), mtime=0)
    return base64.b64encode(raw[:_OS_BYTE] + b"\xff" + raw[_OS_BYTE + 1 :]).decode("ascii")


def _part(entries: Sequence[Entry], own: Iterable[int], common: Mapping[int, int], refs: Sequence[int]) -> JsonObject:
    places = _texts_first(own, entries)
    numbers = {**common, **{place: len(common) + number for number, place in enumerate(places)}}
    pool: list[Json] = [_renumbered(entries[place], numbers) for place in places]
    return {"pool": pool, "rows": [numbers[ref] for ref in refs]}


def _reached(entries: Sequence[Entry], refs: Iterable[int]) -> set[int]:
    found: set[int] = set()
    todo = list(refs)
    while todo:
        place = todo.pop()
        if place not in found:
            found.add(place)
            entry = entries[place]
            todo += entry[1:] if isinstance(entry, list) else ()
    return found


def _texts_first(places: Iterable[int], entries: Sequence[Entry]) -> list[int]:
    """Return places in the order of the pool, texts before the rest: like compresses best beside like."""
    return sorted(places, key=lambda place: (not isinstance(entries[place], str), place))


def _renumbered(entry: Entry, numbers: Mapping[int, int]) -> Entry:
    return [entry[0], *(numbers[ref] for ref in entry[1:])] if isinstance(entry, list) else entry

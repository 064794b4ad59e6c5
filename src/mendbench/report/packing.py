"""Trials as packed in the page: small columns of all trials, and a separate part for the records of each case.

Trials repeat each other: under most policies a trial is a prefix of another one, and prompts of strategies differ by a few
lines. So a pool stores every value once, and references are numbers: a text refers to its lines, an object to its
shape and its values. A separate pool stores what several cases share. Each part is compressed separately, so that the page unpacks the
columns at once, and a case when a reader opens one of its trials.
"""

from __future__ import annotations

import base64
import json
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import chain
from typing import TypeAlias

from mendbench.model.json import Json, JsonObject
from mendbench.model.trial import TrialRow
from mendbench.report.fact_highlights import matched_words
from mendbench.report.pools import LIST, TEXT_LINES, Entry, PoolFile
from mendbench.scoring.funnel import final_stage, first_stage
from mendbench.scoring.record_table import Records
from mendbench.scoring.records import EDIT_KINDS, Treatment
from mendbench.trial.long_texts import whole
from mendbench.values.interning import NUMBERS

COLUMNS = (
    "case", "engine", "repairer", "model", "strategy", "policy", "detector", "sample", "group", "family", "api", "part", "kind",
    "level", "title", "request", "verdict", "outcome", "stop_reason", "wasted_attempts",
)  # fmt: skip
"""Fields of a row that the page uses to list, filter, sort and compare trials."""

STAGE_OF = {"first_stage": first_stage, "final_stage": final_stage}
"""Stages of the failure funnel, which can also filter trials; None if no edit is right."""

NOT_SHOWN = frozenset({"format", "key", "used", "timing"})
"""Fields that the page does not use: the key is made of columns, and rows that differ only in timing are the same."""

LINED = 120
"""Minimum characters of a text that is stored line by line: shorter texts rarely share lines."""

_GZIP = 31
"""The ``wbits`` value of zlib for its largest window with a gzip header."""

_AT_ONCE = 8192
"""Numbers of a column that are written at once."""

_TREATMENT = frozenset(field.name for field in fields(Treatment))

_OS_BYTE = 9
"""Offset of the operating system in a gzip header (RFC 1952 section 2.3)."""

_Identity: TypeAlias = str | tuple[int, ...] | tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedColumn:
    """One field of all rows: its distinct values, and for every row the index of its value."""

    values: tuple[Json, ...]
    at: Sequence[int]


class Columns(Mapping[str, PackedColumn]):
    """The columns of a run by field, made lazily."""

    def __init__(self, records: Records, of_rows: Mapping[str, _RowField]) -> None:
        """Take the fields of records, and in ``of_rows`` the fields that only rows have."""
        self._records, self._of_rows = records, of_rows

    def __len__(self) -> int:
        """Return the number of columns."""
        return len(COLUMNS) + len(STAGE_OF)

    def __iter__(self) -> Iterator[str]:
        """Yield the fields."""
        return chain(COLUMNS, STAGE_OF)

    def __getitem__(self, name: str) -> PackedColumn:
        """Return one column."""
        if name in STAGE_OF:
            return column(STAGE_OF[name](record) if record.kind in EDIT_KINDS else None for record in self._records)
        if name in self._of_rows:
            return self._of_rows[name].column()
        if name in _TREATMENT:
            return column(getattr(treatment, name) for treatment in self._records.column("treatment"))
        return column(self._records.column(name))


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedTrials:
    """The trials of a run, in parts."""

    columns: Mapping[str, PackedColumn]
    """By field."""
    cases: tuple[str, ...]
    """The cases, in the order of :attr:`records`."""
    shapes: tuple[tuple[str, ...], ...]
    """Names of the fields of each kind of object."""
    common: tuple[Entry, ...]
    """The pool that all cases share. References past its end continue in the case's own pool."""
    records: Sequence[JsonObject]
    """For each case its ``pool``, and the references of its ``rows``, in order; made lazily."""


class _Pool:
    """Distinct values. References are numbers of entries; an entry refers only to earlier ones."""

    def __init__(self, texts: Mapping[str, str], shapes: dict[tuple[str, ...], int]) -> None:
        self.texts, self.shapes = texts, shapes
        self.entries: list[Entry] = []
        self._places: dict[_Identity, int] = {}
        self._known: dict[str, int] = {}

    def add(self, value: Json) -> int:
        """Return the reference of a row's value, which may contain references to texts."""
        if not isinstance(value, dict | list):
            return self._leaf(value)
        written = json.dumps(value)
        if written not in self._known:
            self._known[written] = self._list(value) if isinstance(value, list) else self._object(value)
        return self._known[written]

    def attempt(self, value: Mapping[str, Json]) -> int:
        """Return the reference of an attempt, with the words that state facts: all as its ``marks``, each fact's as its ``words``."""
        written = json.dumps(value)
        if written not in self._known:
            texts = [str(whole(section["text"], self.texts)) for section in value["sections"]]
            found = value["facts"]["found"]
            marks = self.items([self.add(word) for word in matched_words(found, texts)])
            words = self.items([self.add(list(matched_words([fact], texts))) for fact in found])
            self._known[written] = self.record({**value, "marks": None, "words": None}, marks=marks, words=words)
        return self._known[written]

    def record(self, fields: Mapping[str, Json], **known: int) -> int:
        """Return the reference of an object. ``known`` contains references that are already known, by field."""
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


def parts_of(rows: Sequence[TrialRow], texts: Mapping[str, str], records: Records) -> PackedTrials:
    """Return rows in parts; ``records`` are those of the rows. The order of rows is kept, also within a case.

    The rows are read once, case by case, and the results are kept in a file until they are used.
    """
    shapes: dict[tuple[str, ...], int] = {}
    by_case: dict[str, Records] = records.by("case")
    fields_of_rows = {name: _RowField(len(rows)) for name in _OF_ROWS}
    pools = PoolFile()
    for own in by_case.values():
        pool = _Pool(texts, shapes)
        pools.add(pool.entries, list(_packed_rows(rows, own.places(), pool, fields_of_rows)))
    common = pools.common()
    return PackedTrials(
        columns=Columns(records, fields_of_rows), cases=tuple(by_case), shapes=tuple(shapes), common=common, records=pools
    )  # fmt: skip


def columns_of(rows: Sequence[TrialRow], texts: Mapping[str, str], records: Records) -> Columns:
    """Return only the columns of rows."""
    fields_of_rows = {name: _RowField(len(rows)) for name in _OF_ROWS}
    for place, row in enumerate(rows):
        for name, values in fields_of_rows.items():
            values.put(place, _whole(row.get(name), texts))
    return Columns(records, fields_of_rows)


_OF_ROWS = ("title", "request")
"""Columns that records do not have."""


def _packed_rows(
    rows: Sequence[TrialRow], places: Iterable[int], pool: _Pool, fields_of_rows: Mapping[str, _RowField]
) -> Iterator[int]:
    """Put the rows of one case into its pool, and yield the reference of each."""
    for place in places:
        row = rows[place]
        for name, values in fields_of_rows.items():
            values.put(place, _whole(row.get(name), pool.texts))
        shown = {name: value for name, value in row.items() if name not in NOT_SHOWN and name not in COLUMNS}
        attempts = [pool.attempt(attempt) for attempt in row["attempts"]]
        yield pool.record(shown, attempts=pool.items(attempts))


def _whole(value: Json, texts: Mapping[str, str]) -> Json:
    return whole(value, texts) if isinstance(value, dict) else value


class _RowField:
    """A column that is filled row by row."""

    def __init__(self, rows: int) -> None:
        self._at = array(NUMBERS, bytes(rows * array(NUMBERS).itemsize))
        self._known = _Known()

    def put(self, place: int, value: Json) -> None:
        self._at[place] = self._known.place(value)

    def column(self) -> PackedColumn:
        return PackedColumn(values=tuple(self._known.values), at=self._at)


class _Known:
    """Distinct JSON values: 1, 1.0 and true are different."""

    def __init__(self) -> None:
        self.values: list[Json] = []
        self._texts: dict[str, int] = {}
        self._others: dict[str, int] = {}

    def place(self, value: Json) -> int:
        """Return the index of a value."""
        known, key = (self._texts, value) if isinstance(value, str) else (self._others, json.dumps(value))
        place = known.setdefault(key, len(self.values))
        if place == len(self.values):
            self.values.append(value)
        return place


def column(values: Iterable[Json]) -> PackedColumn:
    """Return the distinct values, and the index of each value among them."""
    known = _Known()
    at = array(NUMBERS, (known.place(value) for value in values))
    return PackedColumn(values=tuple(known.values), at=at)


def packed(value: object) -> str:
    """Return a value as base64 of gzipped JSON; equal values give equal text on every system."""
    return "".join(packed_parts([json.dumps(value, separators=(",", ":"))]))


def packed_parts(parts: Iterable[str]) -> Iterator[str]:
    """Gzip JSON that arrives in parts, and yield it as base64, in parts."""
    squeeze = zlib.compressobj(9, zlib.DEFLATED, _GZIP)
    held, begun = b"", False
    for part in chain(parts, (None,)):
        held += squeeze.flush() if part is None else squeeze.compress(part.encode("ascii"))
        if not begun and len(held) > _OS_BYTE:
            held, begun = held[:_OS_BYTE] + b"\xff" + held[_OS_BYTE + 1 :], True
        ready = len(held) if part is None else len(held) // 3 * 3 if begun else 0
        if ready:
            yield base64.b64encode(held[:ready]).decode("ascii")
            held = held[ready:]


def column_parts(columns: Mapping[str, PackedColumn]) -> Iterator[str]:
    """Yield columns as JSON, in parts."""
    yield "{"
    for number, (name, one) in enumerate(columns.items()):
        values = json.dumps(one.values, separators=(",", ":"))
        yield f'{"," if number else ""}{json.dumps(name)}:{{"values":{values},"at":['
        for start in range(0, len(one.at), _AT_ONCE):
            yield ("," if start else "") + ",".join(map(str, one.at[start : start + _AT_ONCE]))
        yield "]}"
    yield "}"

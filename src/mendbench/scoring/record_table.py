"""A compact table of trial records: a hundred thousand of them take a few megabytes.

Shared values (the case, the treatment, the ending, an attempt) are stored once, and a trial is a row of indexes into them. Records are
created on demand. Code that needs many at once should process one treatment after the other.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields
from itertools import chain
from operator import attrgetter
from typing import Any, overload

from mendbench.model.trial import TrialRow
from mendbench.scoring.records import AttemptRecord, TrialRecord, record_of
from mendbench.values.interning import NUMBERS, Interned, Names

SEPARATOR = " | "
"""Separates the parts of a trial's key."""

_GROUPS: tuple[tuple[str, ...], ...] = (
    ("case", "group", "family", "kind", "part", "level", "api", "case_digest", "adversarial_to", "recorded_from"),
    ("treatment", "sampling", "tokens_estimated"),
    ("sample",),
    ("prompt_tokens", "completion_tokens", "cost_usd"),
    ("attempts",),
    ("nodes",),
    ("model_requests",),
    ("world",),
)
_ENDING = tuple(field.name for field in fields(TrialRecord) if field.name not in {"key", *chain(*_GROUPS)})

GROUPS = (*_GROUPS, _ENDING)
"""Fields that are stored together, because they seldom differ independently. The key is stored as two parts."""

_GROUP_OF = {name: number for number, names in enumerate(GROUPS) for name in names}
_PLACE_OF = {name: place for names in GROUPS for place, name in enumerate(names)}
_READ = tuple(
    attrgetter(*names) if len(names) > 1 else (lambda record, name=names[0]: (getattr(record, name),))
    for names in GROUPS
)


class Coded:
    """The data of a table: keys, and for each group of fields the code of each trial and the values by code."""

    __slots__ = ("codes", "keys", "values")

    def __init__(self, keys: Names, codes: Sequence[array[int]], values: Sequence[list[tuple[Any, ...]]]) -> None:
        self.keys, self.codes, self.values = keys, codes, values

    @classmethod
    def of(cls, records: Iterable[TrialRecord]) -> Coded:
        """Return the table of some records. Values are numbered from 0 in order of occurrence."""
        keys = Names(SEPARATOR)
        codes = tuple(array(NUMBERS) for _ in GROUPS)
        known = tuple(Interned[tuple[Any, ...]]() for _ in GROUPS)
        attempts = Interned[AttemptRecord]()
        whole = _GROUP_OF["attempts"]
        for record in records:
            keys.append(record.key)
            for number, read in enumerate(_READ):
                value = read(record)
                if number == whole:
                    value = (tuple(attempts.values[attempts.number(attempt)] for attempt in record.attempts),)
                codes[number].append(known[number].number(value))
        return cls(keys, codes, [interned.values for interned in known])

    def record(self, at: int) -> TrialRecord:
        """Return the record of the trial at an index."""
        found: dict[str, Any] = {"key": self.keys[at]}
        for names, values, codes in zip(GROUPS, self.values, self.codes, strict=True):
            found.update(zip(names, values[codes[at]], strict=True))
        return TrialRecord(**found)


class Records(Sequence[TrialRecord]):
    """A sequence of trial records. A slice or selection shares the same table."""

    __slots__ = ("_at", "_table")

    def __init__(self, records: Iterable[TrialRecord] | Coded = (), at: Sequence[int] | None = None) -> None:
        self._table = records if isinstance(records, Coded) else Coded.of(records)
        self._at = range(len(self._table.keys)) if at is None else at

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._at)

    @overload
    def __getitem__(self, at: int) -> TrialRecord: ...
    @overload
    def __getitem__(self, at: slice) -> Records: ...
    def __getitem__(self, at: Any) -> Any:
        """Return the record at an index, or the records of a slice."""
        return self.only(self._at[at]) if isinstance(at, slice) else self._table.record(self._at[at])

    def __iter__(self) -> Iterator[TrialRecord]:
        """Yield the records one by one; none is kept."""
        return map(self._table.record, self._at)

    def __eq__(self, other: object) -> bool:
        """Return whether both have the same records in the same order."""
        if not isinstance(other, Records):
            return NotImplemented
        return len(self) == len(other) and all(one == two for one, two in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def coded(self) -> Coded:
        """Return a table with exactly these records."""
        return self._table if isinstance(self._at, range) and len(self) == len(self._table.keys) else Coded.of(self)

    def where(self, name: str, holds: Callable[[Any], bool]) -> Records:
        """Return the trials for whose field value ``holds`` is true. It is called once for each stored value, not for each trial."""
        number, place = _GROUP_OF[name], _PLACE_OF[name]
        held = [holds(value[place]) for value in self._table.values[number]]
        codes = self._table.codes[number]
        return self.only(array(NUMBERS, (at for at in self._at if held[codes[at]])))

    def counted(self, *names: str) -> Counter[tuple[Any, ...]]:
        """Return the number of trials for each combination of values of some fields, in order of first occurrence."""
        places = [(_GROUP_OF[name], _PLACE_OF[name]) for name in names]
        numbers = sorted({number for number, _ in places})
        columns = [self._table.codes[number] for number in numbers]
        found: Counter[tuple[Any, ...]] = Counter()
        for codes, count in Counter(tuple(column[at] for column in columns) for at in self._at).items():
            whole = {number: self._table.values[number][code] for number, code in zip(numbers, codes, strict=True)}
            found[tuple(whole[number][place] for number, place in places)] += count
        return found

    def values(self, name: str) -> tuple[Any, ...]:
        """Return the distinct values of a field, in order of first occurrence."""
        return tuple(value for (value,) in self.counted(name))

    def column(self, name: str) -> Iterator[Any]:
        """Yield the value of a field for each trial."""
        number, place = _GROUP_OF[name], _PLACE_OF[name]
        codes, values = self._table.codes[number], self._table.values[number]
        return (values[codes[at]][place] for at in self._at)

    def by(self, name: str) -> dict[Any, Records]:
        """Return the trials by value of a field, in order of first occurrence."""
        number, place = _GROUP_OF[name], _PLACE_OF[name]
        codes, values = self._table.codes[number], self._table.values[number]
        apart: dict[Any, array[int]] = {}
        for at in self._at:
            value = values[codes[at]][place]
            apart.setdefault(value, array(NUMBERS)).append(at)
        return {value: self.only(places) for value, places in apart.items()}

    def trial_keys(self) -> Sequence[str]:
        """Return the keys of the trials."""
        names = self._table.keys
        whole = isinstance(self._at, range) and len(self._at) == len(names)
        return names if whole else tuple(names[at] for at in self._at)

    def places(self) -> Sequence[int]:
        """Return the index of each trial in the whole table: for a run, the index of its row."""
        return self._at

    def standing(self, place: int) -> TrialRecord:
        """Return the record of the trial at an index of the whole table."""
        return self._table.record(place)

    def by_strategy(self) -> dict[str, dict[int, int]]:
        """Return the table indexes of the trials, by strategy and sample. No two trials may have the same of both."""
        found: dict[str, dict[int, int]] = {}
        for treatment, own in self.by("treatment").items():
            found.setdefault(treatment.strategy, {}).update(zip(own.column("sample"), own.places(), strict=True))
        return found

    def only(self, places: Sequence[int]) -> Records:
        """Return the trials at some indexes of the whole table, in the given order."""
        return Records(self._table, places)


def as_table(records: Iterable[TrialRecord]) -> Records:
    """Return records as a table, in their order. A table is returned as it is."""
    return records if isinstance(records, Records) else Records(records)


def records_of(rows: Iterable[TrialRow]) -> Records:
    """Return the records of rows, in their order. The rows are not kept."""
    return Records(record_of(row) for row in rows)

"""The records of a large run as Parquet columns next to its rows, so that the run can be read again without parsing the rows.

``trials.parquet`` is a folder. It contains parts, each with :data:`PART` trials in the order of their keys, and ``index.json``, which has
the digests of the parts and of the two files that they were made from. Columns that do not match the index are ignored: the rows are
authoritative. A part has a column for each field of :class:`~mendbench.scoring.records.TrialRecord` (six for a treatment), one for the
offset of the trial's line in ``trials.jsonl``, and one for each group of fields that are stored together
(:data:`~mendbench.scoring.record_table.GROUPS`), with the number of its values.
"""

from __future__ import annotations

import dataclasses
import importlib
import io
import json
from array import array
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_type_hints

from mendbench.errors import BadInput
from mendbench.io.canonical_json import digest
from mendbench.io.files import remove, write_atomically
from mendbench.io.json_documents import parse_json
from mendbench.io.reading import read_regular, read_text
from mendbench.model.json import JsonObject
from mendbench.results.stored_rows import OFFSETS, Lines, StoredRows, StoredTexts
from mendbench.scoring.record_table import GROUPS, SEPARATOR, Coded, Records
from mendbench.scoring.records import AttemptRecord, Treatment, TrialRecord
from mendbench.values.interning import NUMBERS, Names

FOLDER, INDEX = "trials.parquet", "index.json"

LARGE = 200_000
"""Number of trials from which a run gets columns: reading that many rows takes a minute, and pyarrow always takes 50 MB."""

PART, TOGETHER = 100_000, 10_000
"""Trials in a part, and trials read or written at a time (a Parquet row group)."""

FORMAT = 1

_MAX_INDEX, _MAX_PART = 1_000_000, 1_000_000_000
"""Maximum size in bytes of an index and of a part."""

_ROWS = "read the rows"
"""The hint for any error in columns. It is never shown."""

_BEGINS = "line_begins_at"
_PAIRS = {"nodes": ("node", "expected", "got"), "recorded_from": ("service", "source")}
"""Names of the elements of fields that hold tuples."""


def write_columns(folder: Path, rows: StoredRows, texts: StoredTexts) -> None:
    """Write the columns of a run into its folder if it is large and pyarrow is installed.

    Raises:
        OSError: they cannot be written.
    """
    place = folder / FOLDER
    remove(place)
    if len(rows) < LARGE or find_spec("pyarrow") is None:
        return
    coded, starts = rows.records().coded(), rows.lines().starts
    parts: dict[str, str] = {}
    try:
        for number, first in enumerate(range(0, len(rows), PART)):
            name = f"part-{number:05}.parquet"
            data = _part(coded, starts, range(first, min(first + PART, len(rows))))
            write_atomically(place / name, data)
            parts[name] = digest(data, 64)
    except (OverflowError, ValueError):  # a number that does not fit a column: the rows contain it anyway
        remove(place)
        return
    made_from = _digests(rows.lines(), texts.lines())
    index = {"format": FORMAT, "fields": _fields(), "trials": len(rows), "made_from": made_from, "parts": parts}
    write_atomically(place / INDEX, json.dumps(index, indent=1) + "\n")


def read_columns(folder: Path, trials: Lines, texts: Lines) -> Records | None:
    """Return the records of a run, and set the line offsets of ``trials``; None if the rows have to be read instead.

    ``trials`` and ``texts`` are the run's files: columns are used only if they were made from exactly these bytes.
    """
    place = folder / FOLDER
    if not (place / INDEX).is_file() or find_spec("pyarrow") is None:
        return None
    try:
        index = parse_json(read_text(place / INDEX, _MAX_INDEX, _ROWS))
        if not isinstance(index, dict) or index.get("format") != FORMAT or index.get("fields") != _fields():
            return None
        if not isinstance(index["parts"], dict) or index["made_from"] != _digests(trials, texts):
            return None
        return _records(place, index, trials)
    except _not_as_written():
        return None


def _not_as_written() -> tuple[type[BaseException], ...]:
    """Return the exceptions that corrupt columns can raise: not all errors of Arrow are subclasses of Python's."""
    arrow = importlib.import_module("pyarrow")
    return BadInput, OSError, ValueError, LookupError, TypeError, AttributeError, arrow.ArrowException


def _digests(trials: Lines, texts: Lines) -> dict[str, str]:
    return {"trials": trials.digest(), "texts": texts.digest()}


def _records(place: Path, index: JsonObject, trials: Lines) -> Records | None:
    coded = Coded(Names(SEPARATOR), [array(NUMBERS) for _ in GROUPS], [[] for _ in GROUPS])
    parquet = importlib.import_module("pyarrow.parquet")
    begins = array(OFFSETS)
    for name, known in index["parts"].items():
        data = read_regular(place / Path(name).name, _MAX_PART, _ROWS)
        if digest(data, 64) != known:
            return None
        file = parquet.ParquetFile(io.BytesIO(data))
        if not file.schema_arrow.equals(_schema()):
            return None
        for number in range(file.num_row_groups):
            _read_together(file, number, coded, begins)
    if len(coded.keys) != index["trials"]:
        return None
    trials.starts[:] = begins
    trials.starts.append(trials.size())
    return Records(coded)


def _read_together(file: Any, number: int, coded: Coded, begins: array[int]) -> None:
    """Add the trials of a row group."""
    names = [*map(_code, range(len(GROUPS))), _BEGINS, "key"]
    found = file.read_row_group(number, columns=names, use_threads=False)
    begins.frombytes(_raw(found[_BEGINS], begins.itemsize))
    for key in found["key"].to_pylist():
        coded.keys.append(key)
    for group, (codes, values) in enumerate(zip(coded.codes, coded.values, strict=True)):
        own = array(NUMBERS)
        own.frombytes(_raw(found[_code(group)], own.itemsize))
        codes.extend(own)
        if max(own, default=-1) >= len(values):
            values.extend(_fresh(file, number, group, own, len(values)))


def _raw(column: Any, size: int) -> bytes:
    """Return the raw bytes of a numeric column. Arrow's own function for this would import pandas."""
    parts = [memoryview(one.buffers()[1])[one.offset * size : (one.offset + len(one)) * size] for one in column.chunks]
    return b"".join(parts)


def _fresh(file: Any, number: int, group: int, codes: array[int], known: int) -> Iterator[tuple[Any, ...]]:
    """Yield the values that occur first in this row group.

    Raises:
        ValueError: they are not numbered in order of occurrence.
    """
    columns = [column for field in GROUPS[group] for column, _ in _columns(field)]
    found = file.read_row_group(number, columns=columns, use_threads=False)
    for place, code in enumerate(codes):
        if code > known:
            raise ValueError("values that are not numbered as they come")
        if code == known:
            row = {column: found[column][place].as_py() for column in columns}
            yield tuple(_value(field, row) for field in GROUPS[group])
            known += 1


def _schema() -> Any:
    """Return the columns of a part, and their types."""
    arrow = importlib.import_module("pyarrow")
    return arrow.schema(
        [
            ("key", arrow.string()),
            (_BEGINS, arrow.uint64()),
            *((_code(group), arrow.uint32()) for group in range(len(GROUPS))),
            *(column for fields in GROUPS for field in fields for column in _columns(field)),
        ]
    )


def _part(coded: Coded, starts: Sequence[int], of: range) -> bytes:
    """Return a part with these trials."""
    arrow, parquet = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    out, schema = io.BytesIO(), _schema()
    bounds = [*range(of.start, of.stop, TOGETHER), of.stop]
    with parquet.ParquetWriter(out, schema, compression="zstd") as writer:
        for first, end in pairwise(bounds):
            columns = [
                arrow.array([coded.keys[at] for at in range(first, end)]),
                arrow.array(starts[first:end], arrow.uint64()),
                *(arrow.array(codes[first:end], arrow.uint32()) for codes in coded.codes),
                *_values(coded, first, end),
            ]
            writer.write_table(arrow.table(columns, schema=schema))
    return out.getvalue()


def _values(coded: Coded, first: int, end: int) -> Iterator[Any]:
    """Yield the columns of all fields, for these trials."""
    arrow = importlib.import_module("pyarrow")
    for fields, codes, values in zip(GROUPS, coded.codes, coded.values, strict=True):
        used = sorted(set(codes[first:end]))
        place = {code: at for at, code in enumerate(used)}
        at = arrow.array([place[code] for code in codes[first:end]], arrow.uint32())
        for number, field in enumerate(fields):
            plain = [_plain(field, values[code][number]) for code in used]
            for column, kind in _columns(field):
                own = [one[column] for one in plain] if field == "treatment" else plain
                yield arrow.array(own, kind).take(at)


def _fields() -> list[list[str]]:
    """Return the columns of each group. Stored columns with other fields are not read."""
    return [[column for field in fields for column, _ in _columns(field)] for fields in GROUPS]


@cache
def _columns(field: str) -> list[tuple[str, Any]]:
    """Return the columns of a field of a record, and their types."""
    arrow = importlib.import_module("pyarrow")
    if field == "treatment":
        return [(one.name, arrow.string()) for one in dataclasses.fields(Treatment)]
    if field == "attempts":
        parts = [(name, _kind(hint)) for name, hint in get_type_hints(AttemptRecord).items()]
        return [(field, arrow.list_(arrow.struct(parts)))]
    if field in _PAIRS:
        return [(field, arrow.list_(arrow.struct([(name, arrow.string()) for name in _PAIRS[field]])))]
    if field == "adversarial_to":
        return [(field, arrow.list_(arrow.string()))]
    return [(field, _kind(get_type_hints(TrialRecord)[field]))]


def _kind(hint: Any) -> Any:
    """Return the Arrow type for an optional Python type."""
    arrow = importlib.import_module("pyarrow")
    (plain,) = {*(get_args(hint) or (hint,))} - {NoneType}
    return {str: arrow.string(), int: arrow.int64(), float: arrow.float64(), bool: arrow.bool_()}[plain]


def _plain(field: str, value: Any) -> Any:
    """Return a field of a record in the form that Arrow accepts."""
    if field == "treatment":
        return dataclasses.asdict(value)
    if field == "attempts":
        return [dataclasses.asdict(one) for one in value]
    if field in _PAIRS:
        return [dict(zip(_PAIRS[field], one, strict=True)) for one in value]
    return value


def _value(field: str, row: JsonObject) -> Any:
    """Return a field of a record from its columns: the inverse of :func:`_plain`."""
    if field == "treatment":
        return Treatment(**{one.name: row[one.name] for one in dataclasses.fields(Treatment)})
    value = row[field]
    if field == "attempts":
        return tuple(AttemptRecord(**{name: _number(item) for name, item in one.items()}) for one in value)
    if field in _PAIRS:
        return tuple(tuple(one[name] for name in _PAIRS[field]) for one in value)
    return tuple(value) if isinstance(value, list) else _number(value)


def _number(value: Any) -> Any:
    """Return a number as in a row, where whole numbers have no decimal point."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _code(group: int) -> str:
    return f"values_{group}"

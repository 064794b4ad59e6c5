"""The records of a large run in columns, as Parquet beside its rows: who reads the run again need not go through the rows.

``trials.parquet`` is a folder of parts, each with so many trials in the order of their keys, and ``index.json``, which has the digests of
the parts and of the two files that they were made from. Whatever is not as the index says is as good as absent: the rows decide.
A part has a column for each field of :class:`~mendbench.scoring.records.TrialRecord` (a treatment is six), where the trial's line begins
in ``trials.jsonl``, and for each group of fields that are kept together (:data:`~mendbench.scoring.record_table.GROUPS`) the number of
its values.
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
"""Trials from which on a run gets columns: to read so many rows takes a minute, and pyarrow takes 50 MB, however few there are."""

PART, TOGETHER = 100_000, 10_000
"""Trials of a part, and those that are read and written at a time (a row group of Parquet)."""

FORMAT = 1

_MAX_INDEX, _MAX_PART = 1_000_000, 1_000_000_000
"""Bytes of an index and of a part that are read at most."""

_ROWS = "read the rows"
"""What is done about whatever is wrong with columns: nobody is told."""

_BEGINS = "line_begins_at"
_PAIRS = {"nodes": ("node", "expected", "got"), "recorded_from": ("service", "source")}
"""Names of the parts of what a record has as tuples."""


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
    except (OverflowError, ValueError):  # a number that no column holds: the rows tell it all the same
        remove(place)
        return
    made_from = _digests(rows.lines(), texts.lines())
    index = {"format": FORMAT, "fields": _fields(), "trials": len(rows), "made_from": made_from, "parts": parts}
    write_atomically(place / INDEX, json.dumps(index, indent=1) + "\n")


def read_columns(folder: Path, trials: Lines, texts: Lines) -> Records | None:
    """Return the records of a run, and let ``trials`` know where its lines are; None if its rows have to be read for it.

    ``trials`` and ``texts`` are the files that are there: columns count only if they were made from just these bytes.
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
    """Return what comes of columns that are not as they were written: not all of Arrow's own errors are any of Python's."""
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
    """Return the numbers of a column as they lie in memory. Arrow's own way to them would import pandas."""
    parts = [memoryview(one.buffers()[1])[one.offset * size : (one.offset + len(one)) * size] for one in column.chunks]
    return b"".join(parts)


def _fresh(file: Any, number: int, group: int, codes: array[int], known: int) -> Iterator[tuple[Any, ...]]:
    """Yield the values that a row group is the first to have.

    Raises:
        ValueError: they are not numbered as they come.
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
    """Return what the groups are made of: columns that were made of others are not read."""
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
    """Return the type of a column whose values have a type of Python, or are absent."""
    arrow = importlib.import_module("pyarrow")
    (plain,) = {*(get_args(hint) or (hint,))} - {NoneType}
    return {str: arrow.string(), int: arrow.int64(), float: arrow.float64(), bool: arrow.bool_()}[plain]


def _plain(field: str, value: Any) -> Any:
    """Return a field of a record as Arrow takes it."""
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
    """Return a number as a row has it, where whole ones are written without a point."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _code(group: int) -> str:
    return f"values_{group}"

"""The index of a run: its records and the offsets of its lines, so that the run is read again without parsing its rows.

``trials.index`` is derived from ``trials.jsonl`` and ``texts.jsonl`` and contains their digests, and what the run was made
from. The rows are authoritative: an index that does not match them, or that another version or machine wrote in another form, is ignored.
The file is a head as a line of JSON, the bytes of the arrays that the head lists, and the SHA-256 of both.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import sys
from array import array
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from mendbench.errors import BadInput
from mendbench.io.files import write_parts_atomically
from mendbench.io.json_documents import parse_json
from mendbench.io.reading import MAX_RUN, read_regular
from mendbench.model.json import Json
from mendbench.results.stored_rows import OFFSETS, Lines, StoredRows, StoredTexts
from mendbench.scoring.record_table import GROUPS, SEPARATOR, Coded, Records
from mendbench.scoring.records import AttemptRecord, Treatment, TrialRecord
from mendbench.values.interning import NUMBERS, Names

INDEX = "trials.index"

FORMAT = 1


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class RunInputs:
    """What a run was made from, so that the next run executes only what changed."""

    plan: str
    """A digest of everything that the run depends on."""
    fingerprints: tuple[str, ...]
    """The fingerprint of each trial (:mod:`mendbench.trial.inputs`) in the order of the rows; empty for one that must be executed."""
    reused: int
    """Number of trials whose rows come from earlier runs."""

    def is_whole(self) -> bool:
        """Return whether every trial may be used again."""
        return all(self.fingerprints)


_DIGEST = 64
"""Length of the digest at the end of an index."""

_MAX_INDEX = 1_000_000_000
"""Maximum size in bytes of an index."""

_IGNORED = "read the rows"
"""The hint for an index that cannot be read. It is never shown."""


def write_index(folder: Path, rows: StoredRows, texts: StoredTexts, inputs: RunInputs | None = None) -> None:
    """Write the index of a run into its folder.

    Raises:
        OSError: it cannot be written.
    """
    coded = rows.records().coded()
    heads, tails, *key_codes = coded.keys.coded()
    arrays = [*key_codes, rows.lines().starts, texts.lines().starts, *coded.codes]
    head = {
        "layout": _layout(),
        "made_from": [rows.lines().digest(), texts.lines().digest()],
        "keys": [heads, tails],
        "texts": list(texts),
        "values": [[_plain(value) for value in values] for values in coded.values],
        "inputs": None if inputs is None else dataclasses.asdict(inputs),
        "arrays": [[one.typecode, len(one)] for one in arrays],
    }
    parts = chain([json.dumps(head).encode(), b"\n"], (one.tobytes() for one in arrays))
    write_parts_atomically(folder / INDEX, _signed(parts))


def read_index(folder: Path, trials: Path, texts: Path) -> tuple[StoredRows, StoredTexts, RunInputs | None] | None:
    """Return the rows and texts of a run with their records, and its inputs; None if the run's files have to be read instead."""
    if not (folder / INDEX).is_file():
        return None
    try:
        data = read_regular(folder / INDEX, _MAX_INDEX, _IGNORED)
        if hashlib.sha256(data[:-_DIGEST]).hexdigest().encode() != data[-_DIGEST:]:
            return None
        line, _, numbers = data[:-_DIGEST].partition(b"\n")
        head = parse_json(line.decode())
        if not isinstance(head, dict) or head["layout"] != _layout():
            return None
        head_codes, tail_codes, row_starts, text_starts, *codes = _arrays(head["arrays"], numbers)
        row_lines, text_lines = Lines(trials, row_starts), Lines(texts, text_starts)
        if max(row_lines.size(), text_lines.size()) > MAX_RUN:
            return None
        if head["made_from"] != [row_lines.digest(), text_lines.digest()]:
            return None
        values = [
            [_record_values(names, one) for one in own] for names, own in zip(GROUPS, head["values"], strict=True)
        ]
        heads, tails = head["keys"]
        keys = Names.of_coded(SEPARATOR, heads, tails, head_codes, tail_codes)
        stored_texts = StoredTexts(text_lines, {name: at for at, name in enumerate(head["texts"])})
        inputs = head["inputs"] and RunInputs(
            **{**head["inputs"], "fingerprints": tuple(head["inputs"]["fingerprints"])}
        )
    except (BadInput, OSError, ValueError, LookupError, TypeError):
        return None
    return StoredRows(row_lines, records=Records(Coded(keys, codes, values))), stored_texts, inputs


def _signed(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the parts, and then their SHA-256 in hexadecimal digits."""
    known = hashlib.sha256()
    for part in parts:
        known.update(part)
        yield part
    yield known.hexdigest().encode()


def _layout() -> Json:
    """Return what the bytes of an index depend on besides the run."""
    fields = [[one.name for one in dataclasses.fields(kind)] for kind in (TrialRecord, Treatment, AttemptRecord)]
    return [FORMAT, sys.byteorder, array(NUMBERS).itemsize, [list(names) for names in GROUPS], *fields]


def _arrays(listed: Iterable[tuple[str, int]], data: bytes) -> Iterator[array[int]]:
    """Yield the arrays whose bytes follow each other in ``data``.

    Raises:
        ValueError, TypeError: an array has another type or length than ``data`` provides.
    """
    at = 0
    for kind, length in listed:
        if kind not in {NUMBERS, OFFSETS}:
            raise ValueError(f"an array of {kind!r}")
        own = array(kind)
        size = length * own.itemsize
        own.frombytes(data[at : at + size])
        if len(own) != length:
            raise ValueError("fewer numbers than listed")
        at += size
        yield own


def _plain(value: Any) -> Any:
    """Return a value of a record as JSON: tuples and dataclasses as arrays."""
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    if isinstance(value, Treatment | AttemptRecord):
        return [getattr(value, one.name) for one in dataclasses.fields(value)]
    return value


def _record_values(names: Iterable[str], values: Iterable[Any]) -> tuple[Any, ...]:
    """Return the values of the named fields of a record: the inverse of :func:`_plain`."""
    return tuple(_record_value(name, value) for name, value in zip(names, values, strict=True))


def _record_value(name: str, value: Any) -> Any:
    if name == "treatment":
        return _filled(Treatment, value)
    if name == "attempts":
        return tuple(_filled(AttemptRecord, one) for one in value)
    return _tuples(value)


def _filled(kind: type[Any], values: Iterable[Any]) -> Any:
    return kind(**dict(zip((one.name for one in dataclasses.fields(kind)), values, strict=True)))


def _tuples(value: Any) -> Any:
    return tuple(_tuples(one) for one in value) if isinstance(value, list) else value

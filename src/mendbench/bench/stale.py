"""Recorded answers that nothing asks for any more: their prompts, or the edits that led to them, are no more.

Known only after all that is configured was run: a trial that was left out may be what asks for an answer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mendbench.bench.rows import whole
from mendbench.model.case import Case
from mendbench.model.json import JsonObject
from mendbench.model.trial import JsonRow
from mendbench.replay import cassette
from mendbench.replay.recordings import WORLD


@dataclass(frozen=True, slots=True, kw_only=True)
class StaleFile:
    """The stale entries of one cassette."""

    case: str
    path: Path
    keys: frozenset[str]
    """Of the stale entries."""
    entries: int
    """How many entries the cassette has."""


def stale_files(
    cassettes_dir: Path, cases: Iterable[Case], rows: Sequence[JsonRow], texts: Mapping[str, str]
) -> tuple[StaleFile, ...]:
    """Return the cassettes, of models' answers and of what edits led to, that hold more than the trials used.

    ``rows`` are those of all configured trials of the cases, and ``texts`` their long texts. A case with a trial that has no
    verdict is left out: what that trial would have used is not known.

    Raises:
        BadInput: a cassette is broken.
    """
    used: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        used[row["case"]].update(str(whole(row["used"], texts)).split())
    open_cases = {row["case"] for row in rows if row["verdict"] not in {"correct", "incorrect"}}
    found = []
    for case in cases:
        if case.id in open_cases:
            continue
        for path in sorted((cassettes_dir / case.family / case.name).glob("*.yaml")):
            keys = frozenset() if path.name == WORLD else cassette.keys(path)
            if keys - used[case.id]:
                found.append(StaleFile(case=case.id, path=path, keys=keys - used[case.id], entries=len(keys)))
    return tuple(found)


def drop_stale(found: Iterable[StaleFile]) -> int:
    """Delete the stale entries, a cassette that would be empty with them, and return how many there were."""
    count = 0
    for one in found:
        with cassette.locked(one.path.parent):
            cassette.rewrite(one.path, [entry for entry in cassette.load(one.path) if entry.key not in one.keys])
        count += len(one.keys)
    return count


def counted(found: Sequence[StaleFile]) -> JsonObject:
    """Return how many there are, as ``run.json`` has it."""
    return {"answers": sum(len(one.keys) for one in found), "cassettes": len(found)}

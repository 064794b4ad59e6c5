"""Merges the shards of a split run."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from itertools import pairwise, repeat
from pathlib import Path

from mendbench.errors import BadInput, Incomplete
from mendbench.io.canonical_json import canonical_json
from mendbench.model.json import JsonObject
from mendbench.report.html import html_parts
from mendbench.results.run_document import totals_of_trials
from mendbench.results.store import MERGED, StoredRun, open_run, read_run
from mendbench.scoring.record_table import Records

_OF_ONE_SHARD = frozenset({"shard", "stale", "trials"})
"""Parts of ``run.json`` that differ by shard; those derived from rows are computed again from all rows."""


def merge(folders: Sequence[Path], out: Path) -> StoredRun:
    """Merge the shards in ``folders``, and write and return the run: it equals an undivided run.

    Raises:
        BadInput: one is not a shard, they are of different runs, or two contain the same part.
        Incomplete: a shard is missing.
    """
    if not folders:
        raise BadInput("merge", "no run", "name the folders of all shards")
    shards = [read_run(folder) for folder in folders]
    for shard in shards:
        _refuse_whole(shard)
    first = shards[0]
    for other in shards[1:]:
        _refuse_other(first, other)
    _refuse_gaps(shards)
    document: JsonObject = {name: value for name, value in first.run.items() if name not in _OF_ONE_SHARD}
    stale = [shard.run["stale"] for shard in shards if "stale" in shard.run]
    if stale:
        document["stale"] = {name: sum(own.get(name, 0) for own in stale) for name in stale[0]}
    with open_run(out, {MERGED: [shard.run["shard"] for shard in shards]}, resume=False) as folder:
        for shard in shards:
            folder.take(shard)
        rows = folder.rows()
        document |= totals_of_trials(rows.records())
        page = html_parts(StoredRun(folder=out, run=document, rows=rows, texts=folder.texts()))
        return folder.finish(document, {"index.html": page})


def _refuse_whole(run: StoredRun) -> None:
    """Refuse a run that does not state which shard it is."""
    hint = "merge what `mendbench run --shard K/N` wrote"
    if "shard" not in run.run:
        raise BadInput(str(run.folder), "a run that is no shard", hint)
    shard = run.run["shard"]
    if not isinstance(shard, dict) or not all(isinstance(shard.get(name), int) for name in ("number", "of", "trials")):
        raise BadInput(f"{run.folder / 'run.json'}: shard", repr(shard), hint)


def _refuse_other(first: StoredRun, other: StoredRun) -> None:
    """Refuse a shard of another run, naming what differs."""
    excluded = totals_of_trials(Records()).keys() | _OF_ONE_SHARD
    ours, theirs = _leaves(first.run, excluded), _leaves(other.run, excluded)
    ours["shard.of"], theirs["shard.of"] = first.run["shard"]["of"], other.run["shard"]["of"]
    ours["shard.trials"], theirs["shard.trials"] = first.run["shard"]["trials"], other.run["shard"]["trials"]
    for place in sorted({*ours, *theirs}):
        if ours.get(place) != theirs.get(place):
            what = f"{place} differs from that of {first.folder}"
            raise BadInput(str(other.folder), what, "merge shards of one run: one commit, one selection, one N")


def _leaves(document: JsonObject, without: frozenset[str] | set[str]) -> dict[str, object]:
    found: dict[str, object] = {}
    for name, value in document.items():
        if name in without:
            continue
        if isinstance(value, dict):
            found |= {f"{name}.{inner}": canonical_json(own) for inner, own in value.items()}
        else:
            found[name] = canonical_json(value)
    return found


def _refuse_gaps(shards: Sequence[StoredRun]) -> None:
    """Refuse overlapping shards and incomplete sets of shards."""
    by_number: dict[int, StoredRun] = {}
    for shard in shards:
        number = shard.run["shard"]["number"]
        if number in by_number:
            what = f"shard {number} once more, as in {by_number[number].folder}"
            raise BadInput(str(shard.folder), what, "name each shard once")
        by_number[number] = shard
    of = shards[0].run["shard"]["of"]
    if missing := sorted({*range(1, of + 1)} - by_number.keys()):
        raise Incomplete(
            f"merge: shard {missing[0]}/{of} is missing; run it with `--shard {missing[0]}/{of}`, and name it"
        )
    keys = (zip(shard.records.trial_keys(), repeat(number)) for number, shard in enumerate(shards))
    for (key, before), (other, number) in pairwise(heapq.merge(*keys)):
        if key == other:
            what = f"the trial {key} once more, as in {shards[before].folder}"
            raise BadInput(str(shards[number].folder), what, "merge shards of one run")
    planned, there = shards[0].run["shard"]["trials"], sum(len(shard.records) for shard in shards)
    if there != planned:
        raise Incomplete(f"merge: {there} of {planned} trials are there; run the shards again")

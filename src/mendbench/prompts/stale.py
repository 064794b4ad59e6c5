"""Finds recorded responses that no trial uses any more: their prompts, or the edits that led to them, no longer exist.

This is known only after all configured trials were run: an omitted trial may use a response.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from mendbench.cassettes import cassette
from mendbench.cassettes.recordings import TRAJECTORIES, WORLD, model_file
from mendbench.model.case import Case
from mendbench.model.json import Json, JsonObject
from mendbench.model.verdict import VerdictName
from mendbench.prompts.trials_asking import by_repairer
from mendbench.trial.long_texts import whole


class RecordingsUsed(TypedDict):
    """The fields of a :class:`mendbench.model.trial_row.TrialRow` that say which recordings a trial used."""

    case: str
    used: Json
    verdict: VerdictName


def recordings_used(row: RecordingsUsed, texts: Mapping[str, str]) -> RecordingsUsed:
    """Return these fields of a row alone, without references to ``texts``."""
    return {"case": row["case"], "used": whole(row["used"], texts), "verdict": row["verdict"]}


@dataclass(frozen=True, slots=True, kw_only=True)
class StaleFile:
    """The entries of one cassette that no trial used."""

    case: str
    path: Path
    keys: frozenset[str]
    """Keys of these entries."""
    entries: int
    """Number of entries in the cassette."""
    known: bool = True
    """Whether they are certainly unused. Otherwise a trial of the case has no verdict and might use them."""


def stale_files(
    cassettes_dir: Path,
    cases: Iterable[Case],
    rows: Iterable[RecordingsUsed],
    texts: Mapping[str, str],
    models: Collection[str],
    proved_with: Callable[[str], Collection[str]],
) -> tuple[StaleFile, ...]:
    """Return the cassettes with unused entries, for models' responses and for exchanges that edits led to.

    ``rows`` are those of all configured trials of the cases, ``texts`` their long texts, and ``models`` the configured ones, by
    their servers' names. Responses of other models and the exchanges they led to are ignored; so are requests that
    workflow nodes made, since a proof may use them too. What a trial without a verdict would have used is unknown: the
    responses of its case that no other trial used are returned as not ``known``. ``proved_with`` returns the keys of
    the exchanges that a case's proof uses: these are ignored too. It is called only for cases where it
    matters.

    Raises:
        BadInput: a cassette is broken.
    """
    used: dict[str, set[str]] = defaultdict(set)
    open_cases: set[str] = set()
    for row in rows:
        used[row["case"]].update(str(whole(row["used"], texts)).split())
        if row["verdict"] not in {"correct", "incorrect"}:
            open_cases.add(row["case"])
    names = {model_file(model) for model in models}
    found = []
    for case in cases:
        files = {path.name: path for path in (cassettes_dir / case.family / case.name).glob("*.yaml")}
        others = files.keys() - names - {WORLD, TRAJECTORIES}
        known = case.id not in open_cases
        for name in sorted(files.keys() - others - {WORLD}):
            if name == TRAJECTORIES and (others or not known):
                continue
            keys = cassette.keys(files[name])
            stale = keys - used[case.id]
            if stale:
                stale -= frozenset(proved_with(case.id)) if name == TRAJECTORIES else _of_nodes(files[name])
            if stale:
                found.append(StaleFile(case=case.id, path=files[name], keys=stale, entries=len(keys), known=known))
    return tuple(found)


def _of_nodes(path: Path) -> frozenset[str]:
    """Return the keys of the model requests that the nodes of workflows made."""
    return frozenset(entry.key for entry in cassette.load(path) if not by_repairer(entry.model_request))


def drop_stale(found: Iterable[StaleFile]) -> int:
    """Delete the entries that are known to be stale, and cassettes that become empty. Return the number of deleted entries."""
    count = 0
    for one in (each for each in found if each.known):
        with cassette.locked(one.path.parent):
            cassette.rewrite(one.path, [entry for entry in cassette.load(one.path) if entry.key not in one.keys])
        count += len(one.keys)
    return count


def counted(found: Sequence[StaleFile]) -> JsonObject:
    """Return the counts for ``run.json``; ``open`` counts entries for which it is not known."""
    known = [one for one in found if one.known]
    unsure = sum(len(one.keys) for one in found if not one.known)
    return {"responses": sum(len(one.keys) for one in known), "cassettes": len(known), "open": unsure}

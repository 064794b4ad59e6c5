"""Accepting a run: it becomes the baseline that later runs are held against."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from mendbench.errors import BadInput, CheckFailed, Incomplete
from mendbench.io.files import locked, write_atomically
from mendbench.results.baseline import baseline_of, in_order, is_baseline, read_baseline, render_baseline
from mendbench.results.gate_evidence import secrets_in
from mendbench.results.store import StoredRun
from mendbench.scoring.gating.gate import differences
from mendbench.scoring.gating.result import Baseline, Entry

_ANOTHER = "choose another file with --baseline"


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """What accepting a run did to a baseline."""

    place: str
    added: int
    removed: int
    changed: int
    kept: int
    """Lines of trials that the run says nothing of, left as they were."""
    trials: int
    """Lines there are now."""
    written: bool
    """False: the file already said all of it."""
    replaced: str | None = None
    """What kept the old file from being read, so that all of it was replaced; None where it was read, or there was none."""


def accept(path: Path, stored: StoredRun, *, partial: bool) -> Update:
    """Make a run the baseline. The file is written only if that changes it.

    With ``partial``, lines of trials that the run lacks, or has no verdict on, stay as they are. Without, a baseline that cannot be
    read (a merge conflict, another format) is replaced.

    Raises:
        CheckFailed: a declared secret stands in a trial.
        Incomplete: a trial is unjudged or crashed, and it is not ``partial``.
        BadInput: the run has no trial with a verdict; the file is no baseline, or cannot be written; with ``partial``, it cannot be
            read, or lines that would be kept are of another engine, scorer or price.
    """
    _refuse_secrets(stored)
    _refuse_incomplete(stored, partial=partial)
    with _held(path):
        return _accepted(path, stored, partial=partial)


@contextlib.contextmanager
def _held(path: Path) -> Iterator[None]:
    """Let nobody else change the baseline between its being read and written: lines that stay would be lost."""
    with contextlib.ExitStack() as ending:
        try:
            ending.enter_context(locked(Path(os.path.realpath(path)).parent))
        except OSError as error:
            raise BadInput(str(path), error.strerror or "cannot be written", _ANOTHER) from None
        yield


def _accepted(path: Path, stored: StoredRun, *, partial: bool) -> Update:
    old, unread = _old(path, partial=partial)
    new = baseline_of(stored, path)
    if not new.entries:
        raise BadInput(
            str(stored.folder), "no trial that has a verdict", "record what is missing; `mendbench run` says how"
        )
    before = {entry.key: entry for entry in old.entries} if old else {}
    kept = _kept(path, old, new) if old and partial else ()
    if old and kept:
        prices = tuple(sorted({**dict(old.digests.prices), **dict(new.digests.prices)}.items()))
        digests = replace(new.digests, prices=prices)
        new = replace(new, digests=digests, entries=in_order((*new.entries, *kept)))
    after = {entry.key: entry for entry in new.entries}
    written = _written(path, render_baseline(new))
    return Update(
        place=str(path),
        added=len(after.keys() - before.keys()),
        removed=len(before.keys() - after.keys()),
        changed=sum(before[key] != after[key] for key in before.keys() & after.keys()),
        kept=len(kept),
        trials=len(after),
        written=written,
        replaced=unread,
    )


def _old(path: Path, *, partial: bool) -> tuple[Baseline | None, str | None]:
    """Return the baseline that there is, or else why the one that there is cannot be read and nothing of it is needed."""
    if not path.exists():
        return None, None
    try:
        return read_baseline(path), None
    except BadInput as error:
        if partial or not is_baseline(path):
            raise
        return None, f"{error.place}: {error.found}"


def _refuse_secrets(stored: StoredRun) -> None:
    """Refuse a run in which a secret stands in the clear: no later gate may be held to it."""
    found = secrets_in(stored)
    if found:
        (key, places), more = found[0], len(found) - 1
        told = f"{key}: {places[0]}" + (
            f"; {more} more {'trial has' if more == 1 else 'trials have'} one" if more else ""
        )
        raise CheckFailed(f"{stored.folder}: not accepted, for a declared secret stands in it: {told}")


def _refuse_incomplete(stored: StoredRun, *, partial: bool) -> None:
    """Refuse a run with trials that have no verdict, unless that was said to be known."""
    if partial:
        return
    for verdict, why, hint in (
        ("unjudged", "miss a recording", "record what is missing (`mendbench run` says how)"),
        ("crashed", "crashed", "mend what raised"),
    ):
        keys = [row["key"] for row in stored.rows if row["verdict"] == verdict]
        if keys:
            known = "or accept the others with --update --partial"
            raise Incomplete(
                f"{stored.folder}: {len(keys)} of {len(stored.rows)} trials {why}, the first of them {keys[0]}; {hint}, {known}"
            )


def _kept(path: Path, old: Baseline, new: Baseline) -> tuple[Entry, ...]:
    """Return the lines of trials that a run says nothing of.

    Raises:
        BadInput: they could not be compared with the run's.
    """
    own = {entry.key for entry in new.entries}
    kept = tuple(entry for entry in old.entries if entry.key not in own)
    if kept and (differ := differences(old.digests, new.digests)):
        what = f"{len(kept)} lines would be kept that are of another {' and '.join(one.what for one in differ)}"
        raise BadInput(str(path), what, "run all that is configured, and accept that with `mendbench gate --update`")
    return kept


def _written(path: Path, text: str) -> bool:
    """Write the file if it says something else, and return whether it did. A link stays one: what it leads to is written."""
    try:
        if path.exists() and path.read_bytes() == text.encode():
            return False
        write_atomically(Path(os.path.realpath(path)), text)
    except OSError as error:
        raise BadInput(str(path), error.strerror or "cannot be written", _ANOTHER) from None
    return True

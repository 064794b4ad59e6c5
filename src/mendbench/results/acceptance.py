"""Accepting a run: it becomes the baseline that later runs are compared with."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from mendbench.errors import BadInput, CheckFailed, Incomplete
from mendbench.io.files import locked, why_unwritable, write_atomically
from mendbench.results.baseline import baseline_of, in_order, is_baseline, read_baseline, render_baseline
from mendbench.results.gate_evidence import secrets_in
from mendbench.results.store import StoredRun
from mendbench.scoring.gating.gate import differences
from mendbench.scoring.gating.result import Baseline, BaselineEntry
from mendbench.scoring.records import EDIT_KINDS
from mendbench.trial.components import NO_STRATEGY

_ANOTHER = "choose another file with --baseline"


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """What accepting a run did to a baseline."""

    place: str
    added: int
    removed: int
    changed: int
    kept: int
    """Lines left unchanged because the run has no result for their trials."""
    trials: int
    """Number of lines after the update."""
    right: int
    """Number of these whose trial is right."""
    unguarded: tuple[str, ...] = ()
    """Cases with an edit fault that are right in no line of a strategy: no loss can be noticed there."""
    written: bool
    """False if the file already had this content."""
    replaced: str | None = None
    """Why the old file could not be read and was replaced; None if it was read, or did not exist."""


def accept(path: Path, stored: StoredRun, *, partial: bool) -> Update:
    """Make a run the baseline. The file is written only if its content changes.

    With ``partial``, lines of trials that the run lacks, or has no verdict on, are kept. Without ``partial``, an unreadable baseline
    (a merge conflict, another format) is replaced.

    Raises:
        CheckFailed: a trial contains a declared secret.
        Incomplete: a trial is unjudged or crashed, and ``partial`` is not set.
        BadInput: the run has no trial with a verdict; the file is not a baseline, or cannot be written; with ``partial``, it cannot be
            read, or lines to keep have another engine, scorer or price.
    """
    _refuse_secrets(stored)
    _refuse_incomplete(stored, partial=partial)
    with _held(path):
        return _accepted(path, stored, partial=partial)


@contextlib.contextmanager
def _held(path: Path) -> Iterator[None]:
    """Lock the baseline from reading to writing. Otherwise kept lines could be lost."""
    with contextlib.ExitStack() as ending:
        try:
            ending.enter_context(locked(Path(os.path.realpath(path)).parent))
        except OSError as error:
            raise BadInput(str(path), why_unwritable(error), _ANOTHER) from None
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
        right=sum(entry.verdict == "correct" for entry in new.entries),
        unguarded=_unguarded(new.entries),
        written=written,
        replaced=unread,
    )


def _unguarded(entries: Iterable[BaselineEntry]) -> tuple[str, ...]:
    own = [entry for entry in entries if entry.kind in EDIT_KINDS and entry.trial.strategy != NO_STRATEGY]
    return tuple(
        sorted({entry.trial.case for entry in own} - {entry.trial.case for entry in own if entry.verdict == "correct"})
    )


def _old(path: Path, *, partial: bool) -> tuple[Baseline | None, str | None]:
    """Return the existing baseline, or why it cannot be read, if it may be replaced without reading it."""
    if not path.exists():
        return None, None
    try:
        return read_baseline(path), None
    except BadInput as error:
        if partial or not is_baseline(path):
            raise
        return None, f"{error.place}: {error.found}"


def _refuse_secrets(stored: StoredRun) -> None:
    """Refuse a run that contains a plaintext secret: it must not get into a baseline."""
    found = secrets_in(stored)
    if found:
        (key, places), more = found[0], len(found) - 1
        message = f"{key}: {places[0]}" + (
            f"; {more} more {'trial has' if more == 1 else 'trials have'} one" if more else ""
        )
        raise CheckFailed(f"{stored.folder}: not accepted, for a declared secret stands in it: {message}")


def _refuse_incomplete(stored: StoredRun, *, partial: bool) -> None:
    """Refuse a run with trials that are unjudged or crashed, unless ``partial`` is set."""
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


def _kept(path: Path, old: Baseline, new: Baseline) -> tuple[BaselineEntry, ...]:
    """Return the old lines of trials that the run has no result for.

    Raises:
        BadInput: these lines are not comparable with those of the run.
    """
    own = {entry.key for entry in new.entries}
    kept = tuple(entry for entry in old.entries if entry.key not in own)
    if kept and (differ := differences(old.digests, new.digests)):
        what = f"{len(kept)} lines would be kept that are of another {' and '.join(one.what for one in differ)}"
        raise BadInput(str(path), what, "run all that is configured, and accept that with `mendbench gate --update`")
    return kept


def _written(path: Path, text: str) -> bool:
    """Write the file if its content differs, and return whether it was written. A symbolic link is kept: its target is written."""
    try:
        if path.exists() and path.read_bytes() == text.encode():
            return False
        write_atomically(Path(os.path.realpath(path)), text)
    except OSError as error:
        raise BadInput(str(path), why_unwritable(error), _ANOTHER) from None
    return True

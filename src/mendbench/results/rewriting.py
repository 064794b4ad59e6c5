"""Rewriting a complete run in place: the whole folder is swapped, and other files are kept unchanged."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import TypeAlias

from mendbench.errors import BadInput
from mendbench.io.canonical_json import canonical_json
from mendbench.io.files import folder_beside
from mendbench.results.record_index import INDEX, RunInputs, read_index, write_index
from mendbench.results.run_lines import TEXTS, TRIALS
from mendbench.results.run_lock import held, take
from mendbench.results.store import RUN, Files, StoredRun, run_text, write_files
from mendbench.results.stored_rows import StoredRows, StoredTexts

Seen: TypeAlias = tuple[tuple[int, int, int], ...]
"""Which files of a run's folder were read: the inode, modification time and size of each."""


def seen_in(folder: Path) -> Seen:
    """Identify the run in a folder. Call this before reading the run."""
    found = (folder / name for name in (RUN, TRIALS))
    stats = [path.stat() for path in found if path.is_file()]
    return tuple((one.st_ino, one.st_mtime_ns, one.st_size) for one in stats)


def rewrite_run(run: StoredRun, files: Files, seen: Seen) -> None:
    """Write the trials, the document and these other ``files`` of a run into its folder. A reader sees the old run or the new one.

    Raises:
        BadInput: the folder cannot be replaced, a run is being written to it, or it contains another run than ``seen``. The folder is
            unchanged; if it could not be moved back, the message states where it is.
    """
    place, hint = run.folder.resolve(), "check the folder and its permissions"
    with held(place, busy="wait for it", unwritable=hint):
        if seen_in(place) != seen:
            raise BadInput(
                str(run.folder), "another run took the place of the one that was read", "begin again with that one"
            )
        try:
            with folder_beside(place) as beside:
                _write(run, files, place, beside / "new")
                take(place, beside / "new")
        except shutil.Error as error:  # for each file that could not be copied: source, target and reason
            raise BadInput(str(run.folder), str(error.args[0][0][2]), hint) from None
        except OSError as error:
            raise BadInput(str(run.folder), error.strerror or str(error), hint) from None


def _write(run: StoredRun, files: Files, place: Path, fresh: Path) -> None:
    shutil.copytree(place, fresh, symlinks=True, ignore=shutil.ignore_patterns(TRIALS, RUN, INDEX, *files))
    write_files(fresh, {TRIALS: _lines(run), RUN: run_text(run.run), **files})
    if isinstance(run.rows, StoredRows) and isinstance(run.texts, StoredTexts):
        write_index(fresh, run.rows, run.texts, _inputs(place, run.rows))


def _inputs(place: Path, rows: StoredRows) -> RunInputs | None:
    """Return what the run in its place was made from, if it has the same rows."""
    earlier = read_index(place, place / TRIALS, place / TEXTS)
    return earlier[2] if earlier is not None and earlier[0].lines().digest() == rows.lines().digest() else None


def _lines(run: StoredRun) -> Iterable[str | bytes]:
    """Return the lines of a run's trials."""
    if isinstance(run.rows, StoredRows):
        return run.rows.raw()
    return (f"{canonical_json(row)}\n" for row in run.rows)

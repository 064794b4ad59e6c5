"""A complete run written again in its own place: the whole folder is swapped, and what is not said anew stays as it is."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from mendbench.bench.results import RUN, TRIALS, StoredRun, refuse_busy, run_text, trials_text
from mendbench.errors import BadInput
from mendbench.kit.files import write_atomically


def rewrite_run(run: StoredRun, files: Mapping[str, str]) -> None:
    """Write the trials, the document and these other ``files`` of a run into its folder. A reader sees the old run or the new one.

    Raises:
        BadInput: the folder cannot be replaced, or a run is being written to it. It is then as it was; if it could not even be put
            back, the message says where it is.
    """
    place = run.folder.resolve()
    refuse_busy(place)
    try:
        beside = Path(tempfile.mkdtemp(prefix=f".{place.name}.rewritten.", dir=place.parent))
        try:
            _write(run, files, place, beside / "new")
            _swap(place, beside)
        finally:
            if (place / RUN).is_file() or not (beside / "old").exists():
                shutil.rmtree(beside, ignore_errors=True)
    except OSError as error:
        raise BadInput(str(run.folder), error.strerror or str(error), "check the folder and its permissions") from None


def _write(run: StoredRun, files: Mapping[str, str], place: Path, fresh: Path) -> None:
    shutil.copytree(place, fresh, symlinks=True)
    for name, text in {TRIALS: trials_text(run.rows), RUN: run_text(run.run), **files}.items():
        write_atomically(fresh / name, text)


def _swap(place: Path, beside: Path) -> None:
    place.rename(beside / "old")
    try:
        (beside / "new").rename(place)
    except OSError as error:
        try:
            (beside / "old").rename(place)
        except OSError:
            where = f"the run is in {beside / 'old'} now; move it back"
            raise BadInput(str(place), f"{error.strerror}, twice: something else took its place", where) from None
        raise

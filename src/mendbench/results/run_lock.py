"""The place of a run's folder: locked against a second writer, and replaced by another folder in one step.

While ``reports/latest`` is written, ``reports/.latest.lock`` and the new folder exist next to it. Where the system can exchange two
folders atomically, there is always a readable run in place. Elsewhere, the old folder is in ``reports/.latest.old`` between two steps. If
the process is killed there, the next reader or writer moves it back.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from mendbench.errors import BadInput
from mendbench.io.files import exchanged, flush_folder, make_folder, remove, why_unwritable
from mendbench.io.locks import lock_file


@contextlib.contextmanager
def held(place: Path, *, busy: str, unwritable: str) -> Iterator[None]:
    """Lock ``place`` against other writers. The lock ends with the process that holds it.

    ``busy`` and ``unwritable`` are the hints of the errors.

    Raises:
        BadInput: another run is being written to ``place``, or its parent folder cannot be written.
    """
    with contextlib.ExitStack() as ending:
        try:
            make_folder(place.parent)
            got = ending.enter_context(lock_file(place.with_name(f".{place.name}.lock")))
        except OSError as error:
            raise BadInput(str(place), why_unwritable(error), unwritable) from None
        if not got:
            raise BadInput(str(place), "another run is writing it", busy)
        yield


def take(place: Path, fresh: Path) -> None:
    """Move the folder ``fresh`` to ``place``, flush it, and delete what was there. The caller must hold the lock.

    Raises:
        OSError: the move failed; the old folder is still in place.
        BadInput: the old folder could not be moved back either; the message states where it is.
    """
    if not os.path.lexists(place):
        fresh.rename(place)
        flush_folder(place.parent)
    elif exchanged(fresh, place):
        remove(fresh)
    else:
        _in_two_steps(place, fresh)


def put_back(place: Path) -> None:
    """Restore the old folder at ``place`` if the process that replaced it was killed between two steps. The caller must hold the lock.

    Raises:
        OSError: the folder cannot be moved.
    """
    old = _old(place)
    if not old.exists():
        return
    if os.path.lexists(place):
        remove(old)
    else:
        old.rename(place)


def found_again(place: Path) -> bool:
    """Restore a run that is missing from its place, and return whether that succeeded. For readers that find no run."""
    if place.name in {"", ".."} or os.path.lexists(place) or not _old(place).is_dir():
        return False
    with contextlib.suppress(OSError, BadInput), held(place, busy="", unwritable=""):
        put_back(place)
    return place.is_dir()


def _in_two_steps(place: Path, fresh: Path) -> None:
    old = _old(place)
    remove(old)
    place.rename(old)
    try:
        fresh.rename(place)
    except OSError as error:
        try:
            old.rename(place)
        except OSError:
            where = f"the run is in {old} now; move it back"
            raise BadInput(str(place), f"{error.strerror}, twice: something else took its place", where) from None
        raise
    flush_folder(place.parent)
    remove(old)


def _old(place: Path) -> Path:
    return place.with_name(f".{place.name}.old")

"""The place of a run's folder: held against a second writer, and taken by another folder in one step.

Beside ``reports/latest`` stand, while it is written, ``reports/.latest.lock`` and the folder that is to take the place. Where the system
lets two folders change places in one step, there is always a run to be read there. Where it does not, the old one stands in
``reports/.latest.old`` between two steps, and whoever comes next, reader or writer, moves it back.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from mendbench.errors import BadInput
from mendbench.io.files import exchanged, flush_folder, lock_file, make_folder, remove


@contextlib.contextmanager
def held(place: Path, *, busy: str, unwritable: str) -> Iterator[None]:
    """Keep everybody else from writing a run to ``place`` meanwhile. The lock goes with the process that holds it.

    ``busy`` and ``unwritable`` say what to do where that cannot be.

    Raises:
        BadInput: a run is being written to it, or the folder that it is in cannot be written.
    """
    with contextlib.ExitStack() as ending:
        try:
            make_folder(place.parent)
            got = ending.enter_context(lock_file(place.with_name(f".{place.name}.lock")))
        except OSError as error:
            raise BadInput(str(place), error.strerror or "cannot be written", unwritable) from None
        if not got:
            raise BadInput(str(place), "another run is writing it", busy)
        yield


def take(place: Path, fresh: Path) -> None:
    """Let the folder ``fresh`` stand at ``place``, flushed; what stood there is gone then. Only for who holds the place.

    Raises:
        OSError: it cannot; what stood there stands there still.
        BadInput: it cannot even be put back; the message says where it is.
    """
    if not os.path.lexists(place):
        fresh.rename(place)
        flush_folder(place.parent)
    elif exchanged(fresh, place):
        remove(fresh)
    else:
        _in_two_steps(place, fresh)


def put_back(place: Path) -> None:
    """Let what stood at ``place`` stand there again, if whoever replaced it was killed between two steps. Only for who holds the place.

    Raises:
        OSError: it cannot be moved.
    """
    old = _old(place)
    if not old.exists():
        return
    if os.path.lexists(place):
        remove(old)
    else:
        old.rename(place)


def found_again(place: Path) -> bool:
    """Return whether a run had to be put back in its place, and was: a reader asks who finds none there."""
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

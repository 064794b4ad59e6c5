"""Folders for a moment, in the system's temporary folder: what a killed process left there is removed by the next one that makes one."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from mendbench.errors import BadInput
from mendbench.io.files import clear_left, held_folder, remove

_PREFIX, _SUFFIX = "mendbench-", ".scratch"
_NAMED = re.compile(rf"{_PREFIX}[a-z]+-[a-z0-9_]{{8}}{re.escape(_SUFFIX)}")

_held: dict[Path, int] = {}
"""Handles of this process's folders: as long as they are open, nobody takes the folders for left."""


@contextlib.contextmanager
def reported_folder_errors() -> Iterator[None]:
    """Say in one line what the temporary folder refuses.

    Raises:
        BadInput: there is none, or nothing can be written to it.
    """
    try:
        yield
    except OSError as error:
        hint = "make room there, or name another folder with the variable TMPDIR"
        raise BadInput("the temporary folder", error.strerror or str(error), hint) from None


@contextlib.contextmanager
def scratch(what: str) -> Iterator[Path]:
    """Yield a new empty folder; ``what`` it is for stands in its name.

    Raises:
        BadInput: it cannot be made.
    """
    folder = make_scratch(what)
    try:
        yield folder
    finally:
        drop_scratch(folder)


def make_scratch(what: str) -> Path:
    """Return a new empty folder, which is there until :func:`drop_scratch`; ``what`` it is for stands in its name.

    Raises:
        BadInput: it cannot be made.
    """
    with reported_folder_errors():
        clear_left(Path(tempfile.gettempdir()), lambda name: _NAMED.fullmatch(name) is not None)
        handle = None
        while handle is None:
            folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{what}-", suffix=_SUFFIX)).resolve()
            handle = held_folder(folder)
    _held[folder] = handle
    return folder


def drop_scratch(folder: Path) -> None:
    """Remove a folder, as far as that can be done. Safe to call twice."""
    remove(folder)
    handle = _held.pop(folder, None)
    if handle is not None:
        os.close(handle)

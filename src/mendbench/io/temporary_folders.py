"""Folders in the system's temporary folder. The next process that creates one removes the leftovers of killed processes."""

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
"""Handles of this process's folders. While they are open, no process treats the folders as leftovers."""


@contextlib.contextmanager
def reported_folder_errors() -> Iterator[None]:
    """Report errors of the temporary folder in one line.

    Raises:
        BadInput: it does not exist, or cannot be written to.
    """
    try:
        yield
    except OSError as error:
        hint = "make room there, or name another folder with the variable TMPDIR"
        raise BadInput("the temporary folder", error.strerror or str(error), hint) from None


@contextlib.contextmanager
def scratch(what: str) -> Iterator[Path]:
    """Yield a new empty folder; ``what`` is part of its name.

    Raises:
        BadInput: it cannot be created.
    """
    folder = make_scratch(what)
    try:
        yield folder
    finally:
        drop_scratch(folder)


def make_scratch(what: str) -> Path:
    """Return a new empty folder, which exists until :func:`drop_scratch`; ``what`` is part of its name.

    Raises:
        BadInput: it cannot be created.
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
    """Remove a folder, as far as possible. Safe to call twice."""
    remove(folder)
    handle = _held.pop(folder, None)
    if handle is not None:
        os.close(handle)

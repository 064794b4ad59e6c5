"""Detectors decide, from a node's output, between success, warning and error.

A detector is one module or package in this folder that exposes ``DETECTOR``, or an entry point of the group
:data:`ENTRY_POINTS` in an installed package. Its name is the module's, with hyphens for underscores. Modules whose names start with an
underscore are not detectors.

A name may end in ``@P``: warnings of a lower confidence than P are errors (``weighted@0.9``). It may end in ``~later``: the first execution
has no detector (``weighted@0.9~later``). Both are detectors of their own, in the keys of trials and in reports.
"""

from __future__ import annotations

from typing import Any

from mendbench.detectors._options import AFTER_FIRST, first_of, with_options
from mendbench.errors import BadInput, UnknownName
from mendbench.plugins import entry_point, entry_points_of, load_member, loaded, modules_by_member
from mendbench.ports.engine import Detector

__all__ = ["AFTER_FIRST", "ENTRY_POINTS", "detector", "detector_names", "first_of"]

ENTRY_POINTS = "mendbench.detectors"
"""The entry point group for detectors of installed packages."""


def detector(name: str) -> Detector:
    """Return the detector of that name, with the options in it. Only that one is imported.

    Raises:
        UnknownName: no detector has that name.
        BadInput: its module exposes no detector, its installed package does not load, or an option is wrong.
    """
    plain, mark, threshold = name.removesuffix(AFTER_FIRST).partition("@")
    found = _plain(plain)
    return with_options(found, name, threshold if mark else None) if plain != name else found


def _plain(name: str) -> Detector:
    modules = modules_by_member(__name__)
    found: Any
    if name in modules:
        found = load_member(__name__, modules[name], "DETECTOR")
    elif point := entry_point(ENTRY_POINTS, name):
        found = loaded(point)
    else:
        raise UnknownName("detector", name, detector_names())
    if not callable(getattr(found, "judge", None)):
        raise BadInput(f"detector {name!r}", "has no DETECTOR with a judge() method", "expose one in its module")
    judging: Detector = found
    return judging


def detector_names() -> tuple[str, ...]:
    """Return the names of all detectors, sorted, without importing them."""
    installed = (point.name for point in entry_points_of(ENTRY_POINTS))
    return tuple(sorted({*modules_by_member(__name__), *installed}))

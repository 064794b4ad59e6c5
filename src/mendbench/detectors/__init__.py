"""Detectors decide, from a node's output, between success, warning and error.

A detector is one module or package in this folder that exposes ``DETECTOR``, or an entry point of the group
:data:`ENTRY_POINTS` in an installed package. Its name is the module's, with hyphens for underscores. Modules whose names start with an
underscore are not detectors.
"""

from __future__ import annotations

from typing import Any

from mendbench.errors import BadInput, UnknownName
from mendbench.plugins import entry_point, entry_points_of, load_member, loaded, modules_by_member
from mendbench.ports.engine import Detector

ENTRY_POINTS = "mendbench.detectors"
"""The entry point group for detectors of installed packages."""


def detector(name: str) -> Detector:
    """Return the detector of that name. Only that one is imported.

    Raises:
        UnknownName: no detector has that name.
        BadInput: its module exposes no detector, or its installed package does not load.
    """
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

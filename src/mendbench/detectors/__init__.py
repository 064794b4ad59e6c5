"""Detectors: what decides, from a node's output, between success, warning and error.

A detector is one module or package in this folder that exposes ``DETECTOR``, or an entry point of the group
:data:`ENTRY_POINTS` in an installed package. Its name is the module's, with hyphens for underscores. Modules whose
names start with an underscore are none.
"""

from __future__ import annotations

from typing import Any

from mendbench.errors import BadInput, UnknownName
from mendbench.plugins import entry_point, entry_points_of, load_member, loaded, modules_by_member
from mendbench.ports.engine import Detector

ENTRY_POINTS = "mendbench.detectors"
"""The group under which an installed package announces detectors of its own."""


def detector(name: str) -> Detector:
    """Return the detector of that name; no other one is imported.

    Raises:
        UnknownName: there is none.
        BadInput: there is one, and it exposes nothing that can judge, or its installed package does not load.
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
    """Return the names of all detectors, sorted. Nothing is imported for it."""
    installed = (point.name for point in entry_points_of(ENTRY_POINTS))
    return tuple(sorted({*modules_by_member(__name__), *installed}))

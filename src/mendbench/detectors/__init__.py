"""Detectors: what decides, from a node's output, between success, warning and error.

A detector is one module or package in this folder that exposes ``DETECTOR``, or an entry point of the group
:data:`ENTRY_POINTS` in an installed package. Its name is the module's, with hyphens for underscores. Modules whose
names start with an underscore are none.
"""

from __future__ import annotations

import importlib
import pkgutil
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from mendbench.errors import BadInput, UnknownName
from mendbench.ports.engine import Detector

ENTRY_POINTS = "mendbench.detectors"
"""The group under which an installed package announces detectors of its own."""

DEFAULT = "mend"
"""The detector of a policy that names none of its own."""


def detector(name: str) -> Detector:
    """Return the detector of that name; no other one is imported.

    Raises:
        UnknownName: there is none.
        BadInput: there is one, and it exposes nothing that can judge.
    """
    modules = _modules()
    found: Any
    if name in modules:
        found = getattr(importlib.import_module(modules[name]), "DETECTOR", None)
    elif name in (installed := _installed()):
        found = installed[name].load()
    else:
        raise UnknownName("detector", name, {*modules, *installed})
    if not callable(getattr(found, "judge", None)):
        raise BadInput(f"detector {name!r}", "has no DETECTOR with a judge() method", "expose one in its module")
    judging: Detector = found
    return judging


def detector_names() -> tuple[str, ...]:
    """Return the names of all detectors, sorted. Nothing is imported for it."""
    return tuple(sorted({*_modules(), *_installed()}))


def _modules() -> dict[str, str]:
    """Return the modules of this folder by the name of their detector."""
    return {
        module.name.replace("_", "-"): f"{__name__}.{module.name}"
        for module in pkgutil.iter_modules(__path__)
        if not module.name.startswith("_")
    }


def _installed() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=ENTRY_POINTS)}

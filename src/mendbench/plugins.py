"""Discover the members of a package: its own modules, by name, and the entry points of installed packages.

Listing names imports no member, and loading a member imports no other.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from mendbench.errors import BadInput


def module_names(package: str, *, folders_only: bool = False) -> tuple[str, ...]:
    """Return the names of the modules and folders (subpackages) of a package, sorted. Names that start with ``_`` are left out.

    ``package`` is its full dotted name. ``folders_only`` leaves out the modules that are one file.
    """
    folders = tuple(importlib.import_module(package).__path__)
    return _modules(folders, tuple(changed(folder) for folder in folders), folders_only)


def changed(path: str | Path) -> int | None:
    """Return when a file or the list of a folder's members changed, in nanoseconds; None if there is none. Every trial asks."""
    try:
        return os.stat(path).st_mtime_ns  # noqa: PTH116 - without an object for each path
    except (FileNotFoundError, NotADirectoryError):
        return None


@lru_cache(maxsize=64)
def _modules(folders: tuple[str, ...], _changed: tuple[int | None, ...], folders_only: bool) -> tuple[str, ...]:  # noqa: FBT001 (a cached function has no keywords)
    """Return the names, sorted. ``_changed`` invalidates the cache when a folder changes."""
    found = (module for module in pkgutil.iter_modules(folders) if module.ispkg or not folders_only)
    return tuple(sorted(module.name for module in found if not module.name.startswith("_")))


def modules_by_member(package: str) -> dict[str, str]:
    """Return the names of a package's modules by the names of their members: hyphens for underscores."""
    return {name.replace("_", "-"): name for name in module_names(package)}


def load_member(package: str, name: str, attribute: str) -> object:
    """Import module ``name`` of a package and return what it exports as ``attribute``; None if it exports none."""
    member: object = getattr(importlib.import_module(f"{package}.{name}"), attribute, None)
    return member


def entry_points_of(group: str) -> tuple[EntryPoint, ...]:
    """Return the entry points that installed packages register in a group, in the order of the import path."""
    return _announced(group, tuple(sys.path))


@lru_cache(maxsize=32)
def _announced(group: str, _import_path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    """Return a group's entry points, searched once per import path, because this reads the metadata of every distribution."""
    return tuple(entry_points(group=group))


def entry_point(group: str, name: str) -> EntryPoint | None:
    """Return the first entry point of that name in a group, or None."""
    return next((point for point in entry_points_of(group) if point.name == name), None)


def loaded(point: EntryPoint) -> object:
    """Load and return the object of an entry point.

    Raises:
        BadInput: it cannot be loaded, whatever its package raised.
    """
    try:
        member: object = point.load()
    except Exception as error:  # an installed package's own code
        raise unusable(point, error) from error
    return member


def unusable(point: EntryPoint, error: Exception) -> BadInput:
    """Return the error for an entry point that failed to load."""
    return BadInput(f"entry point {point.value}", f"{type(error).__name__}: {error}", "mend or remove it")

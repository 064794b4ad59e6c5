"""Discover the members of a package: its own modules, by name, and the entry points of installed packages.

Listing names imports no member, and loading a member imports no other.
"""

from __future__ import annotations

import importlib
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
    found = _modules(folders, tuple(Path(folder).stat().st_mtime_ns for folder in folders if Path(folder).is_dir()))
    return tuple(name for name, is_folder in found if is_folder or not folders_only)


@lru_cache(maxsize=64)
def _modules(folders: tuple[str, ...], _changed: tuple[int, ...]) -> tuple[tuple[str, bool], ...]:
    """Return names and whether each is a folder, sorted. ``_changed`` invalidates the cache when the folder changes."""
    found = pkgutil.iter_modules(folders)
    return tuple(sorted((module.name, module.ispkg) for module in found if not module.name.startswith("_")))


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

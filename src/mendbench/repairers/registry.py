"""The available repairers: every module in this package that has a ``make``, and those of installed packages."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from mendbench.errors import UnknownName
from mendbench.plugins import entry_point, entry_points_of, load_member, loaded, modules_by_member
from mendbench.ports.repair import Repairer
from mendbench.repairers.interface import Factory, Options

ENTRY_POINTS = "mendbench.repairers"
"""Group of entry points; each names a factory that takes :class:`Options`."""

_PACKAGE = __name__.rpartition(".")[0]


def repairer(name: str, options: Options | None = None) -> Repairer:
    """Return the repairer of that name, made from ``options``. No other repairer is imported.

    ``package.module:function`` names a callable repairer; the function is not imported here.

    Raises:
        UnknownName: there is no repairer of that name.
        BadInput: a required option is missing, or its installed package does not load.
    """
    if ":" in name:
        options = replace(options or Options(), function=name, called=name)
    make = _factory("callable" if ":" in name else name)
    if make is None:
        raise UnknownName("repairer", name, repairer_names())
    made: Repairer = make(options or Options())
    return made


def repairer_names() -> tuple[str, ...]:
    """Return the names of all repairers, sorted.

    Raises:
        BadInput: an installed package's repairer cannot be loaded.
    """
    modules = modules_by_member(_PACKAGE).items()
    own = {name for name, module in modules if load_member(_PACKAGE, module, "make") is not None}
    installed = {point.name for point in entry_points_of(ENTRY_POINTS) if loaded(point) is not None}
    return tuple(sorted(own | installed))


def is_repairer(name: str) -> bool:
    """Return whether a repairer of that name ships with mendbench or with an installed package."""
    return _factory(name) is not None


def _factory(name: str) -> Factory | None:
    module = modules_by_member(_PACKAGE).get(name)
    make = load_member(_PACKAGE, module, "make") if module else None
    if make is None and (point := entry_point(ENTRY_POINTS, name)):
        make = loaded(point)
    return cast("Factory | None", make)

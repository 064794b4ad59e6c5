"""Which repairers there are: every module beside this one that has a ``make``, and those of installed packages."""

from __future__ import annotations

import importlib
import pkgutil
from importlib.metadata import entry_points
from pathlib import Path

from mendbench.errors import BadInput, UnknownName
from mendbench.ports.repair import Repairer
from mendbench.repairers.interface import Factory, Options

ENTRY_POINTS = "mendbench.repairers"
"""Group of entry points; each names a factory that takes :class:`Options`."""

_PACKAGE = __name__.rpartition(".")[0]


def repairer(name: str, options: Options | None = None) -> Repairer:
    """Return the repairer of that name, made from ``options``.

    Raises:
        UnknownName: there is none of that name.
        BadInput: an option that it needs is missing.
    """
    known = _factories()
    if name not in known:
        raise UnknownName("repairer", name, known)
    made: Repairer = known[name](options or Options())
    return made


def repairer_names() -> tuple[str, ...]:
    """Return the names of all repairers, sorted."""
    return tuple(sorted(_factories()))


def _factories() -> dict[str, Factory]:
    found: dict[str, Factory] = {}
    for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
        make = getattr(importlib.import_module(f"{_PACKAGE}.{module.name}"), "make", None)
        if make is not None:
            found[module.name.replace("_", "-")] = make
    for point in entry_points(group=ENTRY_POINTS):
        try:
            found.setdefault(point.name, point.load())
        except Exception as error:  # an installed package's own code
            raise BadInput(
                f"entry point {point.value}", f"{type(error).__name__}: {error}", "mend or remove it"
            ) from error
    return found

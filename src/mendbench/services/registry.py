"""Which services there are, found by folder name or by entry point, and imported only when asked for."""

from __future__ import annotations

import importlib
import pkgutil
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Protocol, cast, runtime_checkable

from mendbench.errors import BadInput, UnknownName
from mendbench.ports.world import RealWorld, Service

ENTRY_POINT_GROUP = "mendbench.services"
"""Entry points of this group name a module that exports ``SIMULATED`` or ``REAL_WORLD``, as a folder here does."""


@runtime_checkable
class _HostsFromState(Protocol):
    """A service whose hosts the case's state names."""

    def hosts_in(self, state: dict[str, object]) -> tuple[str, ...]: ...


def service_names() -> tuple[str, ...]:
    """Return the names of all services, simulated and real, sorted."""
    return tuple(sorted({*_folders(), *_installed()}))


def simulated(name: str) -> Service:
    """Return the simulated service ``name``.

    Raises:
        UnknownName: no simulated service has that name.
        BadInput: an installed package's service cannot be loaded.
    """
    found = getattr(_module(name), "SIMULATED", None)
    if found is None:
        raise UnknownName("simulated service", name, _having("SIMULATED"))
    return cast("Service", found())


def real_world(name: str) -> RealWorld:
    """Return the real server ``name``, not started.

    Raises:
        UnknownName: no real server has that name.
        BadInput: an installed package's service cannot be loaded.
    """
    found = getattr(_module(name), "REAL_WORLD", None)
    if found is None:
        raise UnknownName("real world", name, _having("REAL_WORLD"))
    return cast("RealWorld", found())


def hosts_of(name: str, state: dict[str, object]) -> tuple[str, ...]:
    """Return the hosts that service ``name`` answers for, with the case's ``state`` of it.

    Raises:
        UnknownName: no service has that name.
        BadInput: the state names no host where it has to.
    """
    module = _module(name)
    if hasattr(module, "SIMULATED"):
        service = simulated(name)
        return service.hosts_in(state) if isinstance(service, _HostsFromState) else service.hosts
    return real_world(name).hosts


def _folders() -> tuple[str, ...]:
    here = str(Path(__file__).parent)
    return tuple(module.name for module in pkgutil.iter_modules([here]) if module.ispkg)


def _installed() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=ENTRY_POINT_GROUP)}


def _module(name: str) -> ModuleType:
    if name in _folders():
        return importlib.import_module(f"{__package__}.{name}")
    point = _installed().get(name)
    if point is None:
        raise UnknownName("service", name, service_names())
    try:
        return cast("ModuleType", point.load())
    except Exception as error:  # another package's import may raise anything
        found = f"service {name!r} of {point.value!r} does not load: {type(error).__name__}: {error}"
        raise BadInput(ENTRY_POINT_GROUP, found, "mend or remove the package that brings it") from error


def _having(attribute: str) -> tuple[str, ...]:
    return tuple(name for name in service_names() if hasattr(_module(name), attribute))

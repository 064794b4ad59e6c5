"""The registry of services, found by folder name or by entry point, and imported only when needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, cast, runtime_checkable

from pydantic import BaseModel

from mendbench.errors import BadInput, UnknownName
from mendbench.plugins import entry_point, entry_points_of, load_member, loaded, module_names
from mendbench.ports.world import RealWorld, Service

ENTRY_POINT_GROUP = "mendbench.services"
"""Entry points of this group name a module that exports ``SIMULATED`` or ``REAL_WORLD``, and ``STATE``, like the folders here."""

_PACKAGE = __name__.rpartition(".")[0]


@runtime_checkable
class _HostsFromState(Protocol):
    """A service whose hosts the case's state names."""

    def hosts_in(self, state: dict[str, object]) -> tuple[str, ...]: ...


def service_names() -> tuple[str, ...]:
    """Return the names of all services, simulated and real, sorted."""
    installed = (point.name for point in entry_points_of(ENTRY_POINT_GROUP))
    return tuple(sorted({*module_names(_PACKAGE, folders_only=True), *installed}))


def simulated(name: str) -> Service:
    """Return the simulated service ``name``.

    Raises:
        UnknownName: no simulated service has that name.
        BadInput: an installed package's service cannot be loaded.
    """
    found = cast("Callable[[], Service] | None", _exported(name, "SIMULATED"))
    if found is None:
        raise UnknownName("simulated service", name, _having("SIMULATED"))
    return found()


def real_world(name: str) -> RealWorld:
    """Return the real server ``name``, not started.

    Raises:
        UnknownName: no real server has that name.
        BadInput: an installed package's service cannot be loaded.
    """
    found = cast("Callable[[], RealWorld] | None", _exported(name, "REAL_WORLD"))
    if found is None:
        raise UnknownName("real world", name, _having("REAL_WORLD"))
    return found()


def hosts_of(name: str, state: dict[str, object]) -> tuple[str, ...]:
    """Return the hosts of service ``name``, given the case's ``state``.

    Raises:
        UnknownName: no service has that name.
        BadInput: the state names no host although the service requires one.
    """
    if _exported(name, "SIMULATED") is not None:
        service = simulated(name)
        return service.hosts_in(state) if isinstance(service, _HostsFromState) else service.hosts
    return real_world(name).hosts


def shape_of(name: str) -> type[BaseModel] | None:
    """Return the shape of the state of service ``name``; None if an installed package exports none.

    Raises:
        UnknownName: no service has that name.
        BadInput: an installed package's service cannot be loaded.
    """
    return cast("type[BaseModel] | None", _exported(name, "STATE"))


def _exported(name: str, attribute: str) -> object:
    """Return the ``attribute`` that service ``name`` exports; None if it exports none."""
    if name in module_names(_PACKAGE, folders_only=True):
        return load_member(_PACKAGE, name, attribute)
    point = entry_point(ENTRY_POINT_GROUP, name)
    if point is None:
        raise UnknownName("service", name, service_names())
    try:
        module = loaded(point)
    except BadInput as error:
        found = f"service {name!r} of {point.value!r} does not load: {error.found}"
        raise BadInput(ENTRY_POINT_GROUP, found, "mend or remove the package that brings it") from error
    exported: object = getattr(module, attribute, None)
    return exported


def _having(attribute: str) -> tuple[str, ...]:
    return tuple(name for name in service_names() if _exported(name, attribute) is not None)

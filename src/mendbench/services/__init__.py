"""Simulated APIs and real local servers. They respond to a case's requests during recording.

Each folder here is one service. A simulated service exports ``SIMULATED`` (a class that fulfils
:class:`~mendbench.ports.world.Service`), a real server ``REAL_WORLD`` (one that fulfils
:class:`~mendbench.ports.world.RealWorld`). Both export ``STATE``, the shape of their state
(:mod:`mendbench.services.shape`). Adding a service needs no other edit.
"""

from mendbench.services.registry import hosts_of, real_world, service_names, shape_of, simulated

__all__ = ["hosts_of", "real_world", "service_names", "shape_of", "simulated"]

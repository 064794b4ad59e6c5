"""Simulated APIs and real local servers: what answers a case's requests while they are recorded.

One folder here is one service. A simulated one exports ``SIMULATED`` (a class that fulfils
:class:`~mendbench.ports.world.Service`), a real server ``REAL_WORLD`` (one that fulfils
:class:`~mendbench.ports.world.RealWorld`). Both export ``STATE``, the shape of their state
(:mod:`mendbench.services.shape`). Nothing else has to be edited to add one.
"""

from mendbench.services.registry import hosts_of, real_world, service_names, shape_of, simulated

__all__ = ["hosts_of", "real_world", "service_names", "shape_of", "simulated"]

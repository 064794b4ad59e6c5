"""The shape of the server's data: see :mod:`mendbench.services.prefect.world`.

A body is what Prefect's API takes when it creates the object, without its name and the ids of its parents.
"""

from __future__ import annotations

from typing import Any

from mendbench.services.shape import Object, Shape, Table, Texts


class WorkPool(Shape):
    """A work pool, and its queues by name."""

    body: Object = None
    queues: Table[Object] = None


class Deployment(Shape):
    """A deployment, and its flow runs by name."""

    body: Object = None
    runs: Table[Object] = None


class Flow(Shape):
    """A flow, and its deployments by name."""

    tags: Texts = None
    deployments: Table[Deployment] = None


class Variable(Shape):
    """A variable: any JSON value."""

    value: Any
    tags: Texts = None


class State(Shape):
    """Work pools, flows, variables and global concurrency limits by name."""

    work_pools: Table[WorkPool] = None
    flows: Table[Flow] = None
    variables: Table[Variable] = None
    concurrency_limits: Table[Object] = None

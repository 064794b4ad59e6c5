"""The shape of the stored data: see :mod:`mendbench.services.kinto.world`."""

from __future__ import annotations

from mendbench.services.shape import Object, Shape, Table


class Collection(Shape):
    """A collection with its records by id; ``data`` holds its schema."""

    data: Object = None
    permissions: Table[list[str]] = None
    records: Table[Object] = None


class Bucket(Shape):
    """A bucket with its collections by id."""

    data: Object = None
    permissions: Table[list[str]] = None
    collections: Table[Collection] = None


class State(Shape):
    """Access tokens, each with the name of its user, and buckets by id."""

    tokens: Table[str] = None
    buckets: Table[Bucket] = None

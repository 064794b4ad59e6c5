"""The shape of the database: see :mod:`mendbench.services.chroma.world`."""

from __future__ import annotations

from mendbench.services.shape import Object, Shape, Table, Text


class Item(Shape):
    """A record of a collection."""

    embedding: list[float]
    document: Text = None
    metadata: Object = None


class Collection(Shape):
    """A collection with its records by id."""

    metadata: Object = None
    configuration: Object = None
    records: Table[Item] = None


class State(Shape):
    """Collections by name."""

    collections: Table[Collection] = None

"""The shape of the database: see :mod:`mendbench.services.datasette.world`."""

from __future__ import annotations

from mendbench.services.shape import Shape, Text


class State(Shape):
    """Statements that run after the seed."""

    sql: Text = None

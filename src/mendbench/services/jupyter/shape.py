"""The shape of the server's folder: see :mod:`mendbench.services.jupyter.world`."""

from __future__ import annotations

from mendbench.services.shape import File, Shape, Table, Text


class State(Shape):
    """The access token, and files."""

    token: Text = None
    files: Table[File] = None

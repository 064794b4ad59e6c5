"""The shape of the folder: see :mod:`mendbench.services.mcp_files.world`."""

from __future__ import annotations

from mendbench.services.shape import Shape, Table


class State(Shape):
    """Files: path to text."""

    files: Table[str] = None

"""The shape of the server's state: it has none."""

from __future__ import annotations

from mendbench.services.shape import Shape


class State(Shape):
    """Nothing."""

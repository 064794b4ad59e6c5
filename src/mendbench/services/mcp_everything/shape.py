"""The shape of the server's state. It is always empty."""

from __future__ import annotations

from mendbench.services.shape import Shape


class State(Shape):
    """An empty state."""

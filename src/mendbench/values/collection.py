"""How often Python searches for garbage in cycles."""

from __future__ import annotations

import gc

_NEW_OBJECTS = 10_000
"""New objects between two searches. Almost all data of a trial is freed without a search; with Python's 700, searches are 3% of a run."""


def collect_rarely() -> None:
    """Search for garbage less often, in a process that belongs to mendbench."""
    gc.set_threshold(_NEW_OBJECTS)

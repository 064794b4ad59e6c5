"""What the contract kit finds."""

from __future__ import annotations

from dataclasses import dataclass

from mendbench.model.json import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one case says of an engine."""

    case: str
    title: str
    wrong: tuple[str, ...]
    """One sentence for each thing that it gets wrong; none if it gets all right."""
    documents: tuple[JsonObject, ...] = ()
    """What the engine printed."""

"""What the contract kit finds."""

from __future__ import annotations

from dataclasses import dataclass

from mendbench.model.json import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The findings of one case about an engine."""

    case: str
    title: str
    wrong: tuple[str, ...]
    """One sentence for each error; empty if there is none."""
    documents: tuple[JsonObject, ...] = ()
    """What the engine printed."""

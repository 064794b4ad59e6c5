"""What a strategy's template declares about itself."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mendbench.model.prompt import SectionLabel

SUFFIX = ".md.j2"
"""How the name of a template file ends; what stands before it is the strategy's name."""

WITHOUT = "~"
"""Stands before each section that is left out of a strategy: ``mend~data`` is ``mend`` without its section ``data``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyInfo:
    """One line of ``strategy list``."""

    strategy: str
    title: str
    source: str
    path: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionSpec:
    """One section, as the front matter declares it."""

    name: str
    label: SectionLabel
    keep: int
    """Rank for cutting: the section of the lowest rank goes first; of two of one rank, the later one."""


def strategy_name(path: Path) -> str:
    """Return the name of the strategy that a template file holds: its file name without :data:`SUFFIX`."""
    return path.name.removesuffix(SUFFIX)

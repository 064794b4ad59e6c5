"""The declarations of a strategy's template."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mendbench.model.prompt import SectionLabel

SUFFIX = ".md.j2"
"""The suffix of template files. The rest of the file name is the strategy's name."""

WITHOUT = "~"
"""Precedes each section that is left out of a strategy: ``mend~data`` is ``mend`` without its section ``data``."""


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
    """Rank for cutting: the section with the lowest rank is cut first; with equal ranks, the later one."""


def strategy_name(path: Path) -> str:
    """Return the name of a template file's strategy: the file name without :data:`SUFFIX`."""
    return path.name.removesuffix(SUFFIX)

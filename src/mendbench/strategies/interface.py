"""The declarations of a strategy's template."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mendbench.model.prompt import SectionLabel

SUFFIX = ".md.j2"
"""The suffix of template files. The rest of the file name is the strategy's name."""

WITHOUT = "~"
"""Precedes each section that is left out of a strategy: ``mend~data`` is ``mend`` without its section ``data``."""

WITH = "+"
"""Precedes each addition to a strategy: ``mend+feedback``."""

WITHIN = "^"
"""Precedes the most tokens of a strategy's context: ``mend^200``."""

IN_FRAME = "@"
"""Precedes the frame of a strategy's prompts, if it is not the default: ``mend@v2``."""

_MARKS = re.compile(r"(?P<without>(?:~\w*)*)(?P<additions>(?:\+[\w-]*)*)(?P<limit>\^\w*)?(?P<frame>@[\w-]*)?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class NameParts:
    """The parts of a strategy's name, such as ``mend~data+feedback^200@v2``."""

    base: str
    """A strategy's name, or the path of a template file."""
    without: tuple[str, ...]
    """The sections that are left out."""
    additions: tuple[str, ...]
    """What is added after its sections."""
    limit: str | None
    """The most tokens of its context, as written; None for all that fit into the model's window."""
    frame: str | None
    """The frame of its prompts; None for the default."""


def parts_of(name: str) -> NameParts:
    """Return the parts of a strategy's name."""
    marks = _MARKS.search(name)
    if marks is None:
        return NameParts(base=name, without=(), additions=(), limit=None, frame=None)
    return NameParts(
        base=name[: marks.start()],
        without=tuple(marks["without"].split(WITHOUT)[1:]),
        additions=tuple(marks["additions"].split(WITH)[1:]),
        limit=None if marks["limit"] is None else marks["limit"].removeprefix(WITHIN),
        frame=None if marks["frame"] is None else marks["frame"].removeprefix(IN_FRAME),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyInfo:
    """One line of ``strategy list``."""

    strategy: str
    """As it is written in a name: ``mend``, ``+feedback`` or ``@v2``."""
    kind: Literal["strategy", "addition", "frame"] = "strategy"
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

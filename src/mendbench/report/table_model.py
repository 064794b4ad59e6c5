"""A table of texts. It has two renderers: :mod:`mendbench.cli.tables` for the terminal and :mod:`mendbench.report.markdown`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading and its layout."""

    heading: str
    """May have several lines."""
    align: Literal["left", "right"] = "left"
    wraps: bool = False
    """Whether a narrow terminal may break its cells into lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Columns, and rows with one cell for each column. A cell is one line."""

    columns: tuple[Column, ...]
    rows: Sequence[Sequence[str]]
    caption: str = ""
    optional: int = 0
    """Number of columns at the end that a narrow terminal may omit."""
    gaps: Collection[int] = ()
    """Indices of the rows that a gap follows."""


def columns(*texts: str, wraps: Collection[str] = (), numbers: Sequence[str] = ()) -> tuple[Column, ...]:
    """Return columns with these headings: texts, of which those in ``wraps`` may be broken into lines, then numbers."""
    left = tuple(Column(heading, wraps=heading in wraps) for heading in texts)
    return left + tuple(Column(heading, align="right") for heading in numbers)

"""What every chart has: a title, how to read it, how many cases it covers, and the table of its figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Anchor: TypeAlias = Literal["start", "middle", "end"]

Shape: TypeAlias = Literal["circle", "square", "diamond", "up", "down", "cross"]

SHAPES: tuple[Shape, ...] = ("circle", "square", "diamond", "up", "down", "cross")
"""Shapes that distinguish strategies, in addition to colours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The figures of a chart, as texts."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A text in a chart."""

    x: float
    y: float
    text: str
    anchor: Anchor = "start"
    kind: str = ""
    """Its CSS class; empty for plain text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stroke:
    """A straight line."""

    x1: float
    y1: float
    x2: float
    y2: float
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A rectangle: horizontal in per cent, vertical in pixels."""

    x: float
    y: float
    width: float
    height: float
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A point with its shape and its own text."""

    x: float
    y: float
    shape: Shape
    kind: str
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """One chart."""

    name: str
    """The name in the address."""
    title: str
    reads: str
    """How to read the chart, in a sentence or two."""
    of: str
    """How many cases or nodes it covers, under which policy."""
    says: str
    """What it shows, for readers who cannot see it."""
    height: int
    """In pixels."""
    table: Table
    boxes: tuple[Box, ...] = ()
    strokes: tuple[Stroke, ...] = ()
    marks: tuple[Mark, ...] = ()
    labels: tuple[Label, ...] = ()
    hatch: str = ""
    """The kind of the hatched boxes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """A chart whose data is missing."""

    name: str
    title: str
    why: str


def named(name: str, title: str, api: str) -> tuple[str, str]:
    """Return the name and the title of the chart of one stratum of APIs; unchanged if the run has only one stratum."""
    return (f"{name}-{api}", f"{title.removesuffix('?')} on {api} APIs?") if api else (name, title)

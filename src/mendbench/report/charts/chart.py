"""What every picture has: a title, how to read it, how much it is of, and the table of its figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Anchor: TypeAlias = Literal["start", "middle", "end"]

Shape: TypeAlias = Literal["circle", "square", "diamond", "up", "down", "cross"]

SHAPES: tuple[Shape, ...] = ("circle", "square", "diamond", "up", "down", "cross")
"""What strategies are told apart by, beside their colours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The figures of a picture, as texts."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A text in a picture."""

    x: float
    y: float
    text: str
    anchor: Anchor = "start"
    kind: str = ""
    """The class that it is styled by; none for plain text."""


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
    """A rectangle: across in per cent, down in pixels."""

    x: float
    y: float
    width: float
    height: float
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A point, told by its shape, and what it says on its own."""

    x: float
    y: float
    shape: Shape
    kind: str
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """One picture, or why there is none."""

    name: str
    """In the address."""
    title: str
    reads: str
    """How it is read, in a sentence or two."""
    of: str
    """How many cases or nodes it is of, under which policy."""
    says: str
    """What it shows, for who does not see it."""
    height: int
    """In pixels."""
    table: Table
    boxes: tuple[Box, ...] = ()
    strokes: tuple[Stroke, ...] = ()
    marks: tuple[Mark, ...] = ()
    labels: tuple[Label, ...] = ()
    hatch: str = ""
    """The kind of box that is hatched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """A picture whose data is not there."""

    name: str
    title: str
    why: str


def named(name: str, title: str, api: str) -> tuple[str, str]:
    """Return the name and the title of a picture of one stratum of APIs; unchanged where the run has one alone."""
    return (f"{name}-{api}", f"{title.removesuffix('?')} on {api} APIs?") if api else (name, title)

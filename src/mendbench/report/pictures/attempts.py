"""How many cases are repaired within one, two and three attempts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from mendbench.report.pictures.picture import SHAPES, Label, Mark, Missing, Picture, Stroke, Table
from mendbench.report.pictures.scale import Scale, apart
from mendbench.report.selection import Selection
from mendbench.report.tables import UNSTOPPED
from mendbench.report.words import counted, figure
from mendbench.scoring.forensics.attempt_use import Curve, curve

NAME, TITLE = "attempts", "What do more attempts bring?"

TOP, BOTTOM, HEIGHT = 24, 248, 296
"""Pixels of the plot's upper and lower end, and of the whole."""

_LABEL = 15
"""Pixels that two names are apart at least."""

_ASIDE = 6
"""Pixels that a line lies above the same one of another strategy, or it would hide it."""

_FIRST, _LAST = 10.0, 56.0
"""Per cent of the width where the first and the last attempt lie; behind that stand the names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One strategy's repairs by the number of attempts."""

    name: str
    cases: int
    right: tuple[float, ...]
    """Cases right within one attempt, two, and so on: those whose trial ended right."""
    first: float
    """Cases whose first workflow was right, however the trial ended."""


def lines(selection: Selection) -> tuple[Line, ...]:
    """Return the strategies' repairs by the number of attempts where only the limit stops."""
    view = next((one for one in selection.policies if one.policy == UNSTOPPED), None)
    if view is None:
        return ()
    found = ((column, selection.of(column, view)) for column in selection.strategies())
    curves = [(column.name, curve(tuple(trials))) for column, trials in found if trials]
    last = max((len(one.steps) for _, one in curves), default=0)
    return tuple(_line(name, one, last) for name, one in curves if one.n and one.steps)


def _line(name: str, found: Curve, last: int) -> Line:
    right = [step.right for step in found.steps]
    return Line(
        name=name, cases=found.n, right=(*right, *[right[-1]] * (last - len(right))), first=found.first_right
    )  # fmt: skip


def attempts(selection: Selection) -> Picture | Missing:
    """Return the picture; or why there is nothing to draw."""
    every = lines(selection)
    if not every:
        return Missing(name=NAME, title=TITLE, why=f"Nothing was run under {UNSTOPPED}, where only the limit stops.")
    most = max(line.cases for line in every)
    found = tuple(line for line in every if line.cases == most)
    last = len(found[0].right)
    down = Scale(low=0, high=max(1.0, *(line.right[-1] for line in found)) * 1.08, start=BOTTOM, end=TOP)
    strokes = [
        Stroke(x1=0, y1=down.at(tick), x2=100, y2=down.at(tick), kind="rule") for tick in down.ticks(5, whole=True)
    ]
    marks: list[Mark] = []
    for at, line in enumerate(found):
        own, points = _drawn(line, at, down, _ASIDE * [one.right for one in found[:at]].count(line.right))
        strokes, marks = [*strokes, *own], [*marks, *points]
    return Picture(
        name=NAME,
        title=TITLE,
        reads="Where a line rises, later attempts repair what the first did not; where it is flat, they only cost."
        + _otherwise(every),
        of=f"n = {counted(most, 'case')} with an edit fault, {UNSTOPPED}: only the limit of {last} stops",
        says="; ".join(f"{line.name}: {', '.join(figure(one) for one in line.right)}" for line in found)
        + f" of {counted(most, 'case')} within {', '.join(str(one + 1) for one in range(last))} attempts.",
        height=HEIGHT,
        table=Table(
            head=("Strategy", "Cases", *(f"Within {number + 1}" for number in range(last)), "First workflow right"),
            rows=tuple((line.name, str(line.cases), *map(figure, line.right), figure(line.first)) for line in every),
        ),
        strokes=tuple(strokes),
        marks=tuple(marks),
        labels=(*_names(found, down), *_ticks(last, down)),
    )


def _otherwise(every: Sequence[Line]) -> str:
    """Return why the table has more right after the first attempt than the picture, where it has."""
    told = [line for line in every if line.first != line.right[0]]
    if not told:
        return ""
    more = ", ".join(f"{line.name} {figure(line.first)} and not {figure(line.right[0])}" for line in told)
    return (
        f" A case counts here when its trial ended right. Attempt 1 in the table asks of the first workflow alone: {more}. There the "
        f"workflow was right, but {UNSTOPPED} went on after it and ended otherwise."
    )


def _x(number: int, last: int) -> float:
    return _FIRST if last == 1 else round(_FIRST + number * (_LAST - _FIRST) / (last - 1), 2)


def _drawn(line: Line, at: int, down: Scale, aside: int) -> tuple[list[Stroke], list[Mark]]:
    """Return a strategy's line; ``aside``: pixels that it gives way to one that is the same."""
    last = len(line.right)
    points = [(_x(number, last), down.at(right) - aside) for number, right in enumerate(line.right)]
    strokes = [
        Stroke(x1=x, y1=y, x2=x2, y2=y2, kind=f"line dash{at % len(SHAPES)}") for (x, y), (x2, y2) in pairwise(points)
    ]
    marks = [
        Mark(
            x=x, y=y, shape=SHAPES[at % len(SHAPES)], kind=f"told dash{at % len(SHAPES)}",
            says=f"{line.name}: {figure(right)} of {line.cases} within {counted(number + 1, 'attempt')}",
        )
        for number, ((x, y), right) in enumerate(zip(points, line.right, strict=True))
    ]  # fmt: skip
    return strokes, marks


def _names(found: Sequence[Line], down: Scale) -> list[Label]:
    ends = apart([down.at(line.right[-1]) + 4 for line in found], _LABEL, TOP, BOTTOM + 4)
    x = _x(len(found[0].right) - 1, len(found[0].right))
    return [
        Label(x=x, y=y, text=f"{line.name} {figure(line.right[-1])}", kind="name beside")
        for line, y in zip(found, ends, strict=True)
    ]


def _ticks(last: int, down: Scale) -> list[Label]:
    rows = [
        Label(x=0, y=down.at(tick) - 3, text=figure(tick), kind="tick") for tick in down.ticks(5, whole=True) if tick
    ]
    columns = [
        Label(x=_x(number, last), y=BOTTOM + 16, text=str(number + 1), anchor="middle", kind="tick")
        for number in range(last)
    ]
    return [
        *rows,
        *columns,
        Label(x=0, y=11, text="Cases repaired", kind="axis"),
        Label(x=(_FIRST + _LAST) / 2, y=BOTTOM + 37, text="Attempts made", anchor="middle", kind="axis"),
    ]

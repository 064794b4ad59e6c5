"""What each policy saves and loses: attempts saved against repairs lost."""

from __future__ import annotations

from collections.abc import Sequence

from mendbench.report.charts.chart import SHAPES, Chart, Label, Mark, Stroke, Table
from mendbench.report.charts.scale import Scale, across, apart
from mendbench.report.tables import NOTHING, PolicyLine, PolicyTable
from mendbench.report.words import counted, figure

TOP, BOTTOM, HEIGHT = 24, 248, 296
"""Upper and lower end of the plot, and height of the chart, in pixels."""

_LABEL = 15
"""Minimum distance between two names, in pixels."""

_MIDDLE = 50


def break_even(table: PolicyTable, number: int) -> Chart | None:
    """Return the chart of one solver's policies; None without ``naive`` or without another policy. ``number`` makes its name unique."""
    found = [line for line in table.lines if line.saved is not None and line.net_lost is not None]
    if not found:
        return None
    lost, saved = [float(line.net_lost or 0) for line in found], [float(line.saved or 0) for line in found]
    down = across(min(0.0, *lost), max(1.0, *lost), start=BOTTOM, end=TOP)
    right = across(min(0.0, *saved), 1.06 * max(1.0, *saved))
    return Chart(
        name=f"break-even-{number}",
        title=f"Attempts saved and repairs lost: {table.solver.label}",
        reads=(
            "Right is cheaper, down is better. A dot far to the right and low saves attempts without losing repairs. "
            "The price is the number of saved attempts for each lost repair: a policy pays for itself if a repair is worth less than that."
        ),
        of=f"{counted(table.trials, 'trial')} of {counted(table.cases, 'case')} that every policy has; both compared with naive",
        says="; ".join(_of(line) for line in found),
        height=HEIGHT,
        table=Table(
            head=("Policy", "Attempts saved", "Repairs lost, net", "Attempts saved per lost repair"),
            rows=tuple((line.label, figure(line.saved or 0), figure(line.net_lost or 0), line.price) for line in found),
        ),
        strokes=tuple(Stroke(x1=0, y1=down.at(tick), x2=100, y2=down.at(tick), kind="rule") for tick in down.ticks(4, whole=True)),
        marks=tuple(
            Mark(x=right.at(x), y=down.at(y), shape=SHAPES[at % len(SHAPES)], kind="filled" if y <= 0 else "hollow", says=_of(line))
            for at, (line, x, y) in enumerate(zip(found, saved, lost, strict=True))
        ),
        labels=(*_names(found, saved, lost, right, down), *_ticks(right, down)),
    )  # fmt: skip


def _names(
    found: Sequence[PolicyLine], saved: Sequence[float], lost: Sequence[float], right: Scale, down: Scale
) -> list[Label]:
    ys = apart([down.at(y) - 9 for y in lost], _LABEL, TOP - 8, BOTTOM - 4)
    return [
        Label(
            x=right.at(x), y=y, text=line.label, anchor="start" if right.at(x) < _MIDDLE else "end", kind="name beside"
        )
        for line, x, y in zip(found, saved, ys, strict=True)
    ]


def _ticks(right: Scale, down: Scale) -> list[Label]:
    return [
        *(
            Label(x=0, y=down.at(tick) - 3, text=figure(tick), kind="tick")
            for tick in down.ticks(4, whole=True)
            if tick
        ),
        *(
            Label(x=right.at(tick), y=BOTTOM + 16, text=figure(tick), anchor="middle", kind="tick")
            for tick in right.ticks(4, whole=True)
        ),
        Label(x=0, y=11, text="Repairs lost, net", kind="axis"),
        Label(x=50, y=BOTTOM + 37, text="Attempts saved", anchor="middle", kind="axis"),
    ]


def _of(line: PolicyLine) -> str:
    price = "" if line.price == NOTHING else f", {line.price} attempts a lost repair"
    return f"{line.label}: {counted(line.saved or 0, 'attempt')} saved, {counted(line.net_lost or 0, 'repair')} lost{price}"

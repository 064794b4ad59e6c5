"""Paired differences to one strategy, with their intervals."""

from __future__ import annotations

from collections.abc import Sequence

from mendbench.report.charts.chart import Chart, Label, Mark, Missing, Stroke, Table, named
from mendbench.report.charts.scale import Scale, across
from mendbench.report.gaps import AGAINST, Gap
from mendbench.report.selection import Selection
from mendbench.report.tables import FEW, NOTHING
from mendbench.report.words import counted, listing, signed

NAME, TITLE = "differences", f"How much better than {AGAINST}?"

ROW, TOP, FOOT = 46, 8, 44
"""Height of a line, and space above the first and below the last, in pixels."""


def forest(gaps: Sequence[Gap], selection: Selection) -> Chart | Missing:
    """Return the chart, or why there is nothing to draw."""
    gaps = [gap for gap in gaps if gap.judged]
    name, title = named(NAME, TITLE, selection.api)
    if not gaps:
        names = {column.name for column in selection.strategies()}
        why = f"no other strategy was run beside {AGAINST}" if AGAINST in names else f"{AGAINST} was not run"
        return Missing(name=name, title=title, why=f"There is nothing to compare: {why}.")
    in_points = max(gap.difference.cases for gap in gaps) >= FEW
    drawn = {gap.name for gap in gaps if gap.difference.cases >= FEW or not in_points}
    scale = _scale([gap for gap in gaps if gap.name in drawn], in_points=in_points)
    bottom = TOP + ROW * len(gaps)
    strokes, labels = _axis(scale, bottom, in_points=in_points)
    marks: list[Mark] = []
    for at, gap in enumerate(gaps):
        line, point, texts = _row(gap, scale, TOP + ROW * at, in_points=in_points, drawn=gap.name in drawn)
        strokes, marks, labels = [*strokes, *line], [*marks, *point], [*labels, *texts]
    return Chart(
        name=name,
        title=title,
        reads=(
            f"Each line is one strategy less {AGAINST}, case by case; right of the dashed line it repairs more. A filled diamond is "
            "significant, a hollow circle is not."
        ),
        of=f"{_cases(gaps)} with an edit fault, {selection.policy.label}; 95 % intervals by bootstrap over groups; exploratory",
        says=_says(gaps),
        height=bottom + FOOT,
        table=_table(gaps),
        strokes=tuple(strokes),
        marks=tuple(marks),
        labels=tuple(labels),
    )


def _scale(gaps: Sequence[Gap], *, in_points: bool) -> Scale:
    ends = [0.0]
    for gap in gaps:
        ends.append(_point(gap, in_points=in_points))
        ends += _ends(gap, in_points=in_points)
    low, high = min(ends), max(ends)
    least = 10.0 if in_points else 2.0
    return across(min(low, -least / 2), max(high, least / 2))


def _point(gap: Gap, *, in_points: bool) -> float:
    return 100 * (gap.difference.difference or 0) if in_points else gap.cases


def _ends(gap: Gap, *, in_points: bool) -> list[float]:
    """Return the ends of the interval of the mean over all cases, including open ones; empty if there is no interval."""
    scale = 100 if in_points else gap.difference.cases
    return [scale * end for end in gap.difference.interval or ()]


def _axis(scale: Scale, bottom: int, *, in_points: bool) -> tuple[list[Stroke], list[Label]]:
    zero = scale.at(0)
    strokes = [
        Stroke(x1=scale.at(tick), y1=TOP, x2=scale.at(tick), y2=bottom, kind="rule")
        for tick in scale.ticks(5, whole=not in_points)
        if tick
    ]
    strokes.append(Stroke(x1=zero, y1=TOP, x2=zero, y2=bottom, kind="zero"))
    labels = [
        Label(x=scale.at(tick), y=bottom + 15, text=signed(tick), anchor="middle", kind="tick")
        for tick in scale.ticks(5, whole=not in_points)
    ]
    unit = "points of a hundred" if in_points else "cases"
    labels.append(Label(x=50, y=bottom + 36, text=f"More repair success, {unit}", anchor="middle", kind="axis"))
    return strokes, labels


def _row(
    gap: Gap, scale: Scale, top: int, *, in_points: bool, drawn: bool
) -> tuple[list[Stroke], list[Mark], list[Label]]:
    difference, middle = gap.difference, top + 32
    counts = f"{difference.won} won, {difference.lost} lost of {gap.judged}{' judged' if difference.open else ''}"
    kind = gap.group if drawn else "few"
    labels = [
        Label(x=0, y=top + 16, text=gap.name, kind=f"name {kind}"),
        Label(
            x=100,
            y=top + 16,
            text=counts if drawn else f"{difference.cases} cases, too few to draw",
            anchor="end",
            kind="note",
        ),
    ]
    if not drawn:
        return [], [], labels
    value = scale.at(_point(gap, in_points=in_points))
    decided = difference.verdict in {"better", "worse"}
    mark = Mark(
        x=value,
        y=middle,
        shape="diamond" if decided else "circle",
        kind="filled" if decided else "hollow",
        says=_of(gap),
    )
    if difference.interval is None:
        return [], [mark], labels
    low, high = map(scale.at, _ends(gap, in_points=in_points))
    strokes = [Stroke(x1=low, y1=middle, x2=high, y2=middle, kind="interval")]
    strokes += [Stroke(x1=end, y1=middle - 5, x2=end, y2=middle + 5, kind="interval") for end in (low, high)]
    return strokes, [mark], labels


def _cases(gaps: Sequence[Gap]) -> str:
    found = sorted({gap.difference.cases for gap in gaps}, reverse=True)
    return f"n = {listing([str(number) for number in found])} cases"


def _of(gap: Gap) -> str:
    result = gap.difference
    return f"{gap.name}: {signed(gap.cases)} of {counted(gap.judged, 'case')}, {result.won} won and {result.lost} lost, {result.verdict}"


def _says(gaps: Sequence[Gap]) -> str:
    return f"Repair success less that of {AGAINST}. {'; '.join(_of(gap) for gap in gaps)}."


def _table(gaps: Sequence[Gap]) -> Table:
    return Table(
        head=(
            "Strategy",
            "Cases",
            f"More than {AGAINST}",
            "Won",
            "Lost",
            "95 % interval",
            "Is",
            "Prompt and response tokens of a trial",
        ),
        rows=tuple(
            (
                gap.name,
                str(gap.difference.cases),
                signed(gap.cases),
                str(gap.difference.won),
                str(gap.difference.lost),
                _interval(gap),
                gap.difference.verdict,
                NOTHING if gap.tokens is None else f"{gap.tokens:.1f} times",
            )
            for gap in gaps
        ),
    )


def _interval(gap: Gap) -> str:
    difference = gap.difference
    if difference.interval is None:
        return difference.method
    in_points = difference.cases >= FEW
    low, high = (signed(end, 0 if in_points else 1) for end in _ends(gap, in_points=in_points))
    return f"{low} to {high} {'points' if in_points else 'cases'}"

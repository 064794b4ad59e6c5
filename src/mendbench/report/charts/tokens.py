"""Repair success against the tokens of the error context, with the Pareto front of strategies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mendbench.model.json import JsonObject
from mendbench.report.charts.chart import SHAPES, Chart, Label, Mark, Missing, Stroke, Table, named
from mendbench.report.charts.scale import Scale, across, apart
from mendbench.report.selection import Selection, total_of
from mendbench.report.tables import FEW
from mendbench.report.views import GridColumn, Group
from mendbench.report.words import counted, figure, listing, percent

NAME, TITLE = "tokens", "Is a longer context worth it?"

TOP, BOTTOM, HEIGHT = 24, 248, 296
"""Upper and lower end of the plot, and height of the chart, in pixels."""

_LABEL = 15
"""Minimum distance between two names, in pixels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenPoint:
    """One strategy's success and tokens."""

    name: str
    group: Group
    right: float
    cases: int
    low: float
    high: float
    """Upper end of the interval, in cases; both ends equal ``right`` if there is no interval."""
    tokens: float
    prompts: int


def places(totals: Sequence[JsonObject], selection: Selection) -> tuple[TokenPoint, ...]:
    """Return the places of the strategies under the headline's policy, except those without a prompt or an edit case."""
    every = ((column, total_of(totals, selection, column)) for column in selection.strategies())
    found = (_place(column, total["scores"]) for column, total in every if total is not None)
    return tuple(place for place in found if place is not None)


def _place(column: GridColumn, scores: JsonObject) -> TokenPoint | None:
    success, context = scores["repair_success"], scores["context_tokens"]
    cases, interval = success["denominator"], success["interval"]
    if not cases or context["value"] is None:
        return None
    low, high = (interval[end] * cases if interval else success["numerator"] for end in ("low", "high"))
    return TokenPoint(
        name=column.name, group=column.group, right=success["numerator"], cases=cases, low=low, high=high,
        tokens=context["value"], prompts=context["cases"],
    )  # fmt: skip


def front(found: Sequence[TokenPoint]) -> tuple[TokenPoint, ...]:
    """Return the Pareto front, from the shortest context: no other strategy repairs as many cases with fewer tokens."""
    best: list[TokenPoint] = []
    for one in sorted(found, key=lambda place: (place.tokens, -place.right)):
        if not best or one.right > best[-1].right:
            best.append(one)
    return tuple(best)


def tokens(totals: Sequence[JsonObject], selection: Selection) -> Chart | Missing:
    """Return the chart, or why there is nothing to draw."""
    every = places(totals, selection)
    name, title = named(NAME, TITLE, selection.api)
    most = max((place.cases for place in every), default=0)
    found = tuple(place for place in every if place.cases == most)
    if len(found) < 2:  # noqa: PLR2004 - one point is no picture
        return Missing(name=name, title=title, why="Fewer than two strategies were run on the same number of cases.")
    across_scale = across(0, 1.06 * max(place.tokens for place in found) or 1)
    down = Scale(low=0, high=max(1.0, *(place.high for place in found)), start=BOTTOM, end=TOP)
    best = front(found)
    strokes = [*_rules(down), *_whiskers(found, across_scale, down), *_front(best, across_scale, down)]
    left_out = [place.name for place in every if place not in found]
    besides = (
        f"; {listing(left_out)} ran on other cases and {'stands' if len(left_out) == 1 else 'stand'} in the table"
        if left_out
        else ""
    )
    return Chart(
        name=name,
        title=title,
        reads="Up is better, left is cheaper. The stepped line joins the strategies that none beats in both (the Pareto front).",
        of=f"n = {counted(most, 'case')} with an edit fault, {selection.policy.label}; thin lines are Wilson's 95 % intervals{besides}",
        says=_says(found, best),
        height=HEIGHT,
        table=_table(every, best),
        strokes=tuple(strokes),
        marks=tuple(_marks(found, best, across_scale, down)),
        labels=(*_names(found, across_scale, down), *_ticks(across_scale, down)),
    )


def _rules(down: Scale) -> list[Stroke]:
    return [Stroke(x1=0, y1=down.at(tick), x2=100, y2=down.at(tick), kind="rule") for tick in down.ticks(4, whole=True)]


def _whiskers(found: Sequence[TokenPoint], scale: Scale, down: Scale) -> list[Stroke]:
    ends = [(scale.at(place.tokens), down.at(place.low), down.at(place.high)) for place in found]
    return [Stroke(x1=x, y1=low, x2=x, y2=high, kind="whisker") for x, low, high in ends if low != high]


def _front(best: Sequence[TokenPoint], scale: Scale, down: Scale) -> list[Stroke]:
    found = []
    for place, after in zip(best, [*best[1:], None], strict=True):
        x, y = scale.at(place.tokens), down.at(place.right)
        end = 100.0 if after is None else scale.at(after.tokens)
        found.append(Stroke(x1=x, y1=y, x2=end, y2=y, kind="front"))
        if after is not None:
            found.append(Stroke(x1=end, y1=y, x2=end, y2=down.at(after.right), kind="front"))
    return found


def _marks(found: Sequence[TokenPoint], best: Sequence[TokenPoint], scale: Scale, down: Scale) -> list[Mark]:
    return [
        Mark(
            x=scale.at(place.tokens), y=down.at(place.right), shape=SHAPES[at % len(SHAPES)],
            kind="filled" if place in best else "hollow", says=_of(place),
        )
        for at, place in enumerate(found)
    ]  # fmt: skip


def _names(found: Sequence[TokenPoint], scale: Scale, down: Scale) -> list[Label]:
    """Return the names next to their points: on the side with room, and without overlaps."""
    ys = apart([down.at(place.right) - 9 for place in found], _LABEL, TOP - 8, BOTTOM - 4)
    return [
        Label(
            x=scale.at(place.tokens), y=y, text=f"{place.name} {figure(place.right)}",
            anchor="start" if scale.at(place.tokens) < 50 else "end",  # noqa: PLR2004 - the middle
            kind="name beside",
        )
        for place, y in zip(found, ys, strict=True)
    ]  # fmt: skip


def _ticks(scale: Scale, down: Scale) -> list[Label]:
    rows = [
        Label(x=0, y=down.at(tick) - 3, text=figure(tick), kind="tick") for tick in down.ticks(4, whole=True) if tick
    ]
    columns = [
        Label(x=scale.at(tick), y=BOTTOM + 16, text=figure(tick), anchor="middle", kind="tick")
        for tick in scale.ticks(4, whole=True)
    ]
    return [
        *rows,
        *columns,
        Label(x=0, y=11, text="Cases repaired", kind="axis"),
        Label(x=50, y=BOTTOM + 37, text="Context of the first prompt, tokens (mean)", anchor="middle", kind="axis"),
    ]


def _of(place: TokenPoint) -> str:
    return f"{place.name}: {figure(place.right)} of {counted(place.cases, 'case')} at {figure(place.tokens, 0)} tokens"


def _says(found: Sequence[TokenPoint], best: Sequence[TokenPoint]) -> str:
    return f"{'; '.join(_of(place) for place in found)}. Not dominated: {listing([place.name for place in best])}."


def _table(found: Sequence[TokenPoint], best: Sequence[TokenPoint]) -> Table:
    return Table(
        head=("Strategy", "Repaired", "Share", "Context tokens", "First prompts", "On the front"),
        rows=tuple(
            (
                place.name, f"{figure(place.right)} of {place.cases}",
                percent(place.right / place.cases) if place.cases >= FEW else "",
                figure(place.tokens, 0), str(place.prompts), "yes" if place in best else "",
            )
            for place in found
        ),
    )  # fmt: skip

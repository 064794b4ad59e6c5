"""Repair success where the context told every fact, and where it did not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mendbench.model.json import JsonObject
from mendbench.report.pictures.picture import Box, Label, Missing, Picture, Stroke, Table
from mendbench.report.pictures.scale import Scale, across
from mendbench.report.selection import Selection, total_of
from mendbench.report.views import Column
from mendbench.report.words import figure, listing, percent

NAME, TITLE = "recall", "Does it help to tell the facts?"

ROW, TOP, FOOT, BAR = 62, 8, 44, 13
"""Pixels of a line, above the first, below the last, and of a bar."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Share:
    """Right cases of some."""

    right: float
    most: float
    """With those that may still turn out right, for want of a verdict."""
    cases: int

    @property
    def shown(self) -> str:
        return figure(self.right) if self.most == self.right else f"{figure(self.right)} to {figure(self.most)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """One strategy: the cases whose facts were all told, and the others."""

    name: str
    told: _Share
    rest: _Share


def recall_counts(
    totals: Sequence[JsonObject], selection: Selection
) -> tuple[tuple[str, tuple[float, int], tuple[float, int]], ...]:
    """Return, for each strategy, right cases of those whose facts were all told, and of the others.

    A strategy with a trial that may still turn out either way is left out: its right cases are no count yet.
    """
    return tuple(
        (one.name, (one.told.right, one.told.cases), (one.rest.right, one.rest.cases))
        for one in _lines(totals, selection)
        if one.told.most == one.told.right and one.rest.most == one.rest.right
    )


def _lines(totals: Sequence[JsonObject], selection: Selection) -> list[_Line]:
    return [
        _Line(name=column.name, told=_of(scores["success_all_told"]), rest=_of(scores["success_not_all_told"]))
        for column in selection.strategies()
        if (scores := _scores(totals, selection, column)) is not None
    ]


def recall(totals: Sequence[JsonObject], selection: Selection) -> Picture | Missing:
    """Return the picture; or why there is nothing to draw."""
    found = [one for one in _lines(totals, selection) if one.told.cases + one.rest.cases]
    if not found:
        return Missing(
            name=NAME, title=TITLE, why="No case with an edit fault has facts to tell and got as far as a prompt."
        )
    scale = across(0, max(max(one.told.cases, one.rest.cases) for one in found), start=0, end=100)
    bottom = TOP + ROW * len(found)
    boxes = [box for at, one in enumerate(found) for box in _bars(one, scale, TOP + ROW * at)]
    labels = [label for at, one in enumerate(found) for label in _labels(one, TOP + ROW * at)]
    return Picture(
        name=NAME,
        title=TITLE,
        reads=(
            "The upper bar of each strategy is the cases whose facts the first prompt told, all of them; the lower bar the others. "
            "Filled: the cases that came out right."
        ),
        of=f"n = {listing(_ns(found))} cases with an edit fault, facts to tell and a prompt, {selection.policy.label}",
        says="; ".join(_says(one) for one in found) + ".",
        height=bottom + FOOT,
        table=Table(
            head=(
                "Strategy",
                "Mean share of facts told",
                "All told: right",
                "All told: cases",
                "Others: right",
                "Others: cases",
            ),
            rows=tuple(
                (
                    one.name,
                    _mean(totals, selection, one.name),
                    one.told.shown,
                    str(one.told.cases),
                    one.rest.shown,
                    str(one.rest.cases),
                )
                for one in found
            ),
        ),
        boxes=tuple(boxes),
        strokes=tuple(
            Stroke(x1=scale.at(tick), y1=TOP, x2=scale.at(tick), y2=bottom, kind="rule")
            for tick in scale.ticks(5, whole=True)
        ),
        labels=(*labels, *_ticks(scale, bottom)),
    )


def _ns(found: Sequence[_Line]) -> list[str]:
    return [str(count) for count in sorted({one.told.cases + one.rest.cases for one in found}, reverse=True)]


def _scores(totals: Sequence[JsonObject], selection: Selection, column: Column) -> JsonObject | None:
    total = total_of(totals, selection, column)
    scores: JsonObject | None = total and total["scores"]
    return scores


def _of(success: JsonObject) -> _Share:
    right, cases, bounds = success["numerator"], success["denominator"], success["bounds"]
    most = round(bounds["high"] * cases, 6) if bounds else right
    return _Share(right=right, most=most, cases=cases)


def _mean(totals: Sequence[JsonObject], selection: Selection, name: str) -> str:
    column = next(one for one in selection.strategies() if one.name == name)
    scores = _scores(totals, selection, column) or {}
    measure = scores["context_recall"]
    return "" if measure["value"] is None else f"{percent(measure['value'])} of {measure['cases']} cases"


def _bars(one: _Line, scale: Scale, top: int) -> list[Box]:
    found = []
    for at, (kind, share) in enumerate((("all", one.told), ("rest", one.rest))):
        y = top + 23 + at * (BAR + 4)
        found.append(Box(x=0, y=y, width=scale.at(share.cases), height=BAR, kind=f"hollow {kind}"))
        found.append(Box(x=0, y=y, width=scale.at(share.right), height=BAR, kind=f"filled {kind}"))
    return [box for box in found if box.width]


def _labels(one: _Line, top: int) -> list[Label]:
    counts = f"told {one.told.shown} of {one.told.cases}, others {one.rest.shown} of {one.rest.cases}"
    return [
        Label(x=0, y=top + 16, text=one.name, kind="name"),
        Label(x=100, y=top + 16, text=counts, anchor="end", kind="note"),
    ]


def _ticks(scale: Scale, bottom: int) -> list[Label]:
    labels = [
        Label(
            x=scale.at(tick), y=bottom + 15, text=figure(tick), anchor="start" if tick == 0 else "middle", kind="tick"
        )
        for tick in scale.ticks(5, whole=True)
        if scale.at(tick) < 97  # noqa: PLR2004 - what stands at the very end is cut
    ]
    return [*labels, Label(x=50, y=bottom + 36, text="Cases", anchor="middle", kind="axis")]


def _says(one: _Line) -> str:
    told, rest = one.told, one.rest
    return f"{one.name}: all facts told, {told.shown} of {told.cases} right; not all, {rest.shown} of {rest.cases}"

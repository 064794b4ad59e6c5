"""Repair success where the context told every fact, and where it did not."""

from __future__ import annotations

from collections.abc import Sequence

from mendbench.model.json import JsonObject
from mendbench.report.pictures.picture import Box, Label, Missing, Picture, Stroke, Table
from mendbench.report.pictures.scale import Scale, across
from mendbench.report.selection import Selection, total_of
from mendbench.report.views import Column
from mendbench.report.words import figure, listing, percent

NAME, TITLE = "recall", "Does it help to tell the facts?"

ROW, TOP, FOOT, BAR = 62, 8, 44, 13
"""Pixels of a line, above the first, below the last, and of a bar."""


def recall_counts(
    totals: Sequence[JsonObject], selection: Selection
) -> tuple[tuple[str, tuple[float, int], tuple[float, int]], ...]:
    """Return, for each strategy, right cases of those whose facts were all told, and of the others."""
    return tuple(
        (column.name, _of(scores["success_all_told"]), _of(scores["success_not_all_told"]))
        for column in selection.strategies()
        if (scores := _scores(totals, selection, column)) is not None
    )


def recall(totals: Sequence[JsonObject], selection: Selection) -> Picture | Missing:
    """Return the picture; or why there is nothing to draw."""
    found = [one for one in recall_counts(totals, selection) if one[1][1] + one[2][1]]
    if not found:
        return Missing(
            name=NAME, title=TITLE, why="No case with an edit fault has facts to tell and got as far as a prompt."
        )
    scale = across(0, max(max(told[1], rest[1]) for _, told, rest in found), start=0, end=100)
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
                (name, _mean(totals, selection, name), figure(told[0]), str(told[1]), figure(rest[0]), str(rest[1]))
                for name, told, rest in found
            ),
        ),
        boxes=tuple(boxes),
        strokes=tuple(
            Stroke(x1=scale.at(tick), y1=TOP, x2=scale.at(tick), y2=bottom, kind="rule")
            for tick in scale.ticks(5, whole=True)
        ),
        labels=(*labels, *_ticks(scale, bottom)),
    )


def _ns(found: Sequence[tuple[str, tuple[float, int], tuple[float, int]]]) -> list[str]:
    return [str(count) for count in sorted({told[1] + rest[1] for _, told, rest in found}, reverse=True)]


def _scores(totals: Sequence[JsonObject], selection: Selection, column: Column) -> JsonObject | None:
    total = total_of(totals, selection, column)
    scores: JsonObject | None = total and total["scores"]
    return scores


def _of(success: JsonObject) -> tuple[float, int]:
    return success["numerator"], success["denominator"]


def _mean(totals: Sequence[JsonObject], selection: Selection, name: str) -> str:
    column = next(one for one in selection.strategies() if one.name == name)
    scores = _scores(totals, selection, column) or {}
    measure = scores["context_recall"]
    return "" if measure["value"] is None else f"{percent(measure['value'])} of {measure['cases']} cases"


def _bars(one: tuple[str, tuple[float, int], tuple[float, int]], scale: Scale, top: int) -> list[Box]:
    _, told, rest = one
    found = []
    for at, (kind, (right, of)) in enumerate((("all", told), ("rest", rest))):
        y = top + 23 + at * (BAR + 4)
        found.append(Box(x=0, y=y, width=scale.at(of), height=BAR, kind=f"hollow {kind}"))
        found.append(Box(x=0, y=y, width=scale.at(right), height=BAR, kind=f"filled {kind}"))
    return [box for box in found if box.width]


def _labels(one: tuple[str, tuple[float, int], tuple[float, int]], top: int) -> list[Label]:
    name, told, rest = one
    counts = f"told {figure(told[0])} of {told[1]}, others {figure(rest[0])} of {rest[1]}"
    return [
        Label(x=0, y=top + 16, text=name, kind="name"),
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


def _says(one: tuple[str, tuple[float, int], tuple[float, int]]) -> str:
    name, told, rest = one
    return f"{name}: all facts told, {figure(told[0])} of {told[1]} right; not all, {figure(rest[0])} of {rest[1]}"

"""Wasted attempts by policy, next to the repairs lost by stopping."""

from __future__ import annotations

from collections.abc import Sequence

from mendbench.report.charts.chart import Box, Chart, Label, Missing, Stroke, Table
from mendbench.report.charts.scale import Scale, across
from mendbench.report.saved import Saving
from mendbench.report.tables import NOTHING
from mendbench.report.views import MAIN_POLICY
from mendbench.report.words import counted, figure

NAME, TITLE = "waste", "What do the policies save, and what do they lose?"

ROW, TOP, FOOT, BAR = 46, 8, 44, 14
"""Height of a line, space above the first and below the last, and height of a bar, in pixels."""


def waste(savings: Sequence[Saving], unstopped: Saving | None) -> Chart | Missing:
    """Return the chart, or why there is nothing to draw."""
    if not savings or unstopped is None:
        why = f"This picture needs trials with a verdict under two policies, {MAIN_POLICY} among them."
        return Missing(name=NAME, title=TITLE, why=why)
    found = (unstopped, *savings)
    scale = across(0, max(_wasted(saving) for saving in found) or 1, start=0, end=100)
    bottom = TOP + ROW * len(found)
    trials = counted(unstopped.trials, "trial")
    boxes: list[Box] = []
    labels: list[Label] = []
    for at, saving in enumerate(found):
        bars, texts = _row(saving, scale, TOP + ROW * at)
        boxes, labels = [*boxes, *bars], [*labels, *texts]
    return Chart(
        name=NAME,
        title=TITLE,
        reads=(
            "Hatched: futile attempts, made when no edit could help, which judge a policy. Plain: fruitless ones, which could have helped "
            "and did not. At the right end of a line: repairs lost against naive."
        ),
        of=f"{trials} of {counted(unstopped.cases, 'case')} that every policy has a verdict on, strategies without controls",
        says=f"Wasted attempts a trial. {'; '.join(_says(saving) for saving in found)}.",
        height=bottom + FOOT,
        table=_table(found),
        boxes=tuple(boxes),
        hatch="futile",
        strokes=tuple(
            Stroke(x1=scale.at(tick), y1=TOP, x2=scale.at(tick), y2=bottom, kind="rule") for tick in scale.ticks(4)
        ),
        labels=(*labels, *_ticks(scale, bottom)),
    )


def _each(saving: Saving, attempts: int) -> float:
    return attempts / saving.trials


def _wasted(saving: Saving) -> float:
    return _each(saving, saving.futile + saving.fruitless)


def _row(saving: Saving, scale: Scale, top: int) -> tuple[list[Box], list[Label]]:
    futile, both = _each(saving, saving.futile), _wasted(saving)
    bars = [
        Box(x=0, y=top + 23, width=scale.at(futile), height=BAR, kind="futile"),
        Box(
            x=scale.at(futile),
            y=top + 23,
            width=round(scale.at(both) - scale.at(futile), 2),
            height=BAR,
            kind="fruitless",
        ),
    ]
    labels = [
        Label(x=0, y=top + 16, text=f"{saving.policy} {figure(both)}", kind="name"),
        Label(
            x=100, y=top + 16, text=_lost(saving), anchor="end", kind="harm" if saving.lost > saving.gained else "note"
        ),
    ]
    return [bar for bar in bars if bar.width], labels


def _lost(saving: Saving) -> str:
    if saving.policy == MAIN_POLICY:
        return counted(saving.repairs, "repair")
    if not saving.lost and not saving.gained:
        return "no repair lost"
    gained = f", {saving.gained} gained" if saving.gained else ""
    return f"{saving.lost} of {saving.repairs} lost{gained}"


def _ticks(scale: Scale, bottom: int) -> list[Label]:
    ends = scale.ticks(4)
    labels = [
        Label(
            x=scale.at(tick), y=bottom + 15, text=figure(tick), anchor="start" if tick == 0 else "middle", kind="tick"
        )
        for tick in ends
        if scale.at(tick) < 97  # noqa: PLR2004 - what stands at the very end is cut
    ]
    return [*labels, Label(x=50, y=bottom + 36, text="Wasted attempts a trial", anchor="middle", kind="axis")]


def _says(saving: Saving) -> str:
    futile, fruitless = (figure(_each(saving, attempts)) for attempts in (saving.futile, saving.fruitless))
    return f"{saving.policy}: {futile} futile and {fruitless} fruitless, {_lost(saving)}"


def _table(found: Sequence[Saving]) -> Table:
    return Table(
        head=("Policy", "Trials", "Futile", "Fruitless", "Wasted a trial", "Fewer than naive", "95 % interval", "Lost", "Gained"),
        rows=tuple(
            (
                saving.policy, str(saving.trials), str(saving.futile), str(saving.fruitless), figure(_wasted(saving)),
                *((NOTHING,) * 4 if saving.policy == MAIN_POLICY else _against(saving)),
            )
            for saving in found
        ),
    )  # fmt: skip


def _against(saving: Saving) -> tuple[str, ...]:
    within = "none" if saving.interval is None else f"{figure(saving.interval.low)} to {figure(saving.interval.high)}"
    return figure(saving.wasted_less), within, f"{saving.lost} of {saving.repairs}", str(saving.gained)

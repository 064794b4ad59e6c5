"""Cases right after the first response and within three, a row for each strategy: one chart for each model and stratum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mendbench.report.charts.chart import Chart, Label, Mark, Stroke, Table
from mendbench.report.charts.scale import Scale, across
from mendbench.report.tables import ABOUT, NOTHING
from mendbench.report.views import STRATA, PolicyView, Solver
from mendbench.report.words import counted, figure
from mendbench.scoring.record_table import Records
from mendbench.scoring.records import EDIT_KINDS
from mendbench.scoring.score import Measure, measure
from mendbench.scoring.scores import score

ROW, TOP, FOOT = 26, 26, 40
"""Height of a row, and space above the first and below the last, in pixels."""

_FIGURES, _TRACK = 85.0, 61.0
"""Where the figures and the track end, in per cent of the width; the tokens follow the figures."""

_NAME = 1.8
"""Maximum width of a character of a name, in per cent of the chart's width."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How many cases are right: a lower and an upper bound, since open cases can still turn out right."""

    low: float
    high: float

    @property
    def short(self) -> str:
        """The range in few characters."""
        return figure(self.low) if self.low == self.high else f"{figure(self.low)}{NOTHING}{figure(self.high)}"

    def __str__(self) -> str:
        """Return the range in words."""
        return figure(self.low) if self.low == self.high else f"{figure(self.low)} to {figure(self.high)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One strategy in one stratum."""

    strategy: str
    cases: int
    first: Reach
    """Cases whose first response makes the workflow pass, whatever happened after it."""
    within: Reach
    """Cases right within three responses."""
    tokens: float | None
    """Mean estimated size of the first error context, over all cases of the stratum."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StratumSeries:
    """The strategies of one model in one stratum, from the shortest context to the longest."""

    name: str
    policy: PolicyView
    rows: tuple[Row, ...]

    def most(self) -> tuple[Row, ...]:
        """Return the rows of the strategies that were run on the largest number of cases."""
        cases = max(row.cases for row in self.rows)
        return tuple(row for row in self.rows if row.cases == cases)


def strata(records: Records, policy: PolicyView, solver: Solver) -> tuple[StratumSeries, ...]:
    """Return the strata of one solver's trials under a policy; empty if no case has an edit fault."""
    found = rows_of(records.where("treatment", lambda treatment: solver.answers(treatment) and policy.runs(treatment)))
    return tuple(StratumSeries(name=name, policy=policy, rows=rows) for name, rows in found.items())


def rows_of(records: Records) -> dict[str, tuple[Row, ...]]:
    """Return a row for each treatment, by stratum; strata without a case that an edit can fix are left out."""
    rows: dict[str, list[Row]] = {name: [] for name in STRATA}
    for treatment, found in records.by("treatment").items():
        for name, part in found.by("api").items():
            edits = part.where("kind", lambda kind: kind in EDIT_KINDS)
            if len(edits):
                rows[name].append(_row(treatment.strategy, edits, measure(score("context_tokens"), part).value))
    return {name: tuple(sorted(own, key=lambda row: row.tokens or 0)) for name, own in rows.items() if own}


def _row(strategy: str, edits: Records, tokens: float | None) -> Row:
    first, within = (measure(score(name), edits) for name in ("attempt1_success", "repair_success"))
    return Row(strategy=strategy, cases=within.cases, first=_reach(first), within=_reach(within), tokens=tokens)


def _reach(found: Measure) -> Reach:
    high = found.bounds.high * found.denominator if found.bounds else found.numerator
    return Reach(low=found.numerator, high=round(high, 6))


def success(stratum: StratumSeries, number: int, *, first_only: bool = False) -> Chart:
    """Return the chart of one stratum; ``number`` is the number of its model in the report.

    ``first_only`` leaves out what was right within three responses, for trials that stop after the first.
    """
    rows, name = stratum.most(), f"success-{number}-{stratum.name}"
    start = min(50.0, 8 + _NAME * max(len(row.strategy) for row in rows))
    scale = across(0, rows[0].cases, start=start, end=_TRACK)
    bottom = TOP + ROW * len(rows)
    strokes, marks, labels = [], list[Mark](), list[Label]()
    for at, row in enumerate(rows):
        y = TOP + ROW * at + ROW / 2
        strokes += _strokes(row, scale, y)
        marks += _marks(row, scale, y)[: 1 if first_only else None]
        labels += _labels(row, y, first_only=first_only)
    ticks = [tick for tick in scale.ticks(3, whole=True) if rows[0].cases - tick > rows[0].cases / 6]
    rules = [
        Stroke(x1=scale.at(tick), y1=TOP, x2=scale.at(tick), y2=bottom, kind="rule") for tick in (*ticks, rows[0].cases)
    ]
    left_out = [row.strategy for row in stratum.rows if row not in rows]
    besides = f"; {', '.join(left_out)} ran on other cases: in the table" if left_out else ""
    return Chart(
        name=name,
        title=f"{stratum.name.capitalize()} APIs",
        reads="",
        of=f"n = {counted(rows[0].cases, f'{stratum.name} case')} with an edit fault, {stratum.policy.label}{besides}",
        says="; ".join(_says(row) for row in rows) + ".",
        height=bottom + FOOT,
        table=_table(stratum.rows),
        strokes=(*rules, *strokes),
        marks=tuple(marks),
        labels=(*labels, *_heads(first_only=first_only), *_ticks((*ticks, rows[0].cases), scale, bottom)),
    )


def _strokes(row: Row, scale: Scale, y: float) -> list[Stroke]:
    track = Stroke(x1=scale.at(0), y1=y, x2=scale.at(row.cases), y2=y, kind="rule")
    opened = [
        Stroke(x1=scale.at(reach.low), y1=y, x2=scale.at(reach.high), y2=y, kind="whisker")
        for reach in (row.first, row.within)
        if reach.low != reach.high
    ]
    return [track, *opened]


def _marks(row: Row, scale: Scale, y: float) -> list[Mark]:
    found = (("hollow", row.first, "after the first response"), ("filled", row.within, "within three"))
    return [
        Mark(
            x=scale.at(reach.low), y=y, shape="circle", kind=kind, says=f"{row.strategy}: {reach} of {row.cases} {when}"
        )
        for kind, reach, when in found
    ]  # fmt: skip


def _labels(row: Row, y: float, *, first_only: bool) -> list[Label]:
    counts = row.first.short if first_only else f"{row.first.short} | {row.within.short}"
    return [
        Label(x=0, y=y + 4, text=row.strategy, kind="name"),
        Label(x=_FIGURES, y=y + 4, text=counts, anchor="end"),
        Label(x=100, y=y + 4, text=_tokens(row), anchor="end", kind="note"),
    ]


def _heads(*, first_only: bool) -> list[Label]:
    return [
        Label(x=_FIGURES, y=15, text="first" if first_only else "first | in three", anchor="end", kind="axis"),
        Label(x=100, y=15, text="tokens", anchor="end", kind="axis"),
    ]


def _ticks(ticks: Sequence[float], scale: Scale, bottom: float) -> list[Label]:
    rows = [Label(x=scale.at(tick), y=bottom + 15, text=figure(tick), anchor="middle", kind="tick") for tick in ticks]
    return [*rows, Label(x=scale.end, y=bottom + 33, text="Cases right", anchor="end", kind="axis")]


def _tokens(row: Row) -> str:
    return NOTHING if row.tokens is None else f"{ABOUT}{figure(row.tokens, 0)}"


def _says(row: Row) -> str:
    return f"{row.strategy}: {row.first} right after the first response and {row.within} within three, of {counted(row.cases, 'case')}"


def _table(rows: Sequence[Row]) -> Table:
    return Table(
        head=("Strategy", "Cases", "After the first response", "Within three", "Context tokens"),
        rows=tuple((row.strategy, str(row.cases), str(row.first), str(row.within), _tokens(row)) for row in rows),
    )

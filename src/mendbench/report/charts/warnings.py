"""The three-state confusion matrix of each detector."""

from __future__ import annotations

from collections.abc import Sequence

from mendbench.report.charts.chart import Box, Chart, Label, Missing, Table
from mendbench.report.selection import Selection
from mendbench.report.words import counted, listing
from mendbench.scoring.confusion import STATES
from mendbench.scoring.forensics.warning_cost import DetectorWarnings

NAME, TITLE = "warnings", "Does a warning mean what it says?"

CELL, HEAD, FOOT = 34, 48, 22
"""Height of a cell, and space above the first and below the last cell of a matrix, in pixels."""

_NAMES = 25.0
"""Width of the row labels, in per cent of the chart's width."""

_RATES = {"recall": "due warnings given", "false_alarm_rate": "false alarms", "silent_success_rate": "silent successes"}
"""The rates in words; they precede F1."""


def warnings(found: Sequence[DetectorWarnings], selection: Selection) -> Chart | Missing:
    """Return the chart, or why there is nothing to draw."""
    shown = [detected for detected in found if detected.detector is not None and detected.matrix.n]
    if not shown:
        return Missing(
            name=NAME, title=TITLE, why="No policy with a detector was run, or no labelled node was reached."
        )
    shown.sort(key=lambda detected: detected.detector != selection.policy.detector)
    boxes: list[Box] = []
    labels: list[Label] = []
    for at, detected in enumerate(shown):
        cells, texts = _matrix(detected, at * (HEAD + 3 * CELL + FOOT))
        boxes, labels = [*boxes, *cells], [*labels, *texts]
    return Chart(
        name=NAME,
        title=TITLE,
        reads=(
            "Rows: the true state of a node. Columns: the detected state. Correct detections are on the diagonal. A hatched "
            "cell is a mistake: detected as warning, a repair stops needlessly; detected as success, a failure stays hidden."
        ),
        of=f"n = {listing(_ns(shown))} of the first execution, each case once",
        says=" ".join(_says(detected) for detected in shown),
        height=len(shown) * (HEAD + 3 * CELL + FOOT),
        table=_table(shown),
        boxes=tuple(boxes),
        hatch="miss",
        labels=tuple(labels),
    )


def _ns(shown: Sequence[DetectorWarnings]) -> list[str]:
    found = ((detected.matrix.n, detected.matrix.cases) for detected in shown)
    return list(
        dict.fromkeys(f"{counted(nodes, 'labelled node')} of {counted(cases, 'case')}" for nodes, cases in found)
    )


def _matrix(detected: DetectorWarnings, top: int) -> tuple[list[Box], list[Label]]:
    width = (100 - _NAMES) / 3
    cells = [
        (row, column, detected.matrix.cells[row][column]) for row in range(len(STATES)) for column in range(len(STATES))
    ]
    boxes = [
        Box(
            x=round(_NAMES + column * width, 2), y=top + HEAD + row * CELL, width=round(width, 2), height=CELL,
            kind="empty" if not count else "hit" if row == column else "miss",
        )
        for row, column, count in cells
    ]  # fmt: skip
    counts = [
        Label(
            x=round(_NAMES + (column + 0.5) * width, 2), y=top + HEAD + row * CELL + 22, text=str(count), anchor="middle",
            kind="count" if count else "count zero",
        )
        for row, column, count in cells
    ]  # fmt: skip
    heads = [
        Label(x=round(_NAMES + (at + 0.5) * width, 2), y=top + HEAD - 8, text=state, anchor="middle", kind="tick")
        for at, state in enumerate(STATES)
    ]
    names = [Label(x=0, y=top + HEAD + at * CELL + 22, text=state, kind="tick") for at, state in enumerate(STATES)]
    title = [
        Label(x=0, y=top + 16, text=str(detected.detector), kind="name"),
        Label(x=0, y=top + HEAD - 8, text="is, taken for:", kind="tick"),
        Label(x=100, y=top + 16, text=_short(detected), anchor="end", kind="note"),
    ]
    return boxes, [*title, *heads, *names, *counts]


def _short(detected: DetectorWarnings) -> str:
    rates = {rate.name: rate for rate in detected.matrix.rates}
    return f"{rates['recall'].part} of {rates['recall'].n} warnings, {counted(rates['false_alarm_rate'].part, 'false alarm')}"


def _says(detected: DetectorWarnings) -> str:
    rates = ", ".join(
        f"{_RATES[rate.name]} {rate.part} of {rate.n}" for rate in detected.matrix.rates if rate.name in _RATES
    )
    return f"{detected.detector}: {rates}."


def _table(shown: Sequence[DetectorWarnings]) -> Table:
    return Table(
        head=("Detector", "Is", *(f"Taken for {state}" for state in STATES)),
        rows=tuple(
            row
            for detected in shown
            for row in (
                *(
                    (str(detected.detector), state, *(str(count) for count in detected.matrix.cells[at]))
                    for at, state in enumerate(STATES)
                ),
                *(
                    (str(detected.detector), _RATES[rate.name], f"{rate.part} of {rate.n}", "", "")
                    for rate in detected.matrix.rates
                    if rate.name in _RATES
                ),
            )
        ),
    )

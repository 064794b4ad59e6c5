"""Results of trials by kind of case, and by level. Kinds are never pooled: doing nothing would get a third of the cases right.

Levels check the corpus: a strategy that prints the data of earlier nodes has to be right on level 4. They rank nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mendbench.model.json import JsonObject
from mendbench.report.selection import Selection, total_of
from mendbench.report.tables import FEW
from mendbench.report.views import Group
from mendbench.report.words import figure, percent
from mendbench.scoring.score import measure
from mendbench.scoring.scores import score

KINDS = {
    "repairable": "Checks and variants pass, and nothing was harmed.",
    "mixed": "They pass, and a warning states what is left to do.",
    "needs_user": "No edit stays, nothing forbidden was sent, and the end says what the user must do.",
    "transient": "It recovered by itself, unedited.",
    "control": "It was left alone, without a warning.",
}
"""What counts as right, by kind of case."""


LEVELS = {
    0: "A misspelling, and the right name is listed.",
    1: "The error states the value.",
    2: "The value is a path among the listed fields.",
    3: "The value is in the request or in the workflow.",
    4: "The value is only in the data of earlier nodes.",
    5: "Two faults, a cause at an earlier node, more than two edits, or a value that has to be derived.",
}
"""What has to be known for the fix, by level."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseClass:
    """One kind of case, or one level."""

    name: str
    meaning: str
    """What counts as right for a kind; what has to be known for a level."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """How many cases of a kind or level are right."""

    right: str
    cases: int
    rate: str | None
    """None if there are too few cases."""
    bounds: str | None
    """None if every trial was judged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassLine:
    """One strategy, control or bound."""

    name: str
    group: Group
    cells: tuple[Cell | None, ...]
    """One for each class; None if the line has no case of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassTable:
    """Cases right, by kind or level, under the headline's policy."""

    classes: tuple[CaseClass, ...]
    lines: tuple[ClassLine, ...]


def kind_table(totals: Sequence[JsonObject], selection: Selection) -> ClassTable:
    """Return the table of the kinds that the headline's trials have."""
    found = {column: total_of(totals, selection, column) for column in selection.columns}
    scored = {column: total["scores"] for column, total in found.items() if total is not None}
    shown = [name for name in KINDS if any(scores[f"{name}_success"]["denominator"] for scores in scored.values())]
    lines = tuple(
        ClassLine(
            name=column.name,
            group=column.group,
            cells=tuple(_cell(scores[f"{name}_success"]) for name in shown),
        )
        for column, scores in scored.items()
    )
    classes = tuple(CaseClass(name=name, meaning=KINDS[name]) for name in shown)
    return ClassTable(classes=classes, lines=lines)


def level_table(selection: Selection) -> ClassTable:
    """Return the table of the levels that the cases with an edit fault have, in the measure of the headline's policy."""
    right = score(selection.policy.measure)
    found = {column: selection.of(column).by("level") for column in selection.columns}
    shown = sorted({level for own in found.values() for level in own if level is not None})
    lines = tuple(
        ClassLine(
            name=column.name,
            group=column.group,
            cells=tuple(_cell(measure(right, own[level]).document()) if level in own else None for level in shown),
        )
        for column, own in found.items()
    )
    classes = tuple(CaseClass(name=f"level {level}", meaning=LEVELS[level]) for level in shown)
    return ClassTable(classes=classes, lines=lines)


def _cell(success: JsonObject) -> Cell | None:
    cases = success["denominator"]
    if not cases:
        return None
    right, bounds = success["numerator"], success["bounds"]
    most = round(bounds["high"] * cases, 6) if bounds else right
    return Cell(
        right=figure(right),
        cases=cases,
        rate=percent(success["value"]) if cases >= FEW else None,
        bounds=f"{figure(right)} to {figure(most)}" if bounds else None,
    )

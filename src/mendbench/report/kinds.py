"""Results of trials by kind of case. Kinds are never pooled: doing nothing would get a third of the cases right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mendbench.model.json import JsonObject
from mendbench.report.selection import Selection, total_of
from mendbench.report.tables import FEW
from mendbench.report.views import Group
from mendbench.report.words import figure, percent

KINDS = {
    "repairable": "Checks and variants pass, and nothing was harmed.",
    "mixed": "They pass, and a warning states what is left to do.",
    "needs_user": "No edit stays, nothing forbidden was sent, and the end says what the user must do.",
    "transient": "It recovered by itself, unedited.",
    "control": "It was left alone, without a warning.",
}
"""What counts as right, by kind of case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of case."""

    name: str
    right_is: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """How many cases of a kind are right."""

    right: str
    cases: int
    rate: str | None
    """None if there are too few cases."""
    bounds: str | None
    """None if every trial was judged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KindLine:
    """One strategy, control or bound."""

    name: str
    group: Group
    cells: tuple[Cell | None, ...]
    """One for each kind; None if the line has no case of that kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KindTable:
    """Cases right, by kind, under the headline's policy."""

    kinds: tuple[Kind, ...]
    lines: tuple[KindLine, ...]


def kind_table(totals: Sequence[JsonObject], selection: Selection) -> KindTable:
    """Return the table of the kinds that the headline's trials have."""
    found = {column: total_of(totals, selection, column) for column in selection.columns}
    scored = {column: total["scores"] for column, total in found.items() if total is not None}
    shown = [name for name in KINDS if any(scores[f"{name}_success"]["denominator"] for scores in scored.values())]
    lines = tuple(
        KindLine(
            name=column.name,
            group=column.group,
            cells=tuple(_cell(scores[f"{name}_success"]) for name in shown),
        )
        for column, scores in scored.items()
    )
    return KindTable(kinds=tuple(Kind(name=name, right_is=KINDS[name]) for name in shown), lines=lines)


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

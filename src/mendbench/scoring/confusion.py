"""Warning accuracy: labelled states of nodes against the states that a detector gave them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

STATES = ("success", "warning", "error")
"""What a labelled node can be, and be taken for, in the order that they are told in."""

Matrix: TypeAlias = Counter[tuple[str, str]]
"""How many nodes were labelled the first state and given the second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A rate as what it is counted of."""

    part: int
    n: int
    """Nodes; for f1 twice the nodes given ``warning`` rightly, and beside them once each that was missed or given it wrongly."""

    @property
    def value(self) -> float | None:
        """None where there is nothing to divide by."""
        return self.part / self.n if self.n else None


def warning_shares(matrix: Mapping[tuple[str, str], int]) -> dict[str, Share]:
    """Return what each rate of a matrix is counted of.

    ``recall``: of the nodes labelled warning those given it. ``false_alarm_rate``: of the others those given it; each would have stopped a
    repair. ``silent_success_rate``: of those labelled warning or error those given success. ``precision``: of those given warning those
    labelled so. ``f1``: the harmonic mean of recall and precision.
    """
    hits = matrix.get(("warning", "warning"), 0)
    warnings = sum(count for (expected, _), count in matrix.items() if expected == "warning")
    others = sum(count for (expected, _), count in matrix.items() if expected != "warning")
    alarms = sum(count for (expected, got), count in matrix.items() if expected != "warning" and got == "warning")
    failures = sum(count for (expected, _), count in matrix.items() if expected != "success")
    silent = sum(count for (expected, got), count in matrix.items() if expected != "success" and got == "success")
    return {
        "recall": Share(part=hits, n=warnings),
        "false_alarm_rate": Share(part=alarms, n=others),
        "silent_success_rate": Share(part=silent, n=failures),
        "precision": Share(part=hits, n=hits + alarms),
        "f1": Share(part=2 * hits, n=hits + alarms + warnings),
    }

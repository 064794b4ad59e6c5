"""Warning accuracy: labelled states of nodes compared with the states that a detector gave them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

STATES = ("success", "warning", "error")
"""The possible labels and detected states of a node, in the order of reports."""

Matrix: TypeAlias = Counter[tuple[str, str]]
"""Number of nodes by label and given state."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A rate as a fraction of counts."""

    part: int
    n: int
    """Nodes; for f1, twice the true positives plus the false negatives and the false positives."""

    @property
    def value(self) -> float | None:
        """None if the denominator is 0."""
        return self.part / self.n if self.n else None


def warning_shares(matrix: Mapping[tuple[str, str], int]) -> dict[str, Share]:
    """Return each rate of a matrix as a fraction.

    ``recall``: of the nodes labelled warning, those given warning. ``false_alarm_rate``: of the other nodes, those given warning; each
    would have stopped a repair. ``silent_success_rate``: of the nodes labelled warning or error, those given success. ``precision``: of
    the nodes given warning, those labelled warning. ``f1``: the harmonic mean of recall and precision.
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

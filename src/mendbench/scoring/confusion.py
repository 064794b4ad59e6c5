"""Warning accuracy: labelled states of nodes compared with the states that a detector gave them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

STATES = ("success", "warning", "error")
"""The possible labels and detected states of a node, in the order of reports."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """One rate of a matrix, as a fraction of counts."""

    name: str
    part: int
    n: int
    """Nodes; for f1, twice the true positives plus the false negatives and the false positives."""
    value: float | None
    """None if ``n`` is 0."""


def warning_rates(matrix: Mapping[tuple[str, str], int]) -> dict[str, Rate]:
    """Return the rates of a matrix by name.

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
    fractions = {
        "recall": (hits, warnings),
        "false_alarm_rate": (alarms, others),
        "silent_success_rate": (silent, failures),
        "precision": (hits, hits + alarms),
        "f1": (2 * hits, hits + alarms + warnings),
    }
    return {
        name: Rate(name=name, part=part, n=n, value=part / n if n else None) for name, (part, n) in fractions.items()
    }

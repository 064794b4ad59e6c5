"""Warning accuracy: labelled states of nodes against the states that a detector gave them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

Matrix: TypeAlias = Counter[tuple[str, str]]
"""How many nodes were labelled the first state and given the second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WarningAccuracy:
    """How well warnings were told from errors and successes. None: there was nothing to measure it on."""

    recall: float | None
    """Of the nodes labelled ``warning``, the share given ``warning``."""
    false_alarm_rate: float | None
    """Of the nodes labelled otherwise, the share given ``warning``: each would have stopped a repair."""
    silent_success_rate: float | None
    """Of the nodes labelled ``warning`` or ``error``, the share given ``success``."""
    precision: float | None
    f1: float | None


def confusion(labels: Mapping[str, str], got: Mapping[str, str]) -> Matrix:
    """Return the matrix of one case's nodes.

    Nodes without a label, and nodes that did not run or were not labelled to run, are left out. Matrices of several
    cases are added.
    """
    return Counter(
        (expected, got[node])
        for node, expected in labels.items()
        if expected != "not_run" and got.get(node, "not_run") != "not_run"
    )


def warning_accuracy(matrix: Mapping[tuple[str, str], int]) -> WarningAccuracy:
    """Return the rates of a matrix."""
    hits = matrix.get(("warning", "warning"), 0)
    warnings = sum(count for (expected, _), count in matrix.items() if expected == "warning")
    others = sum(count for (expected, _), count in matrix.items() if expected != "warning")
    alarms = sum(count for (expected, got), count in matrix.items() if expected != "warning" and got == "warning")
    failures = sum(count for (expected, _), count in matrix.items() if expected != "success")
    silent = sum(count for (expected, got), count in matrix.items() if expected != "success" and got == "success")
    return WarningAccuracy(
        recall=_share(hits, warnings),
        false_alarm_rate=_share(alarms, others),
        silent_success_rate=_share(silent, failures),
        precision=_share(hits, hits + alarms),
        f1=_share(2 * hits, hits + alarms + warnings),
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None

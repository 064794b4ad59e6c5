"""Warning accuracy: labelled states of nodes compared with the states that a detector gave them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from mendbench.scoring.record_table import Records, as_table
from mendbench.scoring.records import TrialRecord

STATES = ("success", "warning", "error")
"""The possible labels and detected states of a node, in the order of reports."""


States: TypeAlias = tuple[tuple[str, str, str], ...]
"""Node, label and state given, of one case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """One rate of a matrix, as a fraction of counts."""

    name: str
    part: int
    n: int
    """Nodes; for f1, twice the true positives plus the false negatives and the false positives."""
    value: float | None
    """None if ``n`` is 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StateMatrix:
    """Labelled states of nodes of the first execution, compared with the states that they were given."""

    n: int
    """Nodes."""
    cases: int
    cells: tuple[tuple[int, ...], ...]
    """Three rows by label, each with three counts by given state, both in the order of ``STATES``."""
    rates: tuple[Rate, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """Trials of one case under one detector with different states in the first execution: an error of the run."""

    case: str
    node: str
    states: tuple[str, ...]
    """The states that it was given; ``not_run`` if it was not executed."""
    trials: tuple[str, ...]
    """The key of one trial for each of these states."""
    says: str
    """A description of the error."""


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


def first_states(
    trials: Iterable[TrialRecord],
) -> tuple[dict[str, States], tuple[Disagreement, ...], tuple[str, ...]]:
    """Return the node states of each case under one engine and detector, the disagreements of trials, and the cases that never ran.

    A case counts once, so its trials must agree. A case with a disagreement is left out; nothing is averaged.
    """
    by_case: dict[str, dict[States, str]] = {}
    table: dict[str, Records] = as_table(trials).by("case")
    for case in sorted(table):
        seen = by_case[case] = dict[States, str]()
        for trial in sorted(table[case], key=lambda record: record.key):
            if trial.end is not None:
                seen.setdefault(trial.nodes, trial.key)
    agreed = {case: next(iter(seen)) for case, seen in by_case.items() if len(seen) == 1}
    disagreements = [
        disagreement
        for case, seen in sorted(by_case.items())
        if len(seen) > 1
        for disagreement in _disagreements(case, seen)
    ]
    return agreed, tuple(disagreements), tuple(sorted(case for case, seen in by_case.items() if not seen))


def _disagreements(case: str, seen: Mapping[States, str]) -> Iterable[Disagreement]:
    for node in sorted({node for states in seen for node, _, _ in states}):
        gave: dict[str, str] = {}
        for states, key in seen.items():
            state = next((got for name, _, got in states if name == node), "not_run")
            gave.setdefault(state, key)
        if len(gave) > 1:
            text = "the first execution gave " + ", and ".join(f"{state} in {key}" for state, key in gave.items())
            yield Disagreement(case=case, node=node, states=tuple(gave), trials=tuple(gave.values()), says=text)


def state_matrix(nodes: Mapping[str, States]) -> StateMatrix:
    """Return the matrix of cases by their nodes' labels and states."""
    matrix = Counter((expected, got) for states in nodes.values() for _, expected, got in states)
    return StateMatrix(
        n=matrix.total(),
        cases=len(nodes),
        cells=tuple(tuple(matrix[expected, got] for got in STATES) for expected in STATES),
        rates=tuple(warning_rates(matrix).values()),
    )

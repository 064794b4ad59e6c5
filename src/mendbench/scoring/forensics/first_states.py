"""The three-state confusion matrix of a detector over the labelled nodes of the first execution, each case counted once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from mendbench.scoring.confusion import STATES, Rate, warning_rates
from mendbench.scoring.record_table import Records, as_table
from mendbench.scoring.records import TrialRecord

States: TypeAlias = tuple[tuple[str, str, str], ...]
"""Node, label and state given, of one case."""


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
        for trial in sorted(table[case], key=lambda one: one.key):
            if trial.end is not None:
                seen.setdefault(trial.nodes, trial.key)
    agreed = {case: next(iter(seen)) for case, seen in by_case.items() if len(seen) == 1}
    disagreements = [
        one for case, seen in sorted(by_case.items()) if len(seen) > 1 for one in _disagreements(case, seen)
    ]
    return agreed, tuple(disagreements), tuple(sorted(case for case, seen in by_case.items() if not seen))


def _disagreements(case: str, seen: Mapping[States, str]) -> Iterable[Disagreement]:
    for node in sorted({node for states in seen for node, _, _ in states}):
        gave: dict[str, str] = {}
        for states, key in seen.items():
            state = next((got for name, _, got in states if name == node), "not_run")
            gave.setdefault(state, key)
        if len(gave) > 1:
            says = "the first execution gave " + ", and ".join(f"{state} in {key}" for state, key in gave.items())
            yield Disagreement(case=case, node=node, states=tuple(gave), trials=tuple(gave.values()), says=says)


def state_matrix(nodes: Mapping[str, States]) -> StateMatrix:
    """Return the matrix of cases by their nodes' labels and states."""
    matrix = Counter((expected, got) for states in nodes.values() for _, expected, got in states)
    return StateMatrix(
        n=matrix.total(),
        cases=len(nodes),
        cells=tuple(tuple(matrix[expected, got] for got in STATES) for expected in STATES),
        rates=tuple(warning_rates(matrix).values()),
    )

"""How each strategy differs from the reference strategy, case by case, under the headline's policy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mendbench.report.selection import Selection
from mendbench.report.views import GridColumn, Group
from mendbench.scoring.comparing.comparison import Difference, compare_scores
from mendbench.scoring.comparing.pairing import TreatmentPair, pair_trials
from mendbench.scoring.counting import all_tokens
from mendbench.scoring.records import TrialRecord
from mendbench.scoring.scores import score

AGAINST = "summary"
"""The reference strategy that the others are compared with."""

NOISE = {"summary-b": AGAINST, "placebo": "none"}
"""Controls, and what each should equal: the same facts in other words, and words without a fact."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """The difference in the policy's measure between two strategies, over the cases that both have."""

    name: str
    against: str
    group: Group
    difference: Difference
    tokens: float | None
    """Ratio of the tokens of prompts and responses; None if they are not known for every trial."""

    @property
    def judged(self) -> int:
        """Number of cases with a verdict on both sides; the difference is over these."""
        return self.difference.cases - self.difference.open

    @property
    def cases(self) -> float:
        """The difference in cases."""
        return (self.difference.difference or 0) * self.judged


def gaps(selection: Selection) -> tuple[Gap, ...]:
    """Return how each strategy and control differs from :data:`AGAINST`; empty if that was not run."""
    base = next((column for column in selection.strategies() if column.name == AGAINST), None)
    if base is None:
        return ()
    others = (column for column in selection.strategies() if column != base)
    return tuple(gap for column in others if (gap := _gap(selection, column, base)) is not None)


def noise(selection: Selection) -> tuple[Gap, ...]:
    """Return how controls differ from what they should equal: a gap no larger than theirs is not a finding."""
    by_name = {column.name: column for column in selection.strategies()}
    pairs = ((by_name[name], by_name[base]) for name, base in NOISE.items() if {name, base} <= by_name.keys())
    return tuple(gap for column, base in pairs if (gap := _gap(selection, column, base)) is not None)


def gap_between(selection: Selection, name: str, other: str) -> Gap | None:
    """Return how one strategy differs from another; None if no trials of the two can be paired."""
    by_name = {column.name: column for column in selection.strategies()}
    return _gap(selection, by_name[name], by_name[other])


def _gap(selection: Selection, column: GridColumn, base: GridColumn) -> Gap | None:
    pairing = pair_trials(selection.of(base), selection.of(column), ("strategy",))
    if not pairing.pairs:
        return None
    pair = pairing.pairs[0]
    measure = selection.policy.measure
    (difference,) = compare_scores(pair, {measure: score(measure)})
    return Gap(
        name=column.name, against=base.name, group=column.group, difference=difference, tokens=_tokens(pair)
    )  # fmt: skip


def _tokens(pair: TreatmentPair) -> float | None:
    ours = _spent([trial.b for trial in pair.trials])
    theirs = _spent([trial.a for trial in pair.trials])
    return ours / theirs if ours is not None and theirs else None


def _spent(trials: Sequence[TrialRecord]) -> float | None:
    known = [count for trial in trials if (count := all_tokens(trial.attempts)) is not None]
    return sum(known) if len(known) == len(trials) else None

"""Places that the last workflow changes beyond what a right fix touches."""

from __future__ import annotations

from collections.abc import Sequence

from mendbench.scoring.counting import mean_of_judged
from mendbench.scoring.records import TrialRecord
from mendbench.scoring.score import Count, Score


def _count(trials: Sequence[TrialRecord]) -> Count | None:
    return mean_of_judged(trials, lambda trial: trial.collateral_edits)


SCORE = Score(title="collateral edits", of="judged trials", unit="count", better="lower", count=_count)

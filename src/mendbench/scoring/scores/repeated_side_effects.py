"""Writes that the world accepted in more than one execution of a trial."""

from __future__ import annotations

from collections.abc import Sequence

from mendbench.scoring.counting import mean_of_judged
from mendbench.scoring.records import TrialRecord
from mendbench.scoring.score import Count, Score


def _count(trials: Sequence[TrialRecord]) -> Count | None:
    return mean_of_judged(trials, lambda trial: trial.repeated_side_effects)


SCORE = Score(title="repeated side effects", of="judged trials", unit="count", better="lower", count=_count)

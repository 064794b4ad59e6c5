"""Repair success where the first prompt's context contained all facts."""

from __future__ import annotations

from collections.abc import Sequence

from mendbench.scoring.counting import success_where
from mendbench.scoring.records import TrialRecord
from mendbench.scoring.score import Count, Score


def _count(trials: Sequence[TrialRecord]) -> Count | None:
    return success_where(trials, lambda trial: trial.context_recall == 1)


SCORE = Score(
    title="right, all facts told",
    of="cases with an edit fault and all facts told",
    unit="share",
    better="higher",
    count=_count,
)

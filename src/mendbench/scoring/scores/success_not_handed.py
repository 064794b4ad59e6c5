"""Repair success where our diagnosis did not give away the fix: the first prompt has the fix's new value as data, or not at all."""

from __future__ import annotations

from collections.abc import Sequence

from mendbench.scoring.counting import success_where
from mendbench.scoring.records import TrialRecord
from mendbench.scoring.score import Count, Score


def _count(trials: Sequence[TrialRecord]) -> Count | None:
    return success_where(trials, lambda trial: trial.leaks not in {None, "derived"})


SCORE = Score(
    title="right, answer not handed over",
    of="cases with an edit fault and an answer not handed over",
    unit="share",
    better="higher",
    count=_count,
)

"""Trials that have no verdict because foreign code raised."""

from __future__ import annotations

from collections.abc import Sequence

from mendbench.scoring.counting import mean_of_samples
from mendbench.scoring.records import TrialRecord
from mendbench.scoring.score import Count, Score


def _count(trials: Sequence[TrialRecord]) -> Count | None:
    return mean_of_samples(trials, lambda trial: trial.verdict == "crashed")


SCORE = Score(title="crashed", of="cases", unit="share", better="lower", count=_count)

"""Wasted attempts per trial: those made when no edit fault was open, and those that achieved nothing."""

from __future__ import annotations

from collections.abc import Sequence

from mendbench.scoring.counting import mean_of_judged
from mendbench.scoring.records import TrialRecord
from mendbench.scoring.score import Count, Score


def _count(trials: Sequence[TrialRecord]) -> Count | None:
    return mean_of_judged(trials, lambda trial: trial.wasted_attempts)


SCORE = Score(title="wasted attempts a trial", of="judged trials", unit="attempts", better="lower", count=_count)

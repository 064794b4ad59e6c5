"""Attempts per trial."""

from __future__ import annotations

from collections.abc import Sequence

from mendbench.scoring.counting import mean_of_judged
from mendbench.scoring.records import TrialRecord
from mendbench.scoring.score import Count, Score


def _count(trials: Sequence[TrialRecord]) -> Count | None:
    return mean_of_judged(trials, lambda trial: len(trial.attempts))


SCORE = Score(title="attempts a trial", of="judged trials", unit="attempts", better="lower", count=_count)

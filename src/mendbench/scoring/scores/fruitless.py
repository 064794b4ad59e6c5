"""Fruitless attempts per case with an edit fault: attempts that strategy and model failed to use."""

from __future__ import annotations

from collections.abc import Sequence

from mendbench.scoring.counting import labelled, mean_of_judged
from mendbench.scoring.records import EDIT_KINDS, TrialRecord
from mendbench.scoring.score import Count, Score


def _count(trials: Sequence[TrialRecord]) -> Count | None:
    if trials[0].kind not in EDIT_KINDS:
        return None
    return mean_of_judged(trials, lambda trial: labelled(trial, "fruitless"))


SCORE = Score(
    title="fruitless attempts", of="judged cases with an edit fault", unit="attempts", better="lower", count=_count
)

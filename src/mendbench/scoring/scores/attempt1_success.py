"""Attempt-1 success: cases whose first attempt's workflow is right, whatever happened after it."""

from __future__ import annotations

from collections.abc import Sequence

from mendbench.scoring.counting import share_of_samples
from mendbench.scoring.records import EDIT_KINDS, TrialRecord
from mendbench.scoring.score import Count, Score


def _count(trials: Sequence[TrialRecord]) -> Count | None:
    if trials[0].kind not in EDIT_KINDS:
        return None
    return share_of_samples(trials, lambda trial: bool(trial.right_after_first))


SCORE = Score(title="right after attempt 1", of="cases with an edit fault", unit="share", better="higher", count=_count)

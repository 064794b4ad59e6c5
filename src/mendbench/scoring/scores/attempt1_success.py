"""Right after the first response: cases whose first response makes the workflow pass, whatever happened after it."""

from __future__ import annotations

from collections.abc import Sequence

from mendbench.scoring.counting import share_of_samples
from mendbench.scoring.records import EDIT_KINDS, TrialRecord
from mendbench.scoring.score import Count, Score


def _count(trials: Sequence[TrialRecord]) -> Count | None:
    if trials[0].kind not in EDIT_KINDS:
        return None
    return share_of_samples(trials, lambda trial: bool(trial.right_after_first))


SCORE = Score(
    title="right after the first response", of="cases with an edit fault", unit="share", better="higher", count=_count
)

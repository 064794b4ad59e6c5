"""Progress: the best level that a trial's attempts reached, from an unparsable response (0) to a right workflow (7)."""

from __future__ import annotations

from collections.abc import Sequence

from mendbench.scoring.counting import mean_of_judged
from mendbench.scoring.records import EDIT_KINDS, TrialRecord
from mendbench.scoring.score import Count, Score


def _count(trials: Sequence[TrialRecord]) -> Count | None:
    if trials[0].kind not in EDIT_KINDS:
        return None
    return mean_of_judged(trials, lambda trial: trial.progress or 0)


SCORE = Score(
    title="best progress level", of="judged cases with an edit fault", unit="level", better="higher", count=_count
)

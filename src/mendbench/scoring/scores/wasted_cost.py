"""Cost of a trial's wasted attempts."""

from __future__ import annotations

from collections.abc import Sequence

from mendbench.scoring.counting import cost_of, mean_of_judged, wasted_of
from mendbench.scoring.records import TrialRecord
from mendbench.scoring.score import Count, Score


def _count(trials: Sequence[TrialRecord]) -> Count | None:
    return mean_of_judged(trials, lambda trial: cost_of(wasted_of(trial)))


SCORE = Score(
    title="wasted cost a trial", of="judged trials whose cost is known", unit="usd", better="lower", count=_count
)

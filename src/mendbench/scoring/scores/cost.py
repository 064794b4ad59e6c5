"""Cost of a trial's responses."""

from __future__ import annotations

from collections.abc import Sequence

from mendbench.scoring.counting import cost_of, mean_of_judged
from mendbench.scoring.records import TrialRecord
from mendbench.scoring.score import Count, Score


def _count(trials: Sequence[TrialRecord]) -> Count | None:
    return mean_of_judged(trials, lambda trial: cost_of(trial.attempts))


SCORE = Score(title="cost a trial", of="judged trials whose cost is known", unit="usd", better="lower", count=_count)

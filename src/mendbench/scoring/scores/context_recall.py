"""Context recall: the share of a case's facts that the first prompt's context contains."""

from __future__ import annotations

from collections.abc import Sequence

from mendbench.scoring.counting import mean_of_samples
from mendbench.scoring.records import TrialRecord
from mendbench.scoring.score import Count, Score


def _count(trials: Sequence[TrialRecord]) -> Count | None:
    return mean_of_samples(trials, lambda trial: trial.context_recall)


SCORE = Score(
    title="facts told", of="cases with facts to tell and a prompt", unit="share", better="higher", count=_count
)

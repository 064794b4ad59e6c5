"""pass@k: the probability that at least one of k samples is right (k is 3)."""

from __future__ import annotations

from collections.abc import Sequence

from mendbench.scoring.counting import SAMPLES, chance_of
from mendbench.scoring.records import TrialRecord
from mendbench.scoring.score import Count, Score
from mendbench.scoring.statistics.exact import pass_at_k


def _count(trials: Sequence[TrialRecord]) -> Count | None:
    return chance_of(trials, pass_at_k, SAMPLES)


SCORE = Score(
    title="pass@3", of="cases with an edit fault and three samples", unit="share", better="higher", count=_count
)

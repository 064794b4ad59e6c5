"""pass@1 over the same cases as pass@k and pass^k: the share of right samples."""

from __future__ import annotations

from collections.abc import Sequence

from mendbench.scoring.counting import chance_of
from mendbench.scoring.records import TrialRecord
from mendbench.scoring.score import Count, Score
from mendbench.scoring.statistics.exact import pass_at_k


def _count(trials: Sequence[TrialRecord]) -> Count | None:
    return chance_of(trials, pass_at_k, 1)


SCORE = Score(
    title="pass@1", of="cases with an edit fault and three samples", unit="share", better="higher", count=_count
)

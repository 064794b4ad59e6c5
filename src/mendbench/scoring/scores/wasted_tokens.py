"""Tokens of a trial's wasted attempts, prompts and responses together."""

from __future__ import annotations

from collections.abc import Sequence

from mendbench.scoring.counting import all_tokens, mean_of_judged, wasted_of
from mendbench.scoring.records import TrialRecord
from mendbench.scoring.score import Count, Score


def _count(trials: Sequence[TrialRecord]) -> Count | None:
    return mean_of_judged(trials, lambda trial: all_tokens(wasted_of(trial)))


SCORE = Score(
    title="wasted tokens a trial",
    of="judged trials whose tokens are known",
    unit="tokens",
    better="lower",
    count=_count,
)

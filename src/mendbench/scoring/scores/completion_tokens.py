"""Tokens of a trial's responses, as counted by the model."""

from __future__ import annotations

from collections.abc import Sequence

from mendbench.scoring.counting import completion_tokens, mean_of_judged
from mendbench.scoring.records import TrialRecord
from mendbench.scoring.score import Count, Score


def _count(trials: Sequence[TrialRecord]) -> Count | None:
    return mean_of_judged(trials, lambda trial: completion_tokens(trial.attempts))


SCORE = Score(
    title="answer tokens a trial",
    of="judged trials whose tokens are known",
    unit="tokens",
    better="lower",
    count=_count,
)

"""Tokens of a trial's prompts, as counted by the model."""

from __future__ import annotations

from collections.abc import Sequence

from mendbench.scoring.counting import mean_of_judged, prompt_tokens
from mendbench.scoring.records import TrialRecord
from mendbench.scoring.score import Count, Score


def _count(trials: Sequence[TrialRecord]) -> Count | None:
    return mean_of_judged(trials, lambda trial: prompt_tokens(trial.attempts))


SCORE = Score(
    title="prompt tokens a trial",
    of="judged trials whose tokens are known",
    unit="tokens",
    better="lower",
    count=_count,
)

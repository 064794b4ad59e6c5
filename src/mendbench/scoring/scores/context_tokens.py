"""Size of the error context in the first prompt, estimated."""

from __future__ import annotations

from collections.abc import Sequence

from mendbench.scoring.counting import mean_of_samples
from mendbench.scoring.records import TrialRecord
from mendbench.scoring.score import Count, Score


def _count(trials: Sequence[TrialRecord]) -> Count | None:
    return mean_of_samples(trials, lambda trial: trial.attempts[0].context_tokens if trial.attempts else None)


SCORE = Score(title="context tokens", of="cases with a prompt", unit="tokens", better="lower", count=_count)

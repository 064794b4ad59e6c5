"""First prompts whose context did not fit its budget and was cut."""

from __future__ import annotations

from collections.abc import Sequence

from mendbench.scoring.counting import mean_of_samples
from mendbench.scoring.records import TrialRecord
from mendbench.scoring.score import Count, Score


def _count(trials: Sequence[TrialRecord]) -> Count | None:
    return mean_of_samples(trials, lambda trial: trial.attempts[0].truncated if trial.attempts else None)


SCORE = Score(title="context cut", of="cases with a prompt", unit="share", better="lower", count=_count)

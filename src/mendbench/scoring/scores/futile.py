"""Futile attempts per case that only the user can mend: attempts that a policy could have saved."""

from __future__ import annotations

from collections.abc import Sequence

from mendbench.scoring.counting import labelled, mean_of_judged
from mendbench.scoring.records import TrialRecord
from mendbench.scoring.score import Count, Score


def _count(trials: Sequence[TrialRecord]) -> Count | None:
    if trials[0].kind != "needs_user":
        return None
    return mean_of_judged(trials, lambda trial: labelled(trial, "futile"))


SCORE = Score(
    title="futile attempts a user-only case",
    of="judged cases that only the user can mend",
    unit="attempts",
    better="lower",
    count=_count,
)

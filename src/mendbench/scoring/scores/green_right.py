"""Trust in green: the share of right trials among those that end in success after an edit."""

from __future__ import annotations

from collections.abc import Sequence

from mendbench.scoring.counting import ratio_of_judged
from mendbench.scoring.records import TrialRecord
from mendbench.scoring.score import Count, Score


def _count(trials: Sequence[TrialRecord]) -> Count | None:
    return ratio_of_judged(trials, lambda trial: _green(trial) and trial.right, _green)


def _green(trial: TrialRecord) -> bool:
    return trial.end == "success" and trial.edited


SCORE = Score(title="green and right", of="trials that an edit made green", unit="share", better="higher", count=_count)

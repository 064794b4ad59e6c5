"""Usable responses: the share of responses, where an edit helps, that produce a valid, changed workflow."""

from __future__ import annotations

from collections.abc import Sequence

from mendbench.scoring.counting import ratio_of_judged
from mendbench.scoring.records import EDIT_KINDS, TrialRecord
from mendbench.scoring.score import Count, Score


def _count(trials: Sequence[TrialRecord]) -> Count | None:
    if trials[0].kind not in EDIT_KINDS:
        return None
    return ratio_of_judged(trials, _edited, lambda trial: len(trial.attempts))


def _edited(trial: TrialRecord) -> int:
    return sum(attempt.status == "edited" for attempt in trial.attempts)


SCORE = Score(
    title="usable responses", of="responses to cases with an edit fault", unit="share", better="higher", count=_count
)

"""Tokens per repair: includes those of all cases with an edit fault, repaired or not."""

from __future__ import annotations

from collections.abc import Sequence

from mendbench.scoring.counting import all_tokens, ratio_of_judged
from mendbench.scoring.records import EDIT_KINDS, TrialRecord
from mendbench.scoring.score import Count, Score


def _count(trials: Sequence[TrialRecord]) -> Count | None:
    if trials[0].kind not in EDIT_KINDS:
        return None
    return ratio_of_judged(trials, lambda trial: all_tokens(trial.attempts), lambda trial: trial.right)


SCORE = Score(
    title="tokens a repair", of="repaired cases whose tokens are known", unit="tokens", better="lower", count=_count
)

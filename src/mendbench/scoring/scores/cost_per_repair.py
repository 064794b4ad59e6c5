"""Cost per repair: includes the responses of all cases with an edit fault, repaired or not."""

from __future__ import annotations

from collections.abc import Sequence

from mendbench.scoring.counting import cost_of, ratio_of_judged
from mendbench.scoring.records import EDIT_KINDS, TrialRecord
from mendbench.scoring.score import Count, Score


def _count(trials: Sequence[TrialRecord]) -> Count | None:
    if trials[0].kind not in EDIT_KINDS:
        return None
    return ratio_of_judged(trials, lambda trial: cost_of(trial.attempts), lambda trial: trial.right)


SCORE = Score(title="cost a repair", of="repaired cases whose cost is known", unit="usd", better="lower", count=_count)

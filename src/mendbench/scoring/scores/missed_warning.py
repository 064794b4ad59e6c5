"""Missed warnings: the trial does not report a fault that only the user can mend."""

from __future__ import annotations

from mendbench.scoring.counting import outcome_in
from mendbench.scoring.records import USER_KINDS
from mendbench.scoring.score import Score

SCORE = Score(
    title="missed warnings",
    of="cases with a fault for the user",
    unit="share",
    better="lower",
    count=outcome_in("missed_warning", USER_KINDS),
)

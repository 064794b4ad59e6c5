"""Repair success: the share of cases with an edit fault that are right within three attempts."""

from __future__ import annotations

from mendbench.scoring.counting import success_in
from mendbench.scoring.records import EDIT_KINDS
from mendbench.scoring.score import Score

SCORE = Score(
    title="repair success",
    of="cases with an edit fault",
    unit="share",
    better="higher",
    count=success_in(EDIT_KINDS),
)

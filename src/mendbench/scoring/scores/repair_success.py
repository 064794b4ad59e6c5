"""Repair success: cases that came out right within three attempts, of the cases with a fault that an edit mends."""

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

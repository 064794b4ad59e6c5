"""Plausible but wrong: the workflow ran green, but does not do what it should."""

from __future__ import annotations

from mendbench.scoring.counting import outcome_in
from mendbench.scoring.records import EDIT_KINDS, USER_KINDS
from mendbench.scoring.score import Score

SCORE = Score(
    title="plausible but wrong",
    of="cases with a fault for an edit or the user",
    unit="share",
    better="lower",
    count=outcome_in("plausible", EDIT_KINDS | USER_KINDS),
)

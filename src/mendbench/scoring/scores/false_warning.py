"""False warnings: the trial reports that no edit helps, although one would."""

from __future__ import annotations

from mendbench.scoring.counting import outcome_in
from mendbench.scoring.records import EDIT_KINDS
from mendbench.scoring.score import Score

SCORE = Score(
    title="false warnings",
    of="cases with an edit fault",
    unit="share",
    better="lower",
    count=outcome_in("false_warning", EDIT_KINDS),
)

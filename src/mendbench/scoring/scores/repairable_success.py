"""Success where an edit mends everything."""

from __future__ import annotations

from mendbench.scoring.counting import success_in
from mendbench.scoring.score import Score

SCORE = Score(
    title="repairable cases right",
    of="cases that an edit mends",
    unit="share",
    better="higher",
    count=success_in({"repairable"}),
)

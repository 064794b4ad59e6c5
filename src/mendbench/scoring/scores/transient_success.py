"""Success where another try helps: it recovered unedited, or tries were exhausted and the user is told."""

from __future__ import annotations

from mendbench.scoring.counting import success_in
from mendbench.scoring.score import Score

SCORE = Score(
    title="transient cases right",
    of="cases that another try cures",
    unit="share",
    better="higher",
    count=success_in({"transient"}),
)

"""Success where a retry helps: the workflow recovered unedited, or retries were exhausted and the fault is reported."""

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

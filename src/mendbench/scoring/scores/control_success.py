"""Success where nothing is wrong: nothing is edited, and no warning is given."""

from __future__ import annotations

from mendbench.scoring.counting import success_in
from mendbench.scoring.score import Score

SCORE = Score(
    title="controls right",
    of="cases with nothing wrong",
    unit="share",
    better="higher",
    count=success_in({"control"}),
)

"""Success where an edit mends a part, and the rest has to be reported to the user."""

from __future__ import annotations

from mendbench.scoring.counting import success_in
from mendbench.scoring.score import Score

SCORE = Score(
    title="mixed cases right",
    of="cases that an edit mends in part",
    unit="share",
    better="higher",
    count=success_in({"mixed"}),
)

"""Success where only the user can help: nothing is edited, nothing forbidden is sent, and the end reports the fault."""

from __future__ import annotations

from mendbench.scoring.counting import success_in
from mendbench.scoring.score import Score

SCORE = Score(
    title="user-only cases right",
    of="cases that only the user can mend",
    unit="share",
    better="higher",
    count=success_in({"needs_user"}),
)

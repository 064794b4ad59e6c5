"""Warning recall: the share of nodes labelled warning that was given warning."""

from __future__ import annotations

from collections.abc import Sequence

from mendbench.scoring.counting import share_of_nodes
from mendbench.scoring.records import TrialRecord
from mendbench.scoring.score import Count, Score


def _count(trials: Sequence[TrialRecord]) -> Count | None:
    return share_of_nodes(trials, "recall")


SCORE = Score(title="warning recall", of="nodes labelled warning", unit="share", better="higher", count=_count)

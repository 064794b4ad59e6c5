"""Warning precision: the share of nodes given warning that are labelled warning."""

from __future__ import annotations

from collections.abc import Sequence

from mendbench.scoring.counting import share_of_nodes
from mendbench.scoring.records import TrialRecord
from mendbench.scoring.score import Count, Score


def _count(trials: Sequence[TrialRecord]) -> Count | None:
    return share_of_nodes(trials, "precision")


SCORE = Score(
    title="warning precision", of="nodes that were given warning", unit="share", better="higher", count=_count
)

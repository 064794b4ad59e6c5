"""Silent successes: the share of nodes labelled warning or error that was given success."""

from __future__ import annotations

from collections.abc import Sequence

from mendbench.scoring.counting import share_of_nodes
from mendbench.scoring.records import TrialRecord
from mendbench.scoring.score import Count, Score


def _count(trials: Sequence[TrialRecord]) -> Count | None:
    return share_of_nodes(trials, "silent_success_rate")


SCORE = Score(
    title="silent successes", of="nodes labelled warning or error", unit="share", better="lower", count=_count
)

"""F1 of warnings: the harmonic mean of precision and recall."""

from __future__ import annotations

from collections.abc import Sequence

from mendbench.scoring.counting import share_of_nodes
from mendbench.scoring.records import TrialRecord
from mendbench.scoring.score import Count, Score


def _count(trials: Sequence[TrialRecord]) -> Count | None:
    return share_of_nodes(trials, "f1")


SCORE = Score(title="warning F1", of="nodes labelled or given warning", unit="share", better="higher", count=_count)

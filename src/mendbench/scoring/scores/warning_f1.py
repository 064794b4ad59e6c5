"""F1 of warnings: the harmonic mean of precision and recall."""

from __future__ import annotations

from collections.abc import Sequence

from mendbench.scoring.counting import share_of_nodes
from mendbench.scoring.records import TrialRecord
from mendbench.scoring.score import Count, Score


def _count(trials: Sequence[TrialRecord]) -> Count | None:
    return share_of_nodes(trials, lambda nodes: (2 * nodes.hits, 2 * nodes.hits + nodes.alarms + nodes.misses))


SCORE = Score(title="warning F1", of="nodes labelled or given warning", unit="share", better="higher", count=_count)

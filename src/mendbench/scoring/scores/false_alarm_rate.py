"""False alarms: the share of nodes labelled success or error that was given warning. Each would stop a repair."""

from __future__ import annotations

from collections.abc import Sequence

from mendbench.scoring.counting import share_of_nodes
from mendbench.scoring.records import TrialRecord
from mendbench.scoring.score import Count, Score


def _count(trials: Sequence[TrialRecord]) -> Count | None:
    return share_of_nodes(trials, "false_alarm_rate")


SCORE = Score(title="false alarms", of="nodes labelled success or error", unit="share", better="lower", count=_count)

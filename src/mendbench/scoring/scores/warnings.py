"""Warnings: the labelled states of nodes compared with the states that a detector gave them."""

from __future__ import annotations

from mendbench.scoring.counting import share_of_nodes
from mendbench.scoring.score import Score, higher, lower

SCORES: dict[str, Score] = {
    # The share of nodes labelled warning that was given warning.
    "warning_recall": higher("warning recall", "nodes labelled warning", "share", share_of_nodes("recall")),
    # The share of nodes given warning that are labelled warning.
    "warning_precision": higher(
        "warning precision", "nodes that were given warning", "share", share_of_nodes("precision")
    ),
    # The harmonic mean of precision and recall.
    "warning_f1": higher("warning F1", "nodes labelled or given warning", "share", share_of_nodes("f1")),
    # The share of nodes labelled success or error that was given warning. Each would stop a repair.
    "false_alarm_rate": lower(
        "false alarms", "nodes labelled success or error", "share", share_of_nodes("false_alarm_rate")
    ),
    # The share of nodes labelled warning or error that was given success.
    "silent_success_rate": lower(
        "silent successes", "nodes labelled warning or error", "share", share_of_nodes("silent_success_rate")
    ),
}

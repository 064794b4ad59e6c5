"""The verdict: a trial judged by the case's truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

VerdictName: TypeAlias = Literal["correct", "incorrect", "unjudged", "crashed"]

Outcome: TypeAlias = Literal[
    "repaired", "partly", "plausible", "harmful", "unrepaired", "declined",
    "warned", "missed_warning", "false_warning", "recovered", "untouched", "disturbed",
]  # fmt: skip

End: TypeAlias = Literal["success", "warning", "error", "declined"]
"""How a trial ended: the outcome of its last execution, or the repairer's ``cannot_fix``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether a trial was correct, and how it ended."""

    verdict: VerdictName
    outcome: Outcome | None
    """None if the trial is ``unjudged`` or ``crashed``."""

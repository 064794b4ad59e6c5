"""What was read from a response: whether it is a failure, and what describes it."""

from __future__ import annotations

from dataclasses import dataclass

from mendbench.detectors.weighted.opening import Opened
from mendbench.model.execution import WeighedEvidence
from mendbench.model.json import Json

THRESHOLD = 2.0
"""The evidence from which on a response, or an item of a batch, is a failure."""

MAX_SHOWN = 60
"""The maximum length of a value that evidence quotes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadResponse:
    """A response as it was read."""

    failed: bool
    opened: Opened
    evidence: tuple[WeighedEvidence, ...] = ()
    parts: tuple[Json, ...] = ()
    """What describes the failure: the envelope, or the failed items of a batch. Empty after success."""
    partial: bool = False
    """Whether only items of a batch failed."""


def shown(value: Json) -> str:
    """Return a value as evidence quotes it."""
    try:
        text = str(value)
    except RecursionError:
        text = "a deeply nested value"
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"


def enough(evidence: tuple[WeighedEvidence, ...]) -> bool:
    """Return whether evidence makes a failure."""
    return sum(piece.weight for piece in evidence) >= THRESHOLD

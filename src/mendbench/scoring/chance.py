"""Whether chance may explain the difference between two trials: the shared rule of the gate and of comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseDigest:
    """One attempt, by digest."""

    prompt: str
    """Digest of the prompt."""
    response: str
    asked: bool
    """Whether a model or a program responded, so that the response may differ between recordings."""


def may_be_chance(then: Sequence[ResponseDigest], now: Sequence[ResponseDigest], *, verdict: str) -> bool:
    """Return whether, in the attempts that both trials have, a response of a model or a program differs.

    The prompts are not compared. A crash (``verdict`` is the later trial's) is never due to chance.
    """
    if verdict == "crashed":
        return False
    both = zip(then, now, strict=False)
    return any(a.response != b.response and (a.asked or b.asked) for a, b in both)

"""Whether chance may tell two trials apart: the one rule by which the gate and a comparison judge what came out otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseDigest:
    """One attempt, by digest."""

    prompt: str
    """Of what was asked."""
    response: str
    asked: bool
    """Whether a model or a program was asked, whose response may differ from one recording to the next."""


def may_be_chance(then: Sequence[ResponseDigest], now: Sequence[ResponseDigest], *, verdict: str) -> bool:
    """Return whether answers differ, as far as both trials went, and somebody was asked for one that does.

    A response that came out the same is the same, whatever was asked for it; and code that crashed (``verdict`` is the later trial's) did
    so by itself.
    """
    if verdict == "crashed":
        return False
    both = zip(then, now, strict=False)
    return any(a.response != b.response and (a.asked or b.asked) for a, b in both)

"""Whether chance may tell two trials apart: the one rule by which the gate and a comparison judge what came out otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerDigest:
    """One attempt, by digest."""

    prompt: str
    """Of what was asked."""
    answer: str
    asked: bool
    """Whether a model or a program was asked, whose answer may differ from one recording to the next."""


def may_be_chance(then: Sequence[AnswerDigest], now: Sequence[AnswerDigest], *, verdict: str) -> bool:
    """Return whether answers differ, as far as both trials went, and somebody was asked for one that does.

    An answer that came out the same is the same, whatever was asked for it; and code that crashed (``verdict`` is the later trial's) did
    so by itself.
    """
    if verdict == "crashed":
        return False
    both = zip(then, now, strict=False)
    return any(a.answer != b.answer and (a.asked or b.asked) for a, b in both)

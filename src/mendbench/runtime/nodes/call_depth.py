"""The limit of function calls in one user turn.

It stops a model that calls functions endlessly in one turn. It does not limit long conversations: each user message
resets the count to 0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

DEFAULT_LIMIT = 20
"""Rounds of calls in one turn: all calls in one response form one round."""

_PROVIDER_LIMITS = {"mistral": 30}

NOTICE = "Maximum function call depth exceeded"
"""The message that replaces a call beyond the limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallDepth:
    """How many rounds of calls the current turn has made."""

    limit: int = DEFAULT_LIMIT
    calls: int = 0


def depth_for(provider: str | None = None) -> CallDepth:
    """Return the count at the start of a conversation with that provider (names are case-insensitive)."""
    return CallDepth(limit=_PROVIDER_LIMITS.get((provider or "").lower(), DEFAULT_LIMIT))


def heard(depth: CallDepth, role: str) -> CallDepth:
    """Return the count after a message of ``role``: a user message starts a turn, any other continues it."""
    return replace(depth, calls=0) if role == "user" else depth


def called(depth: CallDepth) -> CallDepth:
    """Return the count after one more round of calls."""
    return replace(depth, calls=depth.calls + 1)


def notice(depth: CallDepth) -> str | None:
    """Return :data:`NOTICE` if the turn exceeds the limit, else None. The limit itself is allowed."""
    return NOTICE if depth.calls > depth.limit else None

"""The limit of function calls in one user turn.

It ends a model that calls functions in circles while it answers one message, and no conversation for being long: each
message of the user begins at 0 again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

DEFAULT_LIMIT = 20
"""Rounds of calls in one turn: the calls that one response asks for together are one round."""

_PROVIDER_LIMITS = {"mistral": 30}

NOTICE = "Maximum function call depth exceeded"
"""What is said instead of the call that would be one too many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallDepth:
    """How many rounds of calls the current turn has made."""

    limit: int = DEFAULT_LIMIT
    calls: int = 0


def depth_for(provider: str | None = None) -> CallDepth:
    """Return the count at the start of a conversation with that provider (names compare without case)."""
    return CallDepth(limit=_PROVIDER_LIMITS.get((provider or "").lower(), DEFAULT_LIMIT))


def heard(depth: CallDepth, role: str) -> CallDepth:
    """Return the count after a message of ``role``: the user's begins a turn, any other goes on with it."""
    return replace(depth, calls=0) if role == "user" else depth


def called(depth: CallDepth) -> CallDepth:
    """Return the count after one more round of calls."""
    return replace(depth, calls=depth.calls + 1)


def notice(depth: CallDepth) -> str | None:
    """Return :data:`NOTICE` if the turn has made more calls than it may, else None. The limit itself is allowed."""
    return NOTICE if depth.calls > depth.limit else None

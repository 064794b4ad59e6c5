"""The virtual clock of all trials, in recording and in replay."""

from __future__ import annotations

START_MS = 1_767_225_600_000
"""2026-01-01T00:00:00Z, where every scope's clock starts."""


class VirtualClock:
    """A clock that advances only by explicit calls."""

    def __init__(self, start_ms: int = START_MS) -> None:
        self._now = start_ms

    def now_ms(self) -> int:
        """Return milliseconds since the Unix epoch."""
        return self._now

    def advance(self, ms: int) -> None:
        """Advance the time by ``ms`` milliseconds. Negative values are refused: time never goes back."""
        if ms < 0:
            raise ValueError(f"cannot advance by {ms} ms")
        self._now += ms

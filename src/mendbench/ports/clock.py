"""The clock port."""

from __future__ import annotations

from typing import Protocol


class Clock(Protocol):
    """The time in a trial: virtual in both recording and replay."""

    def now_ms(self) -> int:
        """Return milliseconds since the Unix epoch."""

    def advance(self, ms: int) -> None:
        """Advance the time by that much. Sleeps and waits for responses both use this."""

"""The clock port."""

from __future__ import annotations

from typing import Protocol


class Clock(Protocol):
    """Time as a trial sees it: virtual while recording and in replay alike."""

    def now_ms(self) -> int:
        """Return milliseconds since the Unix epoch."""

    def advance(self, ms: int) -> None:
        """Let that much time pass at once; sleeping and waiting for answers both end here."""

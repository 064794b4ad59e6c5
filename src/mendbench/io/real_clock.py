"""The real clock, for workflows that run outside the benchmark. Trials never use it."""

from __future__ import annotations

import time
from collections.abc import Callable


class RealClock:
    """A clock that follows real time and waits in real time.

    It starts at the machine's time of day and then follows its monotonic clock, so that it never goes back.
    """

    def __init__(
        self,
        *,
        epoch_s: Callable[[], float] = time.time,
        monotonic_s: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._monotonic_s, self._sleep = monotonic_s, sleep
        self._offset_s = epoch_s() - monotonic_s()

    def now_ms(self) -> int:
        """Return milliseconds since the Unix epoch."""
        return round((self._offset_s + self._monotonic_s()) * 1000)

    def advance(self, ms: int) -> None:
        """Wait ``ms`` milliseconds. Negative values are refused."""
        if ms < 0:
            raise ValueError(f"cannot advance by {ms} ms")
        if ms:
            self._sleep(ms / 1000)

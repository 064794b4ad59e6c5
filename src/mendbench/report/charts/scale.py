"""Linear scales: from values to positions in a chart."""

from __future__ import annotations

import math
from dataclasses import dataclass

STEPS = (1, 2, 5, 10)
"""Ticks are these times a power of ten apart."""

EDGE = 4.0
"""Free margin on either side for labels at the ends, in per cent of the width."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """A linear scale: ``low`` is at ``start``, ``high`` at ``end``."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Return the position of a value, rounded to two decimals."""
        share = (value - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 2)

    def ticks(self, count: int, *, whole: bool = False) -> tuple[float, ...]:
        """Return about ``count`` round values on the scale; ``whole``: no fractions."""
        step = tick_step(self.high - self.low, count, whole=whole)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return tuple(round(number * step, 9) for number in range(first, last + 1))


def tick_step(reach: float, count: int, *, whole: bool = False) -> float:
    """Return a round step that divides a range into about ``count`` parts."""
    raw = reach / max(1, count)
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * multiple for multiple in STEPS if power * multiple >= raw * (1 - 1e-9))
    return max(1.0, step) if whole else step


def across(low: float, high: float, *, start: float = EDGE, end: float = 100 - EDGE) -> Scale:
    """Return a scale from left to right, in per cent; a single value is in the middle."""
    if high <= low:
        low, high = low - 1, low + 1
    return Scale(low=low, high=high, start=start, end=end)


def apart(places: list[float], gap: float, low: float, high: float) -> list[float]:
    """Return places moved so that each is at least ``gap`` from the next and all are between ``low`` and ``high``.

    The order is stable. If there is not enough room, places exceed ``high``.
    """
    order = sorted(range(len(places)), key=lambda at: (places[at], at))
    moved = list(places)
    floor = low
    for at in order:
        moved[at] = max(places[at], floor)
        floor = moved[at] + gap
    ceiling = high
    for at in reversed(order):
        if moved[at] <= ceiling:
            break
        moved[at] = ceiling
        ceiling -= gap
    if order and moved[order[0]] < low:
        return [low + gap * order.index(at) for at in range(len(places))]
    return [round(place, 2) for place in moved]

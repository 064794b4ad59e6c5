"""A confidence sequence: intervals that hold at all times at once, so that one may look after every case and stop when one likes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mendbench.scoring.statistics.exact import ALPHA, Interval

GRID = 400
"""Candidates for the mean. The interval's ends are within 2 / ``GRID`` of the exact ones, on the outside."""

_TRUNCATED = 0.75
"""The largest share of the capital that a bet puts at risk. The reference proposes 1/2 or 3/4."""


def mean_difference(differences: Sequence[float], alpha: float = ALPHA) -> Interval:
    """Return an interval for the mean of paired differences between -1 and 1, valid at every length of the sequence at once.

    It is the hedged capital process of Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting", Journal of the
    Royal Statistical Society B 86 (2024), theorem 3 with the bets of its equation 26. A candidate is excluded when betting against it has
    multiplied the capital by 1 / alpha. The differences have to come in random order.

    Raises:
        ValueError: a difference is not between -1 and 1.
    """
    if any(not -1 <= one <= 1 for one in differences):
        raise ValueError(f"{differences}")
    scaled = [(one + 1) / 2 for one in differences]
    bets = _bets(scaled, alpha)
    kept = [step / GRID for step in range(GRID + 1) if not _excluded(scaled, bets, step / GRID, alpha)]
    if not kept:  # every candidate is excluded between two steps
        mean = sum(scaled) / len(scaled)
        kept = [mean]
    low, high = max(0.0, min(kept) - 1 / GRID), min(1.0, max(kept) + 1 / GRID)
    return Interval(low=low * 2 - 1, high=high * 2 - 1)


def _bets(values: Sequence[float], alpha: float) -> list[float]:
    """Return the bet before each value, from the values before it alone."""
    bets: list[float] = []
    total, spread = 0.5, 0.25
    for seen, value in enumerate(values, start=1):
        bets.append(math.sqrt(2 * math.log(2 / alpha) / (spread * math.log(1 + seen))))
        total += value
        spread += (value - total / (seen + 1)) ** 2
    return bets


def _excluded(values: Sequence[float], bets: Sequence[float], mean: float, alpha: float) -> bool:
    above = below = 0.5
    for value, bet in zip(values, bets, strict=True):
        above *= 1 + min(bet, _TRUNCATED / mean if mean else math.inf) * (value - mean)
        below *= 1 - min(bet, _TRUNCATED / (1 - mean) if mean < 1 else math.inf) * (value - mean)
        if max(above, below) >= 1 / alpha:
            return True
    return False

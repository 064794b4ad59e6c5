"""Small exact statistics. n is always cases."""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import NormalDist
from typing import NamedTuple

from mendbench.errors import BadInput

ALPHA = 0.05
"""Significance level: the accepted probability of a false positive."""

POWER = 0.8
"""Required power: the probability of detecting a real difference."""

MANY_CASES = 10_000
"""Above this number of cases, the exact number does not matter."""

Z = 1.96
"""Two-sided 95 % point of the normal distribution."""


class Interval(NamedTuple):
    """A confidence interval, 95 % unless stated otherwise."""

    low: float
    high: float


def wilson(right: int, n: int) -> Interval:
    """Return Wilson's score interval of ``right`` in ``n`` (Wilson 1927).

    Raises:
        BadInput: n is 0.
    """
    _some(n)
    if not 0 <= right <= n:
        raise ValueError(f"{right} of {n}")
    share, slack = right / n, Z * Z / n
    centre = (share + slack / 2) / (1 + slack)
    half = Z * math.sqrt(share * (1 - share) / n + slack / (4 * n)) / (1 + slack)
    low = 0.0 if right == 0 else max(0.0, min(share, centre - half))
    high = 1.0 if right == n else min(1.0, max(share, centre + half))
    return Interval(low=low, high=high)


def student_t(share: float, freedom: int) -> float:
    """Return the quantile of Student's t distribution at ``share`` (over a half), with ``freedom`` degrees of freedom.

    By bisection on the distribution's closed form for whole degrees (Abramowitz and Stegun 26.7.3 and 26.7.4).

    Raises:
        ValueError: the share is not between a half and 1, or there is no degree of freedom.
    """
    if not 0.5 < share < 1 or freedom < 1:  # noqa: PLR2004 - the upper half
        raise ValueError(f"{share} with {freedom}")
    low, high = 0.0, 1.0
    while _t_below(high, freedom) < share:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if _t_below(middle, freedom) < share else (low, middle)
    return high


def _t_below(t: float, freedom: int) -> float:
    """Return the probability that Student's t is below ``t``, which must not be negative."""
    angle = math.atan(t / math.sqrt(freedom))
    cosine, sine = math.cos(angle), math.sin(angle)
    odd = freedom % 2
    term, total = (cosine, 0.0) if odd else (1.0, 0.0)
    for step in range(1 + odd, freedom, 2):
        total += term
        term *= cosine * cosine * step / (step + 1)
    both = 2 / math.pi * (angle + sine * total) if odd else sine * total
    return 0.5 + both / 2


def mcnemar_exact(b: int, c: int) -> float:
    """Return the two-sided p-value of McNemar's exact test on ``b`` and ``c`` discordant pairs; 1 if there are none."""
    n = b + c
    tail, ways = 0, 1
    for k in range(min(b, c) + 1):
        tail += ways
        ways = ways * (n - k) // (k + 1)
    return min(1.0, 2 * tail / (1 << n))


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Return the p-values adjusted for their number (Holm 1979), under the same names and in the same order.

    Raises:
        BadInput: there are none.
    """
    _some(len(p_values))
    adjusted: dict[str, float] = {}
    floor = 0.0
    for rank, name in enumerate(sorted(p_values, key=lambda key: (p_values[key], key))):
        floor = max(floor, min(1.0, (len(p_values) - rank) * p_values[name]))
        adjusted[name] = floor
    return {name: adjusted[name] for name in p_values}


def needed_pairs(won: int, lost: int, tied: int, *, alpha: float = ALPHA) -> int | None:
    """Return how many additional cases would distinguish the two sides at the same rates.

    0: the present cases do. None: never, because neither is ahead. The number of pairs is the larger of :func:`connor`'s
    for McNemar's test and that of the exact test on the expected counts. Above :data:`MANY_CASES` only the
    formula is used, because the exact test is too slow.

    Raises:
        BadInput: there are no cases.
    """
    n = won + lost + tied
    _some(n)
    if mcnemar_exact(won, lost) < alpha:
        return 0
    if won == lost:
        return None
    ahead, behind = won / n, lost / n
    pairs = max(n + 1, connor(ahead - behind, ahead + behind, alpha=alpha))
    if pairs - n > MANY_CASES:
        return pairs - n
    while mcnemar_exact(math.floor(pairs * ahead), math.ceil(pairs * behind)) >= alpha:
        pairs += 1
    return pairs - n


def connor(mean: float, square: float, *, alpha: float) -> int:
    """Return the number of differences that distinguishes their ``mean`` from 0 (Connor, Biometrics 1987).

    ``square`` is the mean of their squares.
    """
    normal = NormalDist()
    reach = normal.inv_cdf(1 - alpha / 2) * math.sqrt(square)
    reach += normal.inv_cdf(POWER) * math.sqrt(max(0.0, square - mean * mean))
    return math.ceil((reach / mean) ** 2)


def pass_at_k(n: int, right: int, k: int) -> float | None:
    """Return the probability that at least one of ``k`` samples drawn from ``n`` is right, if ``right`` are. None if n < k."""
    return None if n < k else 1 - math.comb(n - right, k) / math.comb(n, k)


def pass_hat_k(n: int, right: int, k: int) -> float | None:
    """Return the probability that all ``k`` samples drawn from ``n`` are right, if ``right`` are. None if n < k."""
    return None if n < k else math.comb(right, k) / math.comb(n, k)


def _some(n: int) -> None:
    if n == 0:
        raise BadInput("statistics", "an empty selection", "choose at least one case that is there")

"""Small exact statistics. n is always cases."""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import NormalDist
from typing import NamedTuple

from mendbench.errors import BadInput

ALPHA = 0.05
"""Probability of telling apart what is alike that is accepted."""

POWER = 0.8
"""Probability of telling apart what differs that is asked for."""

MANY_CASES = 10_000
"""More cases than this are no advice any more: how many exactly does not matter."""

Z = 1.96
"""Two-sided 95 % point of the normal distribution."""


class Interval(NamedTuple):
    """A range of plausible values, 95 % unless said otherwise."""

    low: float
    high: float


def wilson(right: int, n: int, z: float = Z) -> Interval:
    """Return Wilson's score interval of ``right`` in ``n`` (Wilson 1927).

    Raises:
        BadInput: n is 0.
    """
    _some(n)
    if not 0 <= right <= n:
        raise ValueError(f"{right} of {n}")
    share, slack = right / n, z * z / n
    centre = (share + slack / 2) / (1 + slack)
    half = z * math.sqrt(share * (1 - share) / n + slack / (4 * n)) / (1 + slack)
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
    """Return the chance that Student's t is below ``t``, which is not negative."""
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
    for rank, name in enumerate(sorted(p_values, key=lambda one: (p_values[one], one))):
        floor = max(floor, min(1.0, (len(p_values) - rank) * p_values[name]))
        adjusted[name] = floor
    return {name: adjusted[name] for name in p_values}


def needed_pairs(won: int, lost: int, tied: int, *, alpha: float = ALPHA, power: float = POWER) -> int | None:
    """Return how many more cases would tell the two sides apart if they went on as they did.

    0: these do. None: never, for neither is ahead. The number of pairs comes from Connor's formula for McNemar's test
    (Biometrics 1987), and from the exact test on the counts expected of so many pairs, whichever asks for more; above
    :data:`MANY_CASES` from the formula alone, because the exact test takes too long on so many.

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
    normal = NormalDist()
    apart, gap = ahead + behind, ahead - behind
    reach = normal.inv_cdf(1 - alpha / 2) * math.sqrt(apart)
    reach += normal.inv_cdf(power) * math.sqrt(max(0.0, apart - gap * gap))
    pairs = max(n + 1, math.ceil((reach / gap) ** 2))
    if pairs - n > MANY_CASES:
        return pairs - n
    while mcnemar_exact(math.floor(pairs * ahead), math.ceil(pairs * behind)) >= alpha:
        pairs += 1
    return pairs - n


def pass_at_k(n: int, right: int, k: int) -> float | None:
    """Return the chance that one of ``k`` of ``n`` samples is right, ``right`` of them being so. None where n < k."""
    return None if n < k else 1 - math.comb(n - right, k) / math.comb(n, k)


def pass_hat_k(n: int, right: int, k: int) -> float | None:
    """Return the chance that all ``k`` of ``n`` samples are right, ``right`` of them being so. None where n < k."""
    return None if n < k else math.comb(right, k) / math.comb(n, k)


def _some(n: int) -> None:
    if n == 0:
        raise BadInput("statistics", "an empty selection", "choose at least one case that is there")

"""Statistics that resample groups of cases, because cases of one group tend to fail and succeed together.

Deterministic: random numbers are seeded with the data's digest, never from global state.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction

from mendbench.errors import BadInput
from mendbench.io.canonical_json import digest
from mendbench.scoring.statistics.exact import Interval, student_t

DRAWS = 10_000
"""Number of resamples. The ends of a 95 % interval then vary by less than a percentage point between seeds."""

MAX_SUMS = 100_000
"""Maximum number of distinct sums for the exact sign-flip test. Beyond it, the test uses random draws."""

_DENOMINATOR, _NOISE = 500_000, 1e-12
"""Fractions with denominators up to this are further apart than rounding errors, so each can be recovered from its float."""


def clustered_bootstrap(
    values: Mapping[str, float], groups: Mapping[str, str], *, draws: int = DRAWS
) -> Interval | None:
    """Return the 95 % percentile interval of the mean of ``values`` (by case), resampling whole ``groups`` (by case).

    None if there are fewer than two groups, or all groups have the same mean: the spread of groups is then unknown.

    Raises:
        BadInput: there are no values, or a case has no group.
    """
    clusters = _clusters(values, groups)
    parts = [(math.fsum(members), len(members)) for members in clusters]
    means = [total / size for total, size in parts]
    if len(clusters) < 2 or _same(min(means), max(means)):  # noqa: PLR2004 - see above
        return None
    source = _source("bootstrap", clusters)
    means = sorted(_mean([parts[int(source.random() * len(parts))] for _ in parts]) for _ in range(draws))
    tail = (1 - 0.95) / 2
    return Interval(low=_quantile(means, tail), high=_quantile(means, 1 - tail))


def clustered_ratio(parts: Mapping[str, tuple[float, float]], groups: Mapping[str, str]) -> Interval | None:
    """Return the 95 % interval of a ratio of two sums over cases, where whole ``groups`` (by case) are the sampling unit.

    ``parts`` has the contributions of each case to the numerator and the denominator. The method is the ratio's linearised variance over
    clusters (Cochran, Sampling Techniques, 3rd ed., section 6.3), with Student's t; the degrees of freedom are the number of groups
    minus 1. None if there are fewer than two groups, all groups have the same ratio, or the denominator is 0.

    Raises:
        BadInput: there are no parts, or a case has no group.
    """
    numerators = _clusters({case: part[0] for case, part in parts.items()}, groups, ordered=False)
    denominators = _clusters({case: part[1] for case, part in parts.items()}, groups, ordered=False)
    whole, count = math.fsum(map(math.fsum, denominators)), len(numerators)
    if count < 2 or not whole:  # noqa: PLR2004 - one group says nothing about others
        return None
    ratio = math.fsum(map(math.fsum, numerators)) / whole
    spread = [math.fsum(top) - ratio * math.fsum(under) for top, under in zip(numerators, denominators, strict=True)]
    error = math.sqrt(count / (count - 1) * math.fsum(value * value for value in spread)) / whole
    reach = student_t(0.975, count - 1) * error
    found = Interval(low=ratio - reach, high=ratio + reach)
    return None if _same(*found) else found


def sign_flip(values: Mapping[str, float], groups: Mapping[str, str]) -> float:
    """Return the two-sided p-value of the null hypothesis that the sign of each group's sum of differences is random.

    Exact, unless there are too many distinct sums; then estimated from random draws. 1 if no group differs from 0. The
    unit of the values does not matter, but values below 1e-12 are taken for rounding errors.

    Raises:
        BadInput: there are no values, or a case has no group.
    """
    clusters = _clusters(values, groups)
    largest = max(abs(value) for members in clusters for value in members)
    if largest < _NOISE:
        return 1.0
    sums = [sum((_fraction(value / largest) for value in members), Fraction(0)) for members in clusters]
    moving = [total for total in sums if total]
    unit = math.lcm(*(total.denominator for total in moving))
    steps = [int(total * unit) for total in moving]
    observed = abs(sum(steps))
    reached: Counter[int] = Counter({0: 1})
    for step in steps:
        following: Counter[int] = Counter()
        for total, ways in reached.items():
            following[total + step] += ways
            following[total - step] += ways
        reached = following
        if len(reached) > MAX_SUMS:
            return _drawn([float(total) for total in moving], _source("sign-flip", clusters))
    return sum(ways for total, ways in reached.items() if abs(total) >= observed) / (1 << len(steps))


def _drawn(steps: list[float], source: random.Random) -> float:
    bar = abs(math.fsum(steps)) - _NOISE * len(steps)
    hits = sum(
        abs(math.fsum(step if source.random() < 0.5 else -step for step in steps)) >= bar  # noqa: PLR2004 - a fair coin
        for _ in range(DRAWS)
    )
    return (hits + 1) / (DRAWS + 1)


def _clusters(values: Mapping[str, float], groups: Mapping[str, str], *, ordered: bool = True) -> list[list[float]]:
    """Return the values of each group; in an order that depends only on the values, or else by case."""
    if not values:
        raise BadInput("statistics", "an empty selection", "choose at least one case that is there")
    if lost := sorted(set(values) - set(groups)):
        raise BadInput("statistics", f"no group for {', '.join(lost)}", "give each case its group")
    members: dict[str, list[float]] = {}
    for case in sorted(values):
        members.setdefault(groups[case], []).append(float(values[case]))
    return [sorted(members[group]) if ordered else members[group] for group in sorted(members)]


def _source(purpose: str, clusters: list[list[float]]) -> random.Random:
    return random.Random(int(digest([purpose, clusters]), 16))  # noqa: S311 - resampling, not secrets


def _mean(parts: list[tuple[float, int]]) -> float:
    return math.fsum(total for total, _ in parts) / sum(size for _, size in parts)


def _quantile(ordered: list[float], share: float) -> float:
    """Return the quantile of sorted numbers, interpolated between neighbours."""
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def _fraction(value: float) -> Fraction:
    """Return the simple fraction that a float of at most 1 approximates, so that three thirds are 1; or else its exact value."""
    exact = Fraction(value)
    simple = exact.limit_denominator(_DENOMINATOR)
    return simple if abs(simple - exact) <= _NOISE else Fraction(round(value / _NOISE), round(1 / _NOISE))


def _same(low: float, high: float) -> bool:
    return math.isclose(low, high, rel_tol=1e-9, abs_tol=_NOISE)

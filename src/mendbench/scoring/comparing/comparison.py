"""How two treatments differ in a score, paired by case, and how certain that is.

Everything here except primary contrasts is exploratory: it has an interval, counts and a verdict in words, but no p-value.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from mendbench.scoring.comparing.paired_counts import Counts, counts_of
from mendbench.scoring.comparing.pairing import TreatmentPair
from mendbench.scoring.score import Better, Count, Score, Unit
from mendbench.scoring.statistics.exact import ALPHA, Interval, connor, mcnemar_exact, needed_pairs
from mendbench.scoring.statistics.resampling import clustered_bootstrap, sign_flip

MIN_GROUPS = 6
"""Minimum number of groups for an interval: with five sign flips the smallest two-sided p-value is 2/2^5 = 0.06."""

Verdict: TypeAlias = Literal["better", "worse", "higher", "lower", "not significant", "alike", "open", "undefined"]
"""B compared with A. ``higher`` and ``lower``: for scores where neither is better; ``alike``: no case differs; ``open``: it depends on
trials without a verdict; ``undefined``: the score is not defined on both sides."""

Test: TypeAlias = Literal["McNemar, exact", "sign flips of groups"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """The value of a score on one side, over the cases that are known on both."""

    numerator: float
    denominator: float
    value: float | None
    bounds: Interval | None
    """The value if open trials add nothing, and if they add the maximum; None if none is open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """B minus A in one score."""

    score: str
    title: str
    of: str
    unit: Unit
    better: Better | None
    cases: int
    """Cases that are known on both sides and add something on at least one, including open ones."""
    groups: int
    open: int
    """Cases whose pair is open, because a trial on either side has no verdict."""
    left_out: int
    """Cases that apply to both sides but do not count, because a verdict or the counted value is missing."""
    a: Figure
    b: Figure
    difference: float | None
    """The difference over all cases except open ones; None if the score is undefined without these."""
    bounds: Interval | None
    """Bounds of the difference over all outcomes of open pairs; None if none is open."""
    won: int
    """Cases in which B is better (or higher, where neither direction is better). ``won``, ``lost`` and ``tied`` leave out open pairs and
    cases without their own value on a side."""
    lost: int
    tied: int
    interval: Interval | None
    """95 % interval. While pairs are open, it extends from the low end of the worst case to the high end of the best case."""
    method: str
    """How the interval was computed, or why there is none."""
    test: Test | None
    verdict: Verdict
    worst: Verdict | None
    """The verdict if all open pairs go against B; None if none is open."""
    best: Verdict | None
    more_cases: int | None
    """Number of additional cases that would distinguish the two at the same rates; None if not applicable, or no number would."""
    p: float | None
    """The corrected p-value of a primary contrast; None for all else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TestedDifference:
    """A difference, and the p-value of its verdict, which is reported only for primary contrasts."""

    difference: Difference
    p: float | None
    """None if pairs are open, or the score is undefined."""


class _Tested(NamedTuple):
    test: Test
    p: float
    verdict: Verdict


def compare_scores(pair: TreatmentPair, scores: Mapping[str, Score]) -> tuple[Difference, ...]:
    """Return how two treatments differ in each of some scores."""
    return tuple(differ(name, score, counts_of(score, pair)).difference for name, score in scores.items())


def differ(name: str, score: Score, counts: Counts, *, alpha: float = ALPHA) -> TestedDifference:
    """Return how B differs from A in a score.

    The verdict is from McNemar's exact test if each case is one pair of trials with a yes/no value, under one policy and repairer, and no
    two differing cases are in one group. Otherwise it is from a sign-flip test on the groups' sums. ``alpha`` is the level for the number
    of additional cases. If it is below :data:`ALPHA`, that number is also computed for verdicts that are significant only at the latter.
    """
    settled = counts.without_open()
    plain = _values(settled)
    low, high = (_values(counts, gains=side) for side in "ab") if counts.open else (plain, plain)
    tests: list[_Tested] = []
    p: float | None = None
    if low and high:
        worst, best = (high, low) if score.better == "lower" else (low, high)
        tests = [_tested(score, counts, values) for values in ((worst, best) if counts.open else (low,))]
        p = None if counts.open else tests[0].p
    verdict = _verdict(counts, tests)
    interval, method = _interval(score, counts)
    in_doubt = verdict == "not significant" or (p is not None and p >= alpha)
    found = Difference(
        score=name, title=score.title, of=score.of, unit=score.unit, better=score.better,
        cases=len(counts.a), groups=len({counts.groups[case] for case in counts.a}), open=len(counts.open),
        left_out=counts.left_out, a=_figure(counts.a), b=_figure(counts.b),
        difference=_mean(plain) if plain else None,
        bounds=Interval(low=_mean(low), high=_mean(high)) if counts.open and low and high else None,
        **_won_and_lost(score, settled), interval=interval, method=method,
        test=tests[0].test if tests else None, verdict=verdict,
        worst=tests[0].verdict if counts.open and tests else None,
        best=tests[-1].verdict if counts.open and tests else None,
        more_cases=_more_cases(score, counts, plain, alpha) if in_doubt and plain else None, p=None,
    )  # fmt: skip
    return TestedDifference(difference=found, p=p)


def unseen_share(groups: int) -> float:
    """Return the upper bound of the share of differing groups, if none of ``groups`` differs (exact, one-sided, 95 %)."""
    return 1.0 - math.pow(ALPHA, 1 / groups)


def _values(counts: Counts, gains: str = "") -> dict[str, float] | None:
    """Return the contribution of each case to B minus A, whose mean is the difference; None if that is undefined.

    ``gains`` names the side whose open trials add the maximum. If cases have different weights, a case contributes its linearised part of
    the difference of the two ratios, around the pooled ratio of both sides: the common value if the two are alike. So a case with equal
    sides contributes nothing, and swapping the sides of a case flips the sign.
    """
    a, b = (_sums(own, gains=side in gains) for side, own in (("a", counts.a), ("b", counts.b)))
    if _whole(counts):
        return {case: b.tops[case] - a.tops[case] for case in counts.a} or None
    if not (a.under and b.under):
        return None
    both, mean = (a.top + b.top) / (a.under + b.under), 2 * a.under * b.under / (a.under + b.under)

    def part(side: _Sums, case: str) -> float:
        return side.tops[case] - both * side.unders[case]

    return {case: len(counts.a) * (part(b, case) - part(a, case)) / mean for case in counts.a}


def _spread(counts: Counts, gains: str = "") -> dict[str, float] | None:
    """Return the values for the interval: like :func:`_values`, but linearised around each side's own ratio.

    The interval is centred on the observed difference, not on zero.
    """
    a, b = (_sums(own, gains=side in gains) for side, own in (("a", counts.a), ("b", counts.b)))
    if _whole(counts) or not (a.under and b.under):
        return _values(counts, gains)

    def part(side: _Sums, case: str) -> float:
        ratio = side.top / side.under
        return ratio + len(counts.a) * (side.tops[case] - ratio * side.unders[case]) / side.under

    return {case: part(b, case) - part(a, case) for case in counts.a}


class _Sums(NamedTuple):
    """The counts of the cases of one side, and their sums."""

    tops: Mapping[str, float]
    unders: Mapping[str, float]
    top: float
    under: float


def _sums(own: Mapping[str, Count], *, gains: bool) -> _Sums:
    tops = {case: count.numerator + (count.open if gains else 0) for case, count in own.items()}
    unders = {case: count.denominator for case, count in own.items()}
    return _Sums(tops=tops, unders=unders, top=math.fsum(tops.values()), under=math.fsum(unders.values()))


def _whole(counts: Counts) -> bool:
    """Return whether every case has the same weight."""
    return all(own.denominator == 1 for side in (counts.a, counts.b) for own in side.values())


def _tested(score: Score, counts: Counts, values: Mapping[str, float]) -> _Tested:
    test: Test
    if _binary(score, counts, values):
        test = "McNemar, exact"
        p = mcnemar_exact(*_signs(values))
    else:
        test, p = "sign flips of groups", sign_flip(values, counts.groups)
    return _Tested(test=test, p=p, verdict=distinguished(score, p, _mean(values)))


def _signs(values: Mapping[str, float]) -> tuple[int, int]:
    """Return how many values are above 0, and how many below."""
    return sum(value > 0 for value in values.values()), sum(value < 0 for value in values.values())


def distinguished(score: Score, p: float, difference: float) -> Verdict:
    """Return the verdict on B for a test's p-value."""
    if p >= ALPHA or not difference:
        return "not significant"
    if score.better is None:
        return "higher" if difference > 0 else "lower"
    return "better" if (difference > 0) == (score.better == "higher") else "worse"


def _verdict(counts: Counts, tests: list[_Tested]) -> Verdict:
    if not tests:
        return "undefined"
    if not counts.open and counts.a == counts.b:
        return "alike"
    return tests[0].verdict if tests[0].verdict == tests[-1].verdict else "open"


def _binary(score: Score, counts: Counts, values: Mapping[str, float]) -> bool:
    moved = [counts.groups[case] for case, value in values.items() if value]
    held = _whole(counts) and all(value in {-1, 0, 1} for value in values.values())
    return counts.single and score.unit == "share" and held and len(moved) == len(set(moved))


def _interval(score: Score, counts: Counts) -> tuple[Interval | None, str]:
    low, high = (_spread(counts, gains=side) for side in ("ab" if counts.open else ("", "")))
    if not low or not high:
        return None, "none: the score is not defined on both sides"
    if not counts.open and counts.a == counts.b:
        return None, "none: no case differs"
    if len({counts.groups[case] for case in counts.a}) < MIN_GROUPS:
        return None, f"none: fewer than {MIN_GROUPS} groups of cases"
    ends = [_interval_of(spread, counts.groups) for spread in ((low, high) if counts.open else (low,))]
    if ends[0] is None or ends[-1] is None:
        return None, "none: no group differs from another"
    open_too = ", from the worst case's low to the best case's high" if counts.open else ""
    most = 1.0 if score.unit == "share" else math.inf
    ends_within = (max(-most, ends[0].low), min(most, ends[-1].high))
    return Interval(*ends_within), f"bootstrap over groups, 95 %{open_too}"


def _interval_of(values: Mapping[str, float], groups: Mapping[str, str]) -> Interval | None:
    """Return the interval of the mean. The sign is normalised first, so that swapping the sides mirrors the interval exactly."""
    plain = tuple((case, groups[case], value) for case, value in sorted(values.items()))
    turned = tuple((case, group, -value) for case, group, value in plain)
    found = _bootstrapped(max(plain, turned))
    if found is None or plain >= turned:
        return found
    return Interval(low=0.0 - found.high, high=0.0 - found.low)


@lru_cache(maxsize=256)
def _bootstrapped(cases: tuple[tuple[str, str, float], ...]) -> Interval | None:
    """Return the interval of the cases' mean. It is cached because policies with the same responses often have the same differences."""
    return clustered_bootstrap({case: value for case, _, value in cases}, {case: group for case, group, _ in cases})


def _figure(counts: Mapping[str, Count]) -> Figure:
    top = round(math.fsum(count.numerator for count in counts.values()), 6)
    under = round(math.fsum(count.denominator for count in counts.values()), 6)
    gain = round(math.fsum(count.open for count in counts.values()), 6)
    value = top / under if under else None
    bounds = Interval(low=top / under, high=(top + gain) / under) if under and gain else None
    return Figure(numerator=top, denominator=under, value=value, bounds=bounds)


def _won_and_lost(score: Score, counts: Counts) -> dict[str, int]:
    sign = -1 if score.better == "lower" else 1
    values = {case: (counts.a[case].value, counts.b[case].value) for case in counts.a}
    moved = {case: round(b - a, 9) * sign for case, (a, b) in values.items() if a is not None and b is not None}
    won, lost = _signs(moved)
    return {"won": won, "lost": lost, "tied": len(moved) - won - lost}


def _more_cases(score: Score, counts: Counts, values: Mapping[str, float], alpha: float) -> int | None:
    if _binary(score, counts, values):
        won, lost = _signs(values)
        return needed_pairs(max(won, lost), min(won, lost), len(values) - won - lost, alpha=alpha)
    return _more_of_groups(values, counts.groups, alpha)


def _more_of_groups(values: Mapping[str, float], groups: Mapping[str, str], alpha: float) -> int | None:
    """Return how many additional cases, in similar groups, would distinguish the two; None if neither is ahead."""
    parts: dict[str, list[float]] = defaultdict(list)
    for case, value in values.items():
        parts[groups[case]].append(value)
    sums = [math.fsum(part) for part in parts.values()]
    mean, square = math.fsum(sums) / len(sums), math.fsum(total * total for total in sums) / len(sums)
    if not round(mean, 9):
        return None
    wanted = max(len(sums) + 1, MIN_GROUPS, connor(mean, square, alpha=alpha))
    return math.ceil((wanted - len(sums)) * len(values) / len(sums))


def _mean(values: Mapping[str, float]) -> float:
    return round(math.fsum(values.values()) / len(values), 9)

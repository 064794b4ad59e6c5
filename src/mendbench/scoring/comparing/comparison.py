"""How two treatments differ in a score, paired by case, and how sure that is.

Everything here but a primary contrast is exploratory: it has an interval, counts and a verdict in words, and no p-value.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import Literal, TypeAlias

from mendbench.scoring.comparing.paired_counts import Counts, counts_of
from mendbench.scoring.comparing.pairing import TreatmentPair
from mendbench.scoring.score import Better, Count, Score, Unit
from mendbench.scoring.statistics.exact import ALPHA, POWER, Interval, mcnemar_exact, needed_pairs
from mendbench.scoring.statistics.resampling import clustered_bootstrap, sign_flip

MIN_GROUPS = 6
"""Groups below which no interval is given: by flips of five signs the least two-sided p-value is 2/2^5 = 0.06, so they tell nothing."""

Verdict: TypeAlias = Literal["better", "worse", "higher", "lower", "not told apart", "alike", "open", "undefined"]
"""Of B, against A. ``higher`` and ``lower`` where neither is better by itself; ``alike``: no case differs; ``open``: it depends on what
becomes of trials without a verdict; ``undefined``: the score is not defined on both sides."""

Test: TypeAlias = Literal["McNemar, exact", "sign flips of groups"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """What a score comes to on one side, over the cases that are known of both."""

    numerator: float
    denominator: float
    value: float | None
    bounds: Interval | None
    """The value if open trials add nothing, and if they add all they may; None where none is open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """B less A in one score."""

    score: str
    title: str
    of: str
    unit: Unit
    better: Better | None
    cases: int
    """Cases that are known of both sides, and add something on one at least; the open ones are among them."""
    groups: int
    open: int
    """Cases of which a trial of either side has no verdict, so that the pair is open."""
    left_out: int
    """Cases that would count on both sides, and do not, for want of a verdict or of what is counted."""
    a: Figure
    b: Figure
    difference: float | None
    """Over all cases but the open ones; None where the score is undefined without those."""
    bounds: Interval | None
    """Of the difference, whatever becomes of the open pairs; None where none is open."""
    won: int
    """Cases in which B is better (where neither is better by itself: higher). Open pairs, and cases that have no value of their own on
    a side, are in none of the three."""
    lost: int
    tied: int
    interval: Interval | None
    """95 %, from the worst case's low to the best case's high while pairs are open."""
    method: str
    """How the interval was made, or why there is none."""
    test: Test | None
    verdict: Verdict
    worst: Verdict | None
    """The verdict if the open pairs all come out against B; None where none is open."""
    best: Verdict | None
    more_cases: int | None
    """How many more cases would tell the two apart if they went on so; None where that is no question, or none would."""
    p: float | None
    """Of a primary contrast, after the correction for their number; None for all else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A difference, and the p-value behind its verdict, which is told of primary contrasts alone."""

    difference: Difference
    p: float | None
    """None while pairs are open, or where the score is undefined."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tested:
    test: Test
    p: float
    verdict: Verdict


def compare_scores(pair: TreatmentPair, scores: Mapping[str, Score]) -> tuple[Difference, ...]:
    """Return how two treatments differ in each of some scores."""
    return tuple(differ(name, score, counts_of(score, pair)).difference for name, score in scores.items())


def differ(name: str, score: Score, counts: Counts, *, alpha: float = ALPHA) -> Evidence:
    """Return how B differs from A in a score.

    The verdict is McNemar's exact test's where each case is one pair of trials in which something holds or does not, under one policy and
    repairer, and no two cases that differ are of one group; else that of a test that flips the signs of the groups' sums. ``alpha`` is
    what more cases are asked for at; below :data:`ALPHA` they are asked for also where the verdict tells the two apart at that.
    """
    told = counts.without_open()
    plain = _values(told)
    low, high = (_values(counts, gains=side) for side in "ab") if counts.open else (plain, plain)
    tests: list[_Tested] = []
    p: float | None = None
    if low and high:
        worst, best = (high, low) if score.better == "lower" else (low, high)
        tests = [_tested(score, counts, values) for values in ((worst, best) if counts.open else (low,))]
        p = None if counts.open else tests[0].p
    verdict = _verdict(counts, tests)
    interval, method = _interval(score, counts)
    in_doubt = verdict == "not told apart" or (p is not None and p >= alpha)
    found = Difference(
        score=name, title=score.title, of=score.of, unit=score.unit, better=score.better,
        cases=len(counts.a), groups=len({counts.groups[case] for case in counts.a}), open=len(counts.open),
        left_out=counts.left_out, a=_figure(counts.a), b=_figure(counts.b),
        difference=_mean(plain) if plain else None,
        bounds=Interval(low=_mean(low), high=_mean(high)) if counts.open and low and high else None,
        **_won_and_lost(score, told), interval=interval, method=method,
        test=tests[0].test if tests else None, verdict=verdict,
        worst=tests[0].verdict if counts.open and tests else None,
        best=tests[-1].verdict if counts.open and tests else None,
        more_cases=_more_cases(score, counts, plain, alpha) if in_doubt and plain else None, p=None,
    )  # fmt: skip
    return Evidence(difference=found, p=p)


def unseen_share(groups: int) -> float:
    """Return up to which share of groups could differ although none of so many does (exact, one-sided, 95 %)."""
    return 1.0 - math.pow(ALPHA, 1 / groups)


def _values(counts: Counts, gains: str = "") -> dict[str, float] | None:
    """Return what each case adds to B less A, so that its mean is the difference; None where that is undefined.

    ``gains`` names the side whose open trials add all they may. Where cases weigh differently, a case adds its linearised part of
    the difference of the two ratios, around the ratio of both sides together: were the two alike, that is what both would come to. So
    a case that is the same on both sides adds nothing, and one whose sides are swapped adds as much the other way.
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
    """Return the values that the interval is drawn from: as :func:`_values`, and linearised around each side's own ratio.

    An interval tells how far the difference may lie from what it is, and not from none.
    """
    a, b = (_sums(own, gains=side in gains) for side, own in (("a", counts.a), ("b", counts.b)))
    if _whole(counts) or not (a.under and b.under):
        return _values(counts, gains)

    def part(side: _Sums, case: str) -> float:
        ratio = side.top / side.under
        return ratio + len(counts.a) * (side.tops[case] - ratio * side.unders[case]) / side.under

    return {case: part(b, case) - part(a, case) for case in counts.a}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sums:
    """What the cases of one side add, and what they add up to."""

    tops: Mapping[str, float]
    unders: Mapping[str, float]
    top: float
    under: float


def _sums(own: Mapping[str, Count], *, gains: bool) -> _Sums:
    tops = {case: one.numerator + (one.open if gains else 0) for case, one in own.items()}
    unders = {case: one.denominator for case, one in own.items()}
    return _Sums(tops=tops, unders=unders, top=math.fsum(tops.values()), under=math.fsum(unders.values()))


def _whole(counts: Counts) -> bool:
    """Return whether every case weighs the same."""
    return all(own.denominator == 1 for side in (counts.a, counts.b) for own in side.values())


def _tested(score: Score, counts: Counts, values: Mapping[str, float]) -> _Tested:
    if _binary(score, counts, values):
        test: Test = "McNemar, exact"
        p = mcnemar_exact(sum(one > 0 for one in values.values()), sum(one < 0 for one in values.values()))
    else:
        test, p = "sign flips of groups", sign_flip(values, counts.groups)
    return _Tested(test=test, p=p, verdict=distinguished(score, p, _mean(values)))


def distinguished(score: Score, p: float, difference: float) -> Verdict:
    """Return what a test's p-value lets one say of B."""
    if p >= ALPHA or not difference:
        return "not told apart"
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
    moved = [counts.groups[case] for case, one in values.items() if one]
    held = _whole(counts) and all(one in {-1, 0, 1} for one in values.values())
    return counts.single and score.unit == "share" and held and len(moved) == len(set(moved))


def _interval(score: Score, counts: Counts) -> tuple[Interval | None, str]:
    low, high = (_spread(counts, gains=side) for side in ("ab" if counts.open else ("", "")))
    if not low or not high:
        return None, "none: the score is not defined on both sides"
    if not counts.open and counts.a == counts.b:
        return None, "none: no case differs"
    if len({counts.groups[case] for case in counts.a}) < MIN_GROUPS:
        return None, f"none: fewer than {MIN_GROUPS} groups of cases"
    ends = [_interval_of(one, counts.groups) for one in ((low, high) if counts.open else (low,))]
    if ends[0] is None or ends[-1] is None:
        return None, "none: no group differs from another"
    open_too = ", from the worst case's low to the best case's high" if counts.open else ""
    most = 1.0 if score.unit == "share" else math.inf
    ends_within = (max(-most, ends[0].low), min(most, ends[-1].high))
    return Interval(*ends_within), f"bootstrap over groups, 95 %{open_too}"


def _interval_of(values: Mapping[str, float], groups: Mapping[str, str]) -> Interval | None:
    """Return the interval of the mean. It is drawn one way round for both, so that swapping the sides turns it round exactly."""
    plain = tuple((case, groups[case], value) for case, value in sorted(values.items()))
    turned = tuple((case, group, -value) for case, group, value in plain)
    found = _bootstrapped(max(plain, turned))
    if found is None or plain >= turned:
        return found
    return Interval(low=0.0 - found.high, high=0.0 - found.low)


@lru_cache(maxsize=256)
def _bootstrapped(cases: tuple[tuple[str, str, float], ...]) -> Interval | None:
    """Return the interval of the cases' mean. Policies that replay the same responses often have the same differences: hence the cache."""
    return clustered_bootstrap({case: value for case, _, value in cases}, {case: group for case, group, _ in cases})


def _figure(counts: Mapping[str, Count]) -> Figure:
    top, under, gain = (
        round(math.fsum(values), 6)
        for values in zip(*((one.numerator, one.denominator, one.open) for one in counts.values()), strict=True)
    ) if counts else (0.0, 0.0, 0.0)  # fmt: skip
    value = top / under if under else None
    bounds = Interval(low=top / under, high=(top + gain) / under) if under and gain else None
    return Figure(numerator=top, denominator=under, value=value, bounds=bounds)


def _won_and_lost(score: Score, counts: Counts) -> dict[str, int]:
    sign = -1 if score.better == "lower" else 1
    values = ((counts.a[case].value, counts.b[case].value) for case in counts.a)
    moved = [round(b - a, 9) * sign for a, b in values if a is not None and b is not None]
    won, lost = sum(one > 0 for one in moved), sum(one < 0 for one in moved)
    return {"won": won, "lost": lost, "tied": len(moved) - won - lost}


def _more_cases(score: Score, counts: Counts, values: Mapping[str, float], alpha: float) -> int | None:
    if _binary(score, counts, values):
        won, lost = sum(one > 0 for one in values.values()), sum(one < 0 for one in values.values())
        return needed_pairs(max(won, lost), min(won, lost), len(values) - won - lost, alpha=alpha)
    return _more_of_groups(values, counts.groups, alpha)


def _more_of_groups(values: Mapping[str, float], groups: Mapping[str, str], alpha: float) -> int | None:
    """Return how many more cases, in groups such as these, would tell; None where neither is ahead.

    Connor's formula for McNemar's test, with the groups' sums in the place of single pairs.
    """
    parts: dict[str, list[float]] = defaultdict(list)
    for case, value in values.items():
        parts[groups[case]].append(value)
    sums = [math.fsum(part) for part in parts.values()]
    mean, square = math.fsum(sums) / len(sums), math.fsum(one * one for one in sums) / len(sums)
    if not round(mean, 9):
        return None
    normal = NormalDist()
    reach = normal.inv_cdf(1 - alpha / 2) * math.sqrt(square)
    reach += normal.inv_cdf(POWER) * math.sqrt(max(0.0, square - mean * mean))
    wanted = max(len(sums) + 1, MIN_GROUPS, math.ceil((reach / mean) ** 2))
    return math.ceil((wanted - len(sums)) * len(values) / len(sums))


def _mean(values: Mapping[str, float]) -> float:
    return round(math.fsum(values.values()) / len(values), 9)

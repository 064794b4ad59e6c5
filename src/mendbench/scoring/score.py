"""A score: what it counts in a case, and what the counts of many cases come to.

Every score is a ratio of two sums over cases. n is always cases: several samples of a case are one case's count. Where there is
nothing to divide by the score is undefined, which is neither 0 nor NaN.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from mendbench.model.json import JsonObject
from mendbench.scoring.record_table import Records
from mendbench.scoring.records import TrialRecord
from mendbench.scoring.statistics.exact import Interval, wilson
from mendbench.scoring.statistics.resampling import clustered_ratio

Unit: TypeAlias = Literal["share", "attempts", "tokens", "usd", "level", "count"]
"""What a value is in. None of them can be below 0."""

Better: TypeAlias = Literal["higher", "lower"]

DIGITS = 9
"""Digits after the point that figures are kept with."""

_MOST: Mapping[Unit, float] = {"share": 1, "level": 7}
"""The greatest value of a unit that has one."""

_NONE = "none: "


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """What one case adds to a score."""

    numerator: float
    denominator: float = 1
    open: float = 0
    """What the numerator may gain yet, once trials without a verdict get one."""

    @property
    def value(self) -> float | None:
        """The case's own value; None where there is nothing to divide by."""
        return self.numerator / self.denominator if self.denominator else None


Counting: TypeAlias = Callable[[Sequence[TrialRecord]], Count | None]
"""From all trials of one case under one treatment (its samples) to what the case adds; None: it is not counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One figure by which treatments are judged."""

    title: str
    """A few words, as a column's head."""
    of: str
    """What is in the denominator, in words: ``cases with an edit fault``."""
    unit: Unit
    better: Better | None
    """None: neither is better by itself."""
    count: Counting

    def has_none(self, count: Count) -> bool:
        """Return whether a case has none of what a share is over; of a cost, a case that cost nothing is one all the same."""
        return self.unit == "share" and not (count.numerator or count.denominator or count.open)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """What a score comes to over some trials of one treatment."""

    numerator: float
    denominator: float
    cases: int
    """How many cases were counted: of a share, those that have something of what it is over."""
    value: float | None
    """None where the score is undefined."""
    bounds: Interval | None
    """The value if all open trials add nothing, and if they add all they may; None where none is open, or undefined."""
    interval: Interval | None
    method: str
    """How the interval was made, or why there is none."""

    @property
    def undefined(self) -> str | None:
        """Why there is no value, in words; None where there is one."""
        return f"undefined, because {self.method.removeprefix(_NONE)}" if self.value is None else None

    def document(self) -> JsonObject:
        """Return it as JSON has it, rounded to :data:`DIGITS`."""
        return {
            "numerator": self.numerator,
            "denominator": self.denominator,
            "cases": self.cases,
            "value": None if self.value is None else round(self.value, DIGITS),
            "bounds": _ends(self.bounds),
            "interval": _ends(self.interval),
            "method": self.method,
        }


def _ends(interval: Interval | None) -> JsonObject | None:
    return None if interval is None else {name: round(end, DIGITS) for name, end in interval._asdict().items()}


def case_counts(score: Score, records: Iterable[TrialRecord]) -> dict[str, Count]:
    """Return what each counted case adds, by case. The order of the trials does not matter."""
    found = ((case, score.count(own)) for case, own in _by_case(records))
    return {case: count for case, count in found if count is not None}


def measure(score: Score, records: Iterable[TrialRecord]) -> Measure:
    """Return what a score comes to over the trials of one treatment.

    The interval of a share is Wilson's where it holds of every case, does not, or is open; of all else it is that of a ratio over
    clusters, groups being the clusters. While trials are open it reaches from the low end for the lower bound to the high end for the
    upper one.
    """
    return measures({"": score}, records)[""]


def measures(scores: Mapping[str, Score], records: Iterable[TrialRecord]) -> dict[str, Measure]:
    """Return what each of several scores comes to, by its name; see :func:`measure`."""
    groups: dict[str, str] = {}
    counts: dict[str, dict[str, Count]] = {name: {} for name in scores}
    for case, own in _by_case(records):
        groups[case] = own[0].group
        for name, score in scores.items():
            if (count := score.count(own)) is not None:
                counts[name][case] = count
    return {name: _measure(score, counts[name], groups) for name, score in scores.items()}


def _by_case(records: Iterable[TrialRecord]) -> Iterator[tuple[str, tuple[TrialRecord, ...]]]:
    """Yield the trials of each case; of what is held as a table, those of one case at a time are there."""
    found: Mapping[str, Iterable[TrialRecord]]
    if isinstance(records, Records):
        found = records.by("case")
    else:
        lists: dict[str, list[TrialRecord]] = defaultdict(list)
        for record in records:
            lists[record.case].append(record)
        found = lists
    for case in sorted(found):
        yield case, tuple(sorted(found[case], key=lambda one: one.key))


def _measure(score: Score, all_counts: Mapping[str, Count], groups: Mapping[str, str]) -> Measure:
    counts = {case: count for case, count in all_counts.items() if not score.has_none(count)}
    numerator = _tidy(math.fsum(count.numerator for count in counts.values()))
    denominator = _tidy(math.fsum(count.denominator for count in counts.values()))
    gain = _tidy(math.fsum(count.open for count in counts.values()))
    if not denominator:
        return Measure(
            numerator=numerator, denominator=denominator, cases=len(counts), value=None, bounds=None, interval=None,
            method=f"{_NONE}there are no {score.of}",
        )  # fmt: skip
    interval, method = _interval(score, counts, groups, is_open=gain > 0)
    return Measure(
        numerator=numerator,
        denominator=denominator,
        cases=len(counts),
        value=numerator / denominator,
        bounds=Interval(low=numerator / denominator, high=(numerator + gain) / denominator) if gain else None,
        interval=interval,
        method=method,
    )


def _interval(
    score: Score, counts: Mapping[str, Count], groups: Mapping[str, str], *, is_open: bool
) -> tuple[Interval | None, str]:
    said = ", 95 %: from the lower bound's low to the upper bound's high" if is_open else ", 95 %"
    least = [count.numerator for count in counts.values()]
    most = [count.numerator + count.open for count in counts.values()]
    if score.unit == "share" and {*least, *most} <= {0, 1} and all(one.denominator == 1 for one in counts.values()):
        low, high = wilson(round(sum(least)), len(counts)).low, wilson(round(sum(most)), len(counts)).high
        return Interval(low=low, high=high), f"Wilson{said}"
    if len({groups[case] for case in counts}) < 2:  # noqa: PLR2004 - one group says nothing about others
        return None, f"{_NONE}fewer than two groups of cases"
    ends = [_over_groups(counts, tops, groups) for tops in ((least, most) if is_open else (least,))]
    if None in ends:
        return None, f"{_NONE}no group differs from another"
    known = [end for end in ends if end is not None]
    low, high = max(0.0, known[0].low), min(_MOST.get(score.unit, math.inf), known[-1].high)
    return Interval(low=low, high=high), f"ratio over groups, t{said}"


def _over_groups(
    counts: Mapping[str, Count], numerators: Sequence[float], groups: Mapping[str, str]
) -> Interval | None:
    tops = zip(counts.items(), numerators, strict=True)
    return clustered_ratio({case: (top, count.denominator) for (case, count), top in tops}, groups)


def _tidy(value: float) -> float:
    """Return a sum of shares as it is meant: thirds add up to ones again."""
    rounded = round(value, DIGITS)
    return int(rounded) if rounded == int(rounded) else rounded

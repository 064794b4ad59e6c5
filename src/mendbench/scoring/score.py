"""A score: what it counts in a case, and its value over many cases.

Every score is a ratio of two sums over cases. n is always cases: several samples of a case are one count. If the denominator is 0, the
score is undefined, which is neither 0 nor NaN.
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
"""The unit of a value. No value can be below 0."""

Better: TypeAlias = Literal["higher", "lower"]

DIGITS = 9
"""Decimal places of stored figures."""

_MOST: Mapping[Unit, float] = {"share": 1, "level": 7}
"""The maximum value of units that have one."""

_NONE = "none: "


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """What one case adds to a score."""

    numerator: float
    denominator: float = 1
    open: float = 0
    """How much the numerator may still grow when unjudged trials are judged."""

    @property
    def value(self) -> float | None:
        """The case's own value; None if the denominator is 0."""
        return self.numerator / self.denominator if self.denominator else None


Counting: TypeAlias = Callable[[Sequence[TrialRecord]], Count | None]
"""Maps all trials of one case under one treatment (its samples) to the case's count; None: the case is not counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One metric by which treatments are compared."""

    title: str
    """A short column header."""
    of: str
    """The denominator in words, for example ``cases with an edit fault``."""
    unit: Unit
    better: Better | None
    """None: neither direction is better."""
    count: Counting

    def has_none(self, count: Count) -> bool:
        """Return whether a case adds nothing to a share. For other units, a case with zero values still counts."""
        return self.unit == "share" and not (count.numerator or count.denominator or count.open)


def higher(title: str, of: str, unit: Unit, count: Counting) -> Score:
    """Return a score of which a higher value is better."""
    return Score(title=title, of=of, unit=unit, better="higher", count=count)


def lower(title: str, of: str, unit: Unit, count: Counting) -> Score:
    """Return a score of which a lower value is better."""
    return Score(title=title, of=of, unit=unit, better="lower", count=count)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """The value of a score over some trials of one treatment."""

    numerator: float
    denominator: float
    cases: int
    """Number of cases counted. A share leaves out cases that add nothing to it."""
    value: float | None
    """None if the score is undefined."""
    bounds: Interval | None
    """The value if open trials add nothing, and if they add the maximum; None if no trial is open, or the score is undefined."""
    interval: Interval | None
    method: str
    """How the interval was computed, or why there is none."""

    @property
    def undefined(self) -> str | None:
        """Why there is no value, in words; None if there is one."""
        return f"undefined, because {self.method.removeprefix(_NONE)}" if self.value is None else None

    def document(self) -> JsonObject:
        """Return the JSON form, rounded to :data:`DIGITS`."""
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
    """Return the count of each counted case, by case. The order of the trials does not matter."""
    return {case: count for case, own in _by_case(records) if (count := score.count(own)) is not None}


def measure(score: Score, records: Iterable[TrialRecord]) -> Measure:
    """Return the value of a score over the trials of one treatment.

    A share whose case values are all 0, 1 or open has Wilson's interval. All else has the interval of a ratio over clusters, where groups
    are the clusters. While trials are open, the interval extends from the low end for the lower bound to the high end for the upper
    bound.
    """
    return measures({"": score}, records)[""]


def measures(scores: Mapping[str, Score], records: Iterable[TrialRecord]) -> dict[str, Measure]:
    """Return the value of each of several scores by name; see :func:`measure`."""
    groups: dict[str, str] = {}
    counts: dict[str, dict[str, Count]] = {name: {} for name in scores}
    for case, own in _by_case(records):
        groups[case] = own[0].group
        for name, score in scores.items():
            if (count := score.count(own)) is not None:
                counts[name][case] = count
    return {name: _measure(score, counts[name], groups) for name, score in scores.items()}


def _by_case(records: Iterable[TrialRecord]) -> Iterator[tuple[str, tuple[TrialRecord, ...]]]:
    """Yield the trials of each case. Of a table, only the records of one case are in memory at a time."""
    found: Mapping[str, Iterable[TrialRecord]]
    if isinstance(records, Records):
        found = records.by("case")
    else:
        lists: dict[str, list[TrialRecord]] = defaultdict(list)
        for record in records:
            lists[record.case].append(record)
        found = lists
    for case in sorted(found):
        yield case, tuple(sorted(found[case], key=lambda trial: trial.key))


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
    level = ", 95 %: from the lower bound's low to the upper bound's high" if is_open else ", 95 %"
    least = [count.numerator for count in counts.values()]
    most = [count.numerator + count.open for count in counts.values()]
    if score.unit == "share" and {*least, *most} <= {0, 1} and all(count.denominator == 1 for count in counts.values()):
        low, high = wilson(round(sum(least)), len(counts)).low, wilson(round(sum(most)), len(counts)).high
        return Interval(low=low, high=high), f"Wilson{level}"
    if len({groups[case] for case in counts}) < 2:  # noqa: PLR2004 - one group says nothing about others
        return None, f"{_NONE}fewer than two groups of cases"
    ends = [
        clustered_ratio({case: (top, counts[case].denominator) for case, top in zip(counts, tops, strict=True)}, groups)
        for tops in ((least, most) if is_open else (least,))
    ]
    known = [end for end in ends if end is not None]
    if len(known) < len(ends):
        return None, f"{_NONE}no group differs from another"
    low, high = max(0.0, known[0].low), min(_MOST.get(score.unit, math.inf), known[-1].high)
    return Interval(low=low, high=high), f"ratio over groups, t{level}"


def _tidy(value: float) -> float:
    """Return a sum of shares without rounding errors: three thirds are 1."""
    rounded = round(value, DIGITS)
    return int(rounded) if rounded == int(rounded) else rounded

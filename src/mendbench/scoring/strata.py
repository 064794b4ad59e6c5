"""Success by whether the prompt contains something: per strategy, and compared within cases across strategies.

Between cases, the two strata also differ in how hard the cases are. Within a case only the prompt differs, so that difference is more
informative. It is still not an experiment: strategies that print the value differ in other ways too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from mendbench.scoring.records import EDIT_KINDS, TrialRecord
from mendbench.scoring.statistics.exact import Interval
from mendbench.scoring.statistics.resampling import clustered_bootstrap

Holds: TypeAlias = Callable[[TrialRecord], bool | None]
"""Whether a trial is in the first stratum; None if it is in neither."""


def value_printed(record: TrialRecord) -> bool | None:
    """Return whether the first prompt prints the fix's new value; None without a first prompt or without a fix."""
    return None if record.leaks is None else record.leaks != "nowhere"


def all_facts_shown(record: TrialRecord) -> bool | None:
    """Return whether the first context contains all facts; None without a first prompt or without facts."""
    return None if record.context_recall is None else record.context_recall == 1


STRATA: Mapping[str, Holds] = {"value printed": value_printed, "all facts in prompt": all_facts_shown}


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Trials of one strategy in one stratum."""

    cases: int
    right_first: int
    """Right after the first response."""
    right: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionSplit:
    """One strategy's trials, by whether a condition holds for their first prompt."""

    strategy: str
    holds: Part
    lacks: Part


@dataclass(frozen=True, slots=True, kw_only=True)
class Within:
    """The difference within cases: success of the first response where the condition holds, minus where it does not."""

    cases: int
    """Cases with trials of strategies in both strata."""
    difference: float | None
    """Mean over these cases, as a share; None without such cases."""
    interval: Interval | None
    """95 %, from resampling groups of cases."""


def splits(records: Iterable[TrialRecord], holds: Holds) -> tuple[ConditionSplit, ...]:
    """Return the two strata of each strategy, over judged trials of cases with an edit fault."""
    found: dict[str, dict[bool, list[TrialRecord]]] = defaultdict(lambda: {True: [], False: []})
    for record in _judged(records):
        if (side := holds(record)) is not None:
            found[record.treatment.strategy][side].append(record)
    return tuple(
        ConditionSplit(strategy=name, holds=_part(sides[True]), lacks=_part(sides[False]))
        for name, sides in found.items()
    )


def within_cases(records: Iterable[TrialRecord], holds: Holds) -> Within:
    """Return the difference within cases, over the trials of several strategies under one policy."""
    sides: dict[str, dict[bool, list[bool]]] = defaultdict(lambda: {True: [], False: []})
    groups: dict[str, str] = {}
    for record in _judged(records):
        if (side := holds(record)) is not None:
            sides[record.case][side].append(bool(record.right_after_first))
            groups[record.case] = record.group
    values = {
        case: sum(own[True]) / len(own[True]) - sum(own[False]) / len(own[False])
        for case, own in sides.items()
        if own[True] and own[False]
    }
    if not values:
        return Within(cases=0, difference=None, interval=None)
    return Within(
        cases=len(values), difference=sum(values.values()) / len(values), interval=clustered_bootstrap(values, groups)
    )


def _judged(records: Iterable[TrialRecord]) -> Iterable[TrialRecord]:
    return (record for record in records if record.judged and record.kind in EDIT_KINDS)


def _part(records: Sequence[TrialRecord]) -> Part:
    return Part(
        cases=len(records),
        right_first=sum(bool(record.right_after_first) for record in records),
        right=sum(record.right for record in records),
    )

"""The counts of a score for two treatments, case by case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mendbench.scoring.comparing.pairing import TreatmentPair
from mendbench.scoring.records import TrialRecord
from mendbench.scoring.score import Count, Score, case_counts


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """The count of each case on the two sides, and its group."""

    a: Mapping[str, Count]
    b: Mapping[str, Count]
    """The same cases as ``a``."""
    groups: Mapping[str, str]
    left_out: int = 0
    single: bool = False
    """Whether each case is one pair of trials, under one policy and one repairer."""
    same: bool = False
    """Whether both sides are the same trials. No pair is open then, because both sides cannot differ."""

    @property
    def open(self) -> frozenset[str]:
        """Cases whose pair is open."""
        if self.same:
            return frozenset()
        return frozenset(case for case in self.a if self.a[case].open or self.b[case].open)

    def without_open(self) -> Counts:
        """Return the counts of the cases whose pair is not open."""
        gone = self.open
        a, b = ({case: count for case, count in side.items() if case not in gone} for side in (self.a, self.b))
        return replace(self, a=a, b=b)


def counts_of(score: Score, pair: TreatmentPair) -> Counts:
    """Return the counts of a score for two treatments. A case that adds something on one side counts on both."""
    trials = pair.trials
    sides = [trial.a for trial in trials], [trial.b for trial in trials]
    ours, theirs = (case_counts(score, side) for side in sides)
    known = ours.keys() & theirs.keys()
    shared = {case for case in known if not (score.has_none(ours[case]) and score.has_none(theirs[case]))}
    would = applies(score, sides[0]) & applies(score, sides[1])
    alone = (pair.a.policy, pair.a.repairer) == (pair.b.policy, pair.b.repairer)
    return Counts(
        a={case: ours[case] for case in sorted(shared)},
        b={case: theirs[case] for case in sorted(shared)},
        groups={trial.a.case: trial.a.group for trial in trials if trial.a.case in shared},
        left_out=len((ours.keys() | theirs.keys() | would) - known),
        single=alone and sum(trial.a.case in shared for trial in trials) == len(shared),
        same=pair.same,
    )


def applies(score: Score, records: Sequence[TrialRecord]) -> set[str]:
    """Return the cases that a score would count if every trial were judged."""
    judged = [
        record if record.judged else replace(record, verdict="incorrect", wasted_attempts=0, progress=0, attempts=())
        for record in records
    ]
    return set(case_counts(score, judged))

"""What each policy saves and loses compared with :data:`MAIN_POLICY`, over the trials that every policy has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from mendbench.report.selection import Selection
from mendbench.report.tables import shared_trials
from mendbench.report.views import MAIN_POLICY, PolicyView
from mendbench.scoring.records import EDIT_KINDS, TrialRecord
from mendbench.scoring.statistics.exact import Interval
from mendbench.scoring.statistics.resampling import clustered_ratio


@dataclass(frozen=True, slots=True, kw_only=True)
class Saving:
    """One policy compared with :data:`MAIN_POLICY`. Attempts are those of the trials judged under every policy."""

    policy: str
    against: str
    trials: int
    """Trials judged under every policy."""
    cases: int
    futile: int
    fruitless: int
    """Wasted attempts: those that could not help, and those that could have helped but did not."""
    wasted_less: float
    """Reduction of wasted attempts per trial."""
    interval: Interval | None
    """95 % interval over groups of cases; None if no group differs from another."""
    repairs: int
    """Trials of cases with an edit fault that :data:`MAIN_POLICY` gets right."""
    lost: int
    gained: int
    """Trials of edit-fault cases that this policy, unlike :data:`MAIN_POLICY`, gets wrong (``lost``) or right (``gained``)."""


@dataclass(slots=True, kw_only=True)
class Sum:
    """Running totals of one policy, over the trials judged under every policy."""

    cases: dict[str, tuple[float, float]] = field(default_factory=dict)
    """By case: the reduction of wasted attempts, and the number of trials."""
    groups: dict[str, str] = field(default_factory=dict)
    labels: Counter[str | None] = field(default_factory=Counter)
    repairs: int = 0
    lost: int = 0
    gained: int = 0

    def add(self, own: TrialRecord, naive: TrialRecord) -> None:
        """Add a trial, with the same trial under :data:`MAIN_POLICY`."""
        less, trials = self.cases.get(own.case, (0.0, 0.0))
        fewer = (naive.wasted_attempts or 0) - (own.wasted_attempts or 0)
        self.cases[own.case] = (less + fewer, trials + 1)
        self.groups[own.case] = own.group
        self.labels.update(attempt.label for attempt in own.attempts)
        if own.kind in EDIT_KINDS:
            self.repairs += naive.right
            self.lost += naive.right > own.right
            self.gained += own.right > naive.right


def savings(sums: Mapping[PolicyView, Sum]) -> tuple[Saving, ...]:
    """Return what every policy except :data:`MAIN_POLICY` saves, the headline's first; empty if that was not run."""
    return tuple(_saving(view, total) for view, total in sums.items() if view.policy != MAIN_POLICY)


def unstopped(sums: Mapping[PolicyView, Sum]) -> Saving | None:
    """Return :data:`MAIN_POLICY` itself over the same trials; its savings are zero."""
    return next((_saving(view, total) for view, total in sums.items() if view.policy == MAIN_POLICY), None)


def policy_sums(selection: Selection) -> dict[PolicyView, Sum]:
    """Return the totals of each policy; empty if :data:`MAIN_POLICY` was not run, or no trial is judged under all policies."""
    naive = next((view for view in selection.policies if view.policy == MAIN_POLICY), None)
    if naive is None:
        return {}
    sums = {view: Sum() for view in selection.policies}
    names = {column.name for column in selection.ranked()}  # controls were not run on all cases
    by_view = {
        view: selection.under(view).where("treatment", lambda treatment: treatment.strategy in names) for view in sums
    }
    for _, places in shared_trials(by_view):
        each = {view: selection.records.standing(at) for view, at in places.items()}
        if all(standing.judged for standing in each.values()):
            for view, total in sums.items():
                total.add(each[view], each[naive])
    return sums if sums[naive].cases else {}


def _saving(view: PolicyView, found: Sum) -> Saving:
    trials = round(sum(count for _, count in found.cases.values()))
    return Saving(
        policy=view.label,
        against=MAIN_POLICY,
        trials=trials,
        cases=len(found.cases),
        futile=found.labels["futile"],
        fruitless=found.labels["fruitless"],
        wasted_less=sum(less for less, _ in found.cases.values()) / trials,
        interval=clustered_ratio(found.cases, found.groups),
        repairs=found.repairs,
        lost=found.lost,
        gained=found.gained,
    )

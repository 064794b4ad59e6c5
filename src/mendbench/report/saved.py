"""What each policy saves and loses against the one that only the limit stops, over the trials that every policy has."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from mendbench.report.selection import Selection
from mendbench.report.tables import UNSTOPPED
from mendbench.report.views import PolicyView
from mendbench.scoring.records import EDIT_KINDS, TrialRecord
from mendbench.scoring.statistics.exact import Interval
from mendbench.scoring.statistics.resampling import clustered_ratio

_Pair: TypeAlias = tuple[str, str, int]
"""Case, strategy and sample: what the trials of two policies share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Saving:
    """One policy against :data:`UNSTOPPED`. Attempts are those of the trials judged under every policy."""

    policy: str
    against: str
    trials: int
    """Judged under every policy."""
    cases: int
    futile: int
    fruitless: int
    """Wasted attempts: those that could not help, and those that could and did not."""
    wasted_less: float
    """Wasted attempts fewer a trial."""
    interval: Interval | None
    """95 %, over groups of cases; None where no group differs from another."""
    repairs: int
    """Trials of cases with an edit fault that :data:`UNSTOPPED` gets right."""
    lost: int
    gained: int
    """Trials that it alone gets wrong, and right, of the cases with an edit fault."""


def savings(selection: Selection) -> tuple[Saving, ...]:
    """Return what every policy but :data:`UNSTOPPED` saves, the headline's first; nothing where that was not run."""
    by_view = {view: _trials(selection, view) for view in selection.policies}
    naive = next((own for view, own in by_view.items() if view.policy == UNSTOPPED), None)
    if naive is None:
        return ()
    shared = set.intersection(*(set(own) for own in by_view.values()))
    judged = sorted(pair for pair in shared if all(own[pair].judged for own in by_view.values()))
    if not judged:
        return ()
    others = ((view, own) for view, own in by_view.items() if view.policy != UNSTOPPED)
    return tuple(_saving(view, own, naive, judged) for view, own in others)


def unstopped(selection: Selection) -> Saving | None:
    """Return :data:`UNSTOPPED` itself over the same trials, which saves nothing."""
    view = next((one for one in selection.policies if one.policy == UNSTOPPED), None)
    if view is None:
        return None
    by_view = {each: _trials(selection, each) for each in selection.policies}
    own = by_view[view]
    shared = set.intersection(*({pair for pair, one in each.items() if one.judged} for each in by_view.values()))
    return _saving(view, own, own, sorted(shared)) if shared else None


def _saving(
    view: PolicyView, own: Mapping[_Pair, TrialRecord], naive: Mapping[_Pair, TrialRecord], judged: Sequence[_Pair]
) -> Saving:
    parts: dict[str, tuple[float, float]] = defaultdict(lambda: (0.0, 0.0))
    for pair in judged:
        less = (naive[pair].wasted_attempts or 0) - (own[pair].wasted_attempts or 0)
        before = parts[pair[0]]
        parts[pair[0]] = (before[0] + less, before[1] + 1)
    labels = [attempt.label for pair in judged for attempt in own[pair].attempts]
    edits = [pair for pair in judged if own[pair].kind in EDIT_KINDS]
    moved = [own[pair].right - naive[pair].right for pair in edits]
    groups = {pair[0]: own[pair].group for pair in judged}
    return Saving(
        policy=view.label,
        against=UNSTOPPED,
        trials=len(judged),
        cases=len(parts),
        futile=labels.count("futile"),
        fruitless=labels.count("fruitless"),
        wasted_less=sum(less for less, _ in parts.values()) / len(judged),
        interval=clustered_ratio(dict(parts), groups),
        repairs=sum(naive[pair].right for pair in edits),
        lost=moved.count(-1),
        gained=moved.count(1),
    )


def _trials(selection: Selection, view: PolicyView) -> dict[_Pair, TrialRecord]:
    """Return the trials of a policy, those of controls left out: they were not run on all cases."""
    names = {column.name for column in selection.treated()}
    return {_pair(one): one for one in selection.under(view) if one.treatment.strategy in names}


def _pair(record: TrialRecord) -> _Pair:
    return record.case, record.treatment.strategy, record.sample

"""The trials that the first screen speaks of: the headline's solver, in the part of the corpus that results are told of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mendbench.bench.results import StoredRun
from mendbench.bench.totals import HEADLINE_PART, headline_rows
from mendbench.model.json import JsonObject
from mendbench.report.views import Column, PolicyView, Solver, Views, own_strategies
from mendbench.scoring.records import TrialRecord, records_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The headline's trials. Bounds answer under a policy of their own."""

    solver: Solver
    policy: PolicyView
    """The headline's."""
    policies: tuple[PolicyView, ...]
    """All that the solver was run under, the headline's first."""
    columns: tuple[Column, ...]
    """All that the solver has trials of under the headline's policy, and the bounds."""
    records: tuple[TrialRecord, ...]
    """Of the solver alone, under every policy."""
    ends: tuple[TrialRecord, ...]
    """Of the bounds, in the solver's engine."""

    def of(self, column: Column, view: PolicyView | None = None) -> tuple[TrialRecord, ...]:
        """Return the trials of a column under a policy, the headline's unless said otherwise."""
        if column.group == "bound":
            return tuple(one for one in self.ends if one.treatment.repairer == column.name)
        return tuple(one for one in self.under(view or self.policy) if one.treatment.strategy == column.name)

    def under(self, view: PolicyView) -> tuple[TrialRecord, ...]:
        """Return the solver's trials under a policy."""
        own = (view.policy, view.detector)
        return tuple(one for one in self.records if (one.treatment.policy, one.treatment.detector) == own)

    def strategies(self) -> tuple[Column, ...]:
        """Return the columns that are no bounds: strategies, then controls."""
        return tuple(column for column in self.columns if column.group != "bound")

    def treated(self) -> tuple[Column, ...]:
        """Return the strategies that are no controls; the controls where there is nothing else."""
        return own_strategies(self.columns)


def select(run: StoredRun, views: Views) -> Selection | None:
    """Return the trials that the first screen speaks of; None where nobody answered under any policy."""
    records = records_of(headline_rows(run.rows))
    bounds = set(views.bounds())
    for solver in views.solvers:
        who = (solver.engine, solver.repairer, solver.model)
        own = tuple(one for one in records if _who(one) == who)
        ends = tuple(one for one in records if one.treatment.repairer in bounds and one.treatment.engine == who[0])
        ran = {(one.treatment.policy, one.treatment.detector) for one in own}
        policies = tuple(view for view in views.policies if (view.policy, view.detector) in ran)
        if policies:
            return _selection(solver, policies, views.columns, own, ends)
    return None


def _selection(
    solver: Solver, policies: tuple[PolicyView, ...], columns: Sequence[Column], own: tuple[TrialRecord, ...],
    ends: tuple[TrialRecord, ...],
) -> Selection:  # fmt: skip
    first = policies[0]
    there = {
        one.treatment.strategy
        for one in own
        if (one.treatment.policy, one.treatment.detector) == (first.policy, first.detector)
    }
    known = {one.treatment.repairer for one in ends}
    shown = tuple(column for column in columns if column.name in (known if column.group == "bound" else there))
    return Selection(solver=solver, policy=first, policies=policies, columns=shown, records=own, ends=ends)


def total_of(totals: Sequence[JsonObject], selection: Selection, column: Column) -> JsonObject | None:
    """Return the total of a column under the headline's policy, a bound's under its own; None where there is none."""
    solver, view = selection.solver, selection.policy
    if column.group == "bound":
        bounds = (one for one in totals if (one["repairer"], one["engine"]) == (column.name, solver.engine))
        return next(bounds, None)
    own = (one for one in totals if solver.answered(one) and view.ran(one) and one["strategy"] == column.name)
    return next(own, None)


def headline_totals(run: StoredRun) -> tuple[JsonObject, ...]:
    """Return the run's totals that results are told of: those of the test part; all where there are none of it."""
    found: Sequence[JsonObject] = run.run["totals"]
    return tuple(total for total in found if total["part"] == HEADLINE_PART) or tuple(found)


def _who(record: TrialRecord) -> tuple[str, str, str | None]:
    return record.treatment.engine, record.treatment.repairer, record.treatment.model

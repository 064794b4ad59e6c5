"""The trials on the first screen: the headline's solver, in the part of the corpus that results cover."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial

from mendbench.model.json import JsonObject
from mendbench.report.views import STRATA, GridColumn, PolicyView, Solver, Views, own_strategies
from mendbench.results.store import StoredRun
from mendbench.results.totals import headline_records, totals
from mendbench.scoring.record_table import Records
from mendbench.scoring.records import Treatment
from mendbench.values.interning import NUMBERS

SCORES = frozenset({
    "repair_success", "attempt1_success", "plausible", "harmful", "attempts", "wasted", "context_tokens", "context_recall",
    "repairable_success", "mixed_success", "needs_user_success", "transient_success", "control_success",
})  # fmt: skip
"""The scores of a stratum that a report shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The headline's trials. Bounds have their own policy."""

    solver: Solver
    policy: PolicyView
    """The headline's policy."""
    policies: tuple[PolicyView, ...]
    """All policies that the solver was run under, the headline's first."""
    columns: tuple[GridColumn, ...]
    """All columns with trials of the solver under the headline's policy, and the bounds."""
    records: Records
    """Trials of the solver, under every policy."""
    ends: Records
    """Trials of the bounds, in the solver's engine."""
    api: str = ""
    """The stratum of APIs of all trials; empty if none is chosen."""

    def of(self, column: GridColumn, view: PolicyView | None = None) -> Records:
        """Return the trials of a column under a policy, by default the headline's."""
        if column.group == "bound":
            return self.ends.where("treatment", lambda treatment: treatment.repairer == column.name)
        return self.under(view or self.policy).where("treatment", lambda treatment: treatment.strategy == column.name)

    def of_api(self, api: str) -> Selection:
        """Return the trials of one stratum of APIs; all of them if ``api`` is empty."""
        if not api:
            return self
        records, ends = (found.where("api", api.__eq__) for found in (self.records, self.ends))
        return replace(self, records=records, ends=ends, api=api)

    def main(self) -> Records:
        """Return the trials under the headline's policy except controls and bounds, column by column."""
        places = array(NUMBERS)
        for column in self.ranked():
            places.extend(self.of(column).places())
        return self.records.only(places)

    def under(self, view: PolicyView) -> Records:
        """Return the solver's trials under a policy."""
        return self.records.where("treatment", view.runs)

    def strategies(self) -> tuple[GridColumn, ...]:
        """Return the columns that are not bounds: strategies, then controls."""
        return tuple(column for column in self.columns if column.group != "bound")

    def ranked(self) -> tuple[GridColumn, ...]:
        """Return the strategies that are not controls; the controls if there is nothing else."""
        return own_strategies(self.columns)


def select(run: StoredRun, views: Views, solvers: Sequence[Solver] | None = None) -> Selection | None:
    """Return the trials of the first solver that has any; None if none of ``solvers``, by default all, has responses under a policy."""
    records = headline_records(run.records)
    bounds = set(views.bounds())
    for solver in views.solvers if solvers is None else solvers:
        own = records.where("treatment", solver.answers)
        ends = records.where("treatment", partial(_ends_beside, solver, bounds))
        ran: tuple[Treatment, ...] = own.values("treatment")
        policies = tuple(view for view in views.policies if any(map(view.runs, ran)))
        if policies:
            return _selection(solver, policies, views.columns, own, ends)
    return None


def _selection(
    solver: Solver, policies: tuple[PolicyView, ...], columns: Sequence[GridColumn], own: Records, ends: Records
) -> Selection:
    first = policies[0]
    there = {treatment.strategy for treatment in own.values("treatment") if first.runs(treatment)}
    known = {treatment.repairer for treatment in ends.values("treatment")}
    shown = tuple(column for column in columns if column.name in (known if column.group == "bound" else there))
    return Selection(solver=solver, policy=first, policies=policies, columns=shown, records=own, ends=ends)


def total_of(found: Sequence[JsonObject], selection: Selection, column: GridColumn) -> JsonObject | None:
    """Return the total of a column under the headline's policy, a bound's under its own policy; None if there is none."""
    solver, view = selection.solver, selection.policy
    if column.group == "bound":
        bounds = (row for row in found if (row["repairer"], row["engine"]) == (column.name, solver.engine))
        return next(bounds, None)
    own = (row for row in found if solver.answered(row) and view.ran(row) and row["strategy"] == column.name)
    return next(own, None)


def headline_totals(
    run: StoredRun, wanted: Callable[[Treatment], bool] = lambda _treatment: True
) -> dict[str, tuple[JsonObject, ...]]:
    """Return the totals of the headline's trials for each stratum of APIs: strata are never pooled.

    The key is the stratum; it is empty if the run has only one. Totals contain the scores in :data:`SCORES`, of the ``wanted`` treatments.
    """
    by_api = headline_records(run.records).where("treatment", wanted).by("api")
    return {api if len(by_api) > 1 else "": tuple(totals(by_api[api], SCORES)) for api in STRATA if api in by_api}


def _ends_beside(solver: Solver, bounds: Collection[str], treatment: Treatment) -> bool:
    return treatment.repairer in bounds and treatment.engine == solver.engine

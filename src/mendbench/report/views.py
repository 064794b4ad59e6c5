"""How a report arranges a run's trials: by solver, policy and column."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from mendbench.errors import UnknownName
from mendbench.model.json import JsonObject
from mendbench.repair.policies import policy
from mendbench.results.store import StoredRun
from mendbench.scoring.records import Treatment
from mendbench.strategies.interface import parts_of
from mendbench.trial.strategies import ORACLE_HINT

CONTROL_STRATEGIES = ("none", "placebo", "summary-b", ORACLE_HINT)
"""Recorded like strategies; a gap no larger than theirs is not a finding."""

BOUND_REPAIRERS = {"noop": "lower bound", "suggestion-only": "lower bound", "reference": "upper bound"}
"""Run once per case, to bound every strategy from below and above."""

RULE_BOOK = "rules"
"""The repairer that is a smoke test: it shows that prompts can be used, and does not rank strategies as models do."""

STRATA = ("private", "well-known")
"""Whether an engineer who knows the public API could name the fix without seeing the error. The two are never pooled."""

MAIN_POLICY = "naive"
"""The policy under which strategies are compared: only the limit stops it, so it does not influence the comparison."""

Group: TypeAlias = Literal["strategy", "variation", "control", "bound"]
"""A variation is a strategy with a section left out, with an addition or in another frame, beside the main matrix. It is not ranked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Solver:
    """The source of the responses: one repairer, with its model, in one engine."""

    label: str
    engine: str
    repairer: str
    model: str | None

    def answered(self, total: JsonObject) -> bool:
        """Return whether a total covers this solver's responses."""
        return (total["engine"], total["repairer"], total["model"]) == (self.engine, self.repairer, self.model)

    def answers(self, treatment: Treatment) -> bool:
        """Return whether the responses under a treatment are this solver's."""
        return (treatment.engine, treatment.repairer, treatment.model) == (self.engine, self.repairer, self.model)


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyView:
    """One policy with the detector that was actually used."""

    label: str
    policy: str
    detector: str | None

    @property
    def measure(self) -> str:
        """The score by which strategies are compared: a trial that stops after one response is judged by what this response did."""
        try:
            return "attempt1_success" if policy(self.policy).max_responses == 1 else "repair_success"
        except UnknownName:
            return "repair_success"

    def ran(self, total: JsonObject) -> bool:
        """Return whether the trials of a total ran under this policy."""
        return (total["policy"], total["detector"]) == (self.policy, self.detector)

    def runs(self, treatment: Treatment) -> bool:
        """Return whether a treatment uses this policy."""
        return (treatment.policy, treatment.detector) == (self.policy, self.detector)


@dataclass(frozen=True, slots=True, kw_only=True)
class GridColumn:
    """One column of the grid: a strategy, or a repairer that bounds all strategies."""

    name: str
    group: Group


@dataclass(frozen=True, slots=True, kw_only=True)
class Views:
    """All choices of a reader. The first solver and the first policy are the headline's.

    The first solver is the main model of the configuration, else the first one of the matrix.
    """

    solvers: tuple[Solver, ...]
    policies: tuple[PolicyView, ...]
    columns: tuple[GridColumn, ...]

    def bounds(self) -> tuple[str, ...]:
        """Return the repairers that bound every solver."""
        return tuple(column.name for column in self.columns if column.group == "bound")


def views_of(run: StoredRun) -> Views:
    """Return the views of the run's trials, in the order of the run's matrix, others by name."""
    matrix = _axes(run)
    treatments: tuple[Treatment, ...] = run.records.values("treatment")
    named = {treatment.repairer for treatment in treatments}
    bounds = {name for name in named if name in BOUND_REPAIRERS}
    bounds = bounds if named - bounds else set()
    own = [treatment for treatment in treatments if treatment.repairer not in bounds]
    strategies = _ordered({treatment.strategy for treatment in own}, matrix, "strategies")
    own_names = [name for name in strategies if name not in CONTROL_STRATEGIES]
    plain = [GridColumn(name=name, group="strategy") for name in own_names if not _is_variation(name, run)]
    varied = [GridColumn(name=name, group="variation") for name in own_names if _is_variation(name, run)]
    controls = [GridColumn(name=name, group="control") for name in CONTROL_STRATEGIES if name in strategies]
    ends = [GridColumn(name=name, group="bound") for name in BOUND_REPAIRERS if name in bounds]
    return Views(
        solvers=_solvers(own, matrix), policies=_policies(own, matrix), columns=(*plain, *varied, *controls, *ends)
    )


def _is_variation(name: str, run: StoredRun) -> bool:
    main: JsonObject = next(iter(run.run["matrix"]), {})
    return parts_of(name).base != name and name not in main.get("strategies", [])


def own_strategies(columns: Sequence[GridColumn]) -> tuple[GridColumn, ...]:
    """Return the columns that are neither controls nor bounds; the controls if there is nothing else."""
    plain = tuple(column for column in columns if column.group == "strategy")
    return plain or tuple(column for column in columns if column.group == "control")


def main_model(run: StoredRun) -> str | None:
    """Return the headline's model: that of the configuration, else the first one of the matrix. The run may have no trial of this model."""
    return next(iter(_axes(run)["models"]), None)


def control_model(run: StoredRun) -> str | None:
    """Return the model of the configuration whose results lead the main model's; None if none is configured."""
    model: str | None = (run.run.get("report") or {}).get("control_model")
    return model


def _axes(run: StoredRun) -> JsonObject:
    """Return the names on each axis of a run's sweeps: the main model, then the main matrix, then the others."""
    sweeps, axes = run.run.get("matrix") or [], ("models", "strategies", "policies")
    found = {axis: list(dict.fromkeys(name for sweep in sweeps for name in sweep.get(axis, ()))) for axis in axes}
    main = (run.run.get("report") or {}).get("main_model")
    return found if main is None else {**found, "models": [main, *(name for name in found["models"] if name != main)]}


def _solvers(treatments: Sequence[Treatment], matrix: JsonObject) -> tuple[Solver, ...]:
    found = {(treatment.engine, treatment.repairer, treatment.model) for treatment in treatments}
    engines, models = {key[0] for key in found}, list(matrix.get("models") or ())

    def place(key: tuple[str, str, str | None]) -> tuple[bool, int, str, str, str]:
        engine, repairer, model = key
        return model is None, models.index(model) if model in models else len(models), engine, repairer, model or ""

    repairers = {key[1] for key in found if key[2] is not None}
    return tuple(
        Solver(label=_solver_label(key, engines, repairers), engine=key[0], repairer=key[1], model=key[2])
        for key in sorted(found, key=place)
    )


def _solver_label(key: tuple[str, str, str | None], engines: set[str], repairers: set[str]) -> str:
    engine, repairer, model = key
    name = repairer if model is None else model if len(repairers) == 1 else f"{model} ({repairer})"
    return name if len(engines) == 1 else f"{name} in {engine}"


def _policies(treatments: Sequence[Treatment], matrix: JsonObject) -> tuple[PolicyView, ...]:
    detectors: dict[str, set[str | None]] = defaultdict(set)
    for treatment in treatments:
        detectors[treatment.policy].add(treatment.detector)
    names = _ordered(set(detectors), matrix, "policies")
    names.sort(key=lambda name: name != MAIN_POLICY)
    return tuple(
        PolicyView(
            label=name if len(detectors[name]) == 1 else f"{name}, detector {one or 'none'}", policy=name, detector=one
        )
        for name in names
        for one in sorted(detectors[name], key=lambda detector: detector or "")
    )


def _ordered(names: set[str], matrix: JsonObject, axis: str) -> list[str]:
    order = [name for name in matrix.get(axis) or () if name in names]
    return [*order, *sorted(names.difference(order))]

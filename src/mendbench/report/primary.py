"""The primary contrasts of a run, from the plans that the run contains: the only results with a p-value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import ValidationError

from mendbench.corpus.protocol import Protocol
from mendbench.results.store import StoredRun
from mendbench.scoring.comparing.contrasts import Changed, ContrastResult, contrasts
from mendbench.scoring.record_table import Records


@dataclass(frozen=True, slots=True, kw_only=True)
class Primary:
    """Results of the primary contrasts of one protocol."""

    protocol: str
    """The name of its file, without the ending."""
    model: str
    """The model that they are planned for."""
    detectors: tuple[tuple[str, str], ...]
    """The policies of the plan that have a detector, each with its detector."""
    results: tuple[ContrastResult, ...]


def changed_in(run: StoredRun, protocol: str) -> Changed:
    """Return what changed after a protocol was frozen, as ``run.json`` states."""
    stated = (run.run.get("protocols") or {}).get(protocol) or {}
    return Changed(
        frame=bool(stated.get("frame")),
        scorer=bool(stated.get("scorer")),
        strategies=tuple(stated.get("strategies") or ()),
    )


def models_planned_for(run: StoredRun) -> frozenset[str]:
    """Return the models that primary contrasts of a run are planned for."""
    return frozenset(plan.model for _, plan in _plans(run))


def tuned_in(run: StoredRun) -> tuple[str, ...]:
    """Return the strategies that were changed after a plan was frozen: they have no test result."""
    names = run.run.get("protocols") or {}
    return tuple(dict.fromkeys(strategy for name in names for strategy in changed_in(run, name).strategies))


def primaries_of(run: StoredRun) -> tuple[Primary, ...]:
    """Return the results of the primary contrasts that ``run.json`` contains under ``protocols``; none if it has no plan."""
    return tuple(
        Primary(
            protocol=name, model=plan.model, detectors=tuple(plan.detectors.items()),
            results=contrasts(_covered(run, plan), plan, changed=changed_in(run, name)),
        )
        for name, plan in _plans(run)
    )  # fmt: skip


def _plans(run: StoredRun) -> Iterator[tuple[str, Protocol]]:
    for name, stated in (run.run.get("protocols") or {}).items():
        try:
            yield name, Protocol.model_validate(stated["plan"])
        except (KeyError, ValidationError):
            continue


def _covered(run: StoredRun, plan: Protocol) -> Records:
    return run.records.where(
        "treatment", lambda treatment: plan.covers(treatment.model, treatment.policy, treatment.detector)
    )

"""The primary contrasts of a run, from the plan that the run contains: the only results with a p-value."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import ValidationError

from mendbench.corpus.protocol import Protocol
from mendbench.results.store import StoredRun
from mendbench.scoring.comparing.contrasts import TRAINING, Changed, ContrastResult, contrasts
from mendbench.scoring.record_table import Records

_ABSENT = "This run has no plan of primary contrasts, so all of it is exploratory."


@dataclass(frozen=True, slots=True, kw_only=True)
class Primary:
    """Results of the primary contrasts."""

    model: str | None
    """The model that they are planned for."""
    detectors: tuple[tuple[str, str], ...]
    """The policies of the plan that have a detector, each with its detector."""
    results: tuple[ContrastResult, ...]
    why_none: str | None
    """Why there are no results; None if there are."""
    tuned: tuple[str, ...]
    """Strategies that were changed after the plan was frozen: they have no test result."""


def changed_in(run: StoredRun) -> Changed:
    """Return which strategies, and whether the frame, changed after the plan was frozen, as ``run.json`` states."""
    protocol = run.run.get("protocol") or {}
    return Changed(frame=bool(protocol.get("frame")), strategies=tuple(protocol.get("strategies") or ()))


def settled_for(run: StoredRun) -> str | None:
    """Return the model that the primary contrasts of a run are planned for; None if there is no plan."""
    plan = _plan(run)
    return None if plan is None else plan.model


def _plan(run: StoredRun) -> Protocol | None:
    try:
        return Protocol.model_validate((run.run.get("protocol") or {})["plan"])
    except (KeyError, ValidationError):
        return None


def primary_of(run: StoredRun) -> Primary:
    """Return the results of the primary contrasts that ``run.json`` contains under ``protocol``."""
    changed, plan = changed_in(run), _plan(run)
    if plan is None:
        return Primary(model=None, detectors=(), results=(), why_none=_ABSENT, tuned=changed.strategies)
    cases = run.run["protocol"].get("cases") or {}
    expected, training = cases.get(plan.part) or (), cases.get(TRAINING) or ()
    found = contrasts(_asked(run, plan), plan, expected=expected, training=training, changed=changed)
    detectors = tuple(plan.detectors.items())
    return Primary(model=plan.model, detectors=detectors, results=found, why_none=None, tuned=changed.strategies)


def _asked(run: StoredRun, plan: Protocol) -> Records:
    """Return the trials that the plan covers."""
    return run.records.where(
        "treatment", lambda treatment: plan.covers(treatment.model, treatment.policy, treatment.detector)
    )

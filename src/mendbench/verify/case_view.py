"""A case for display: its workflow as a graph, its failure, its truth, and the strength of its checks."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from typing import get_args

from mendbench.cassettes.recordings import Recordings
from mendbench.detectors import detector
from mendbench.errors import ReplayMiss
from mendbench.model.case import Api, Case, Kind, Level, Provenance
from mendbench.model.execution import Execution
from mendbench.model.json import Json, JsonObject
from mendbench.recording.scope_recording import Recording
from mendbench.replay.guard import guarded
from mendbench.scoring.judging.checks import describe
from mendbench.trial.components import TRUTH_DETECTOR, BenchContext, build_engine
from mendbench.trial.scope import open_scope
from mendbench.values.json_patch import nodes_of
from mendbench.verify.proof import Proof, prove
from mendbench.verify.proof_store import stored_proof

CASE_FILTERS: Mapping[str, tuple[str, ...]] = {
    "family": (),
    "kind": get_args(Kind),
    "level": tuple(map(str, get_args(Level))),
    "api": get_args(Api),
    "recorded_from": get_args(Provenance),
    "tags": (),
}
"""The filters for cases and their possible values; no values for filters that depend on the cases."""


def fits(row: JsonObject, wanted: Mapping[str, Collection[str]]) -> bool:
    """Return whether a :func:`case_row` has one of the wanted values for each given filter of :data:`CASE_FILTERS`."""
    return all(_values(row[name]).intersection(values) for name, values in wanted.items())


def _values(field: Json) -> set[str]:
    listed = list(field.values()) if isinstance(field, dict) else field if isinstance(field, list) else [field]
    return {str(value) for value in listed}


def case_row(context: BenchContext, case: Case) -> JsonObject:
    """Return a case as a row of a list. ``strength`` is None if there is no stored proof of this version of the case."""
    proof = kept_proof(context, case)
    return {
        "case": case.id,
        "group": case.group,
        "family": case.family,
        "kind": case.kind,
        "title": case.title,
        "api": case.api,
        "recorded_from": case.recorded_from,
        "tags": list(case.tags),
        "adversarial_to": list(case.adversarial_to),
        "variants": len(case.variants),
        "nodes": len(nodes_of(case.workflow)),
        **_proved(proof),
    }


def _proved(proof: Proof | None) -> JsonObject:
    """Return what a proof shows of a case; None for each without a proof."""
    if proof is None:
        return dict.fromkeys(("level", "mutation_score", "proved"))
    return {"level": proof.level, "mutation_score": proof.mutation_score, "proved": proof.held}


def kept_proof(context: BenchContext, case: Case) -> Proof | None:
    """Return the stored proof of a case, if it is of this version of the case."""
    folder = context.corpus.cassettes(case)
    return stored_proof(context.proofs_dir, case, folder) if context.proofs_dir is not None else None


def case_document(context: BenchContext, case: Case) -> JsonObject:
    """Return everything about a case. A proof that is not stored is made."""
    proof = kept_proof(context, case) or prove(context, case.id)
    execution, problem = _first(context, case)
    fates = [mutant.fate for mutant in proof.mutants]
    return {
        **case_row(context, case),
        "request": case.request,
        "inputs": case.inputs,
        "source": case.source,
        "graph": _graph(case, execution),
        "failures": [] if execution is None else [_failure(one) for one in execution.failures],
        "warnings": [] if execution is None else [dataclasses.asdict(one) for one in execution.warnings],
        "not_recorded": problem,
        "faults": [dataclasses.asdict(fault) for fault in case.faults],
        "expect": {"first": case.first, "after_fix": case.after_fix, "final": case.final},
        "checks": [describe(one) for one in case.checks],
        "variants": [
            {"name": one.name, "final": one.final, "checks": [describe(each) for each in one.checks]}
            for one in case.variants
        ],
        "fix": list(case.fix.patch) if case.fix else None,
        "accepts": [{"why": one.why, "patch": list(one.patch)} for one in case.accepts],
        "wrong_fixes": [{"why": one.why, "patch": list(one.patch)} for one in case.wrong_fixes],
        **_proved(proof),
        "mutants": {fate: fates.count(fate) for fate in dict.fromkeys(fates)},
        "survivors": [mutant.what for mutant in proof.mutants if mutant.fate == "survived"],
        "open": [{"what": one.what, "why": one.why} for one in proof.findings if not one.held],
        "folder": str(case.folder),
        "cassettes": str(context.corpus.cassettes(case)),
    }


def _first(context: BenchContext, case: Case) -> tuple[Execution | None, str | None]:
    """Return the first execution, judged like every clean run; or why there is none."""
    recordings = Recordings.open(context.corpus.cassettes(case))
    hint = f"mendbench case check {case.id} --record new_episodes"
    scope = open_scope(case, None, recordings, Recording(), hint)
    try:
        with guarded():
            execution = build_engine("mendbench", case).execute(
                case.workflow, scope.inputs, scope.world,
                checkpoint=None, detector=detector(TRUTH_DETECTOR), clock=scope.clock,
            )  # fmt: skip
    except ReplayMiss as miss:
        return None, str(miss)
    return execution, None


def _failure(failure: object) -> JsonObject:
    """Return a failure without its empty fields."""
    fields = dataclasses.asdict(failure)  # type: ignore[call-overload]
    return {name: value for name, value in fields.items() if value not in (None, (), [], {}, False)}


def _graph(case: Case, execution: Execution | None) -> list[JsonObject]:
    """Return the nodes in the document's order with their edges, labels and final states."""
    states = execution.states() if execution is not None else {}
    listed = [edge for edge in _items(case.workflow.get("edges")) if isinstance(edge, dict)]
    rows: list[JsonObject] = []
    for node in (one for one in _items(case.workflow.get("nodes")) if isinstance(one, dict)):
        name = node.get("id")
        faults = [fault for fault in case.faults if name in (*fault.cause, fault.surfaces)]
        rows.append(
            {
                "node": name,
                "type": node.get("type"),
                "to": [
                    {"node": edge.get("to"), "action": edge.get("action", "default")}
                    for edge in listed
                    if edge.get("from") == name
                ],
                "labelled": case.first.get(str(name)),
                "state": states.get(str(name)),
                "cause_of": [fault.id for fault in faults if name in fault.cause],
                "surfaces": [fault.id for fault in faults if name == fault.surfaces],
            }
        )
    return rows


def _items(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []

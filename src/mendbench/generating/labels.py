"""The labels of a derived case, from its break and from runs of the broken and of the right workflow."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from mendbench.generating.breaks import Break
from mendbench.generating.seed import Seed
from mendbench.io.canonical_json import canonical_json
from mendbench.model.case import Case, Check, Fault, Fix, NoRequestCheck, Variant, WarningCheck
from mendbench.model.execution import Execution, NodeRecord, NodeState
from mendbench.model.trial import CleanRun
from mendbench.scoring.judging.checks import evaluate
from mendbench.scoring.judging.recall import context_recall
from mendbench.strategies.frame import build_frame
from mendbench.values.merge_patch import merge_patch
from mendbench.verify.patches import patch_between

SHOWN = 80
"""Characters of a value that a label quotes."""

HTTP_FAILURE = 400
"""The lowest HTTP status of a failure."""

RightRun = Callable[[Variant | None], CleanRun]
"""Runs the right workflow in the world of the derived case, on its own data or on a variant's."""


def derived_case(seed: Seed, broken: Break, name: str, folder: Path) -> Case:
    """Return the case of a break, still without faults, ends and wrong fixes."""
    case = seed.case
    state = {**case.state, **{key: merge_patch(case.state.get(key, {}), patch) for key, patch in broken.state.items()}}
    fix = Fix(patch=patch_between(broken.workflow, seed.workflow)) if broken.who == "edit" else None
    return replace(
        case, name=name, folder=folder, title=broken.what, workflow=broken.workflow, state=state, fix=fix,
        tags=(*case.tags, "generated", broken.operator), source=f"{broken.source}; derived from {case.id}",
    )  # fmt: skip


def failing_record(execution: Execution) -> NodeRecord | None:
    """Return the node that failed; of several the first."""
    return next(
        (one for one in execution.nodes if one.observation is not None or one.state in {"error", "warning"}), None
    )


def recovered_node(run: CleanRun) -> str | None:
    """Return the node whose request failed and was sent again with success; None if there is none."""
    failed = [one for one in run.traffic if one.response.fault or one.response.status >= HTTP_FAILURE]
    return failed[0].node if failed and run.execution.outcome == "success" else None


def fault_of(case: Case, broken: Break, run: CleanRun) -> Fault:
    """Return the fault of a single break; ``run`` is a run of its broken workflow.

    Who can help is the operator's statement, and never taken from what a detector said.
    """
    if broken.who == "edit":
        facts = _stated(case, broken.facts, run)
        return Fault(
            id=broken.operator, cause=broken.cause, surfaces=broken.node, state="error", who="edit",
            category=broken.category,
            facts=tuple(map(re.escape, facts)), fact_texts=facts,
            evidence=f"{broken.what}; with {_fix_text(case)} the workflow works",
        )  # fmt: skip
    passes = broken.who == "retry"
    record = failing_record(run.execution)
    return Fault(
        id=broken.operator, cause=(), surfaces=(recovered_node(run) if passes else record and record.node_id) or "",
        state="warning", who=broken.who, category="execution_failure" if passes else "non_repairable", says=broken.says,
        evidence=f"{broken.what}: {'the next try succeeds' if passes else 'no edit of the request changes this'}",
    )  # fmt: skip


def labelled(case: Case, seed: Seed, faults: tuple[Fault, ...], run: CleanRun, right: RightRun) -> Case:
    """Return the case with its faults, and with node states, ends, checks and variants that hold for them."""
    refused = tuple(fault for fault in faults if fault.who == "user")
    marked = case if not refused else _refused(case, seed, refused[0], right)
    fixed = right(None).execution
    return replace(
        marked, faults=faults, first=_states(run.execution, faults),
        after_fix=_states(fixed, refused) if case.fix else {}, final="warning" if refused else "success",
    )  # fmt: skip


def _refused(case: Case, seed: Seed, fault: Fault, right: RightRun) -> Case:
    """Return the case with those checks of the seed that hold although the world refuses, and with checks of the refusal."""
    warning = WarningCheck(node=fault.surfaces, says=fault.says or "")
    own = right(None)
    checks = (*_held(seed, seed.case.checks, own), warning, *_later_writes(seed, own.execution))
    variants = []
    for one in seed.case.variants:
        run = right(one)
        met = run.execution.outcome == "warning"
        held = _held(seed, one.checks, run)
        variants.append(replace(one, checks=(*held, warning), final="warning") if met else one)
    return replace(case, checks=checks, variants=tuple(variants))


def _held(seed: Seed, checks: tuple[Check, ...], run: CleanRun) -> Iterator[Check]:
    for check in checks:
        if evaluate(check, original=seed.workflow, workflow=seed.workflow, run=run, trial_traffic=None).held:
            yield check


def _later_writes(seed: Seed, refused: Execution) -> Iterator[NoRequestCheck]:
    """Yield a check for each write behind the refusal: it must not be sent."""
    reached = {record.node_id for record in refused.nodes if record.state != "not_run"}
    written = (one for one in seed.run.traffic if one.changed and one.node not in reached)
    for method, url in dict.fromkeys((one.request.method, one.request.url) for one in written):
        yield NoRequestCheck(method=method, url=re.escape(url))


def _states(execution: Execution, faults: tuple[Fault, ...]) -> dict[str, NodeState]:
    """Return the state of each node, with the labelled state where a fault shows."""
    shown = {fault.surfaces: fault.state for fault in faults if fault.who != "retry"}
    states = execution.states()
    failed = {name for name, state in states.items() if state in {"error", "warning"}}
    return {name: shown.get(name, state) if name in failed else state for name, state in states.items()}


def _fix_text(case: Case) -> str:
    operations = case.fix.patch if case.fix else ()
    return "; ".join(f"{one['path']}: {json.dumps(one.get('value'), ensure_ascii=False)[:SHOWN]}" for one in operations)


def _stated(case: Case, facts: tuple[str, ...], run: CleanRun) -> tuple[str, ...]:
    """Return the facts that an error report can state: the first execution contains them, and the frame does not."""
    frame = build_frame(case.request, case.workflow, None)
    seen = [one.response.body.decode("utf-8", "replace") for one in run.traffic]
    seen += [canonical_json(dataclasses.asdict(failure)) for failure in run.execution.failures]
    seen += [canonical_json(record.outputs) for record in run.execution.nodes]
    patterns = {fact: re.escape(fact) for fact in facts}
    return tuple(
        fact for fact, pattern in patterns.items()
        if not context_recall((pattern,), frame).found and any(context_recall((pattern,), text).found for text in seen)
    )  # fmt: skip

"""The labels of a derived case, from its break and from what its first execution did."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import yaml

from mendbench.generating.breaks import Break
from mendbench.generating.seed import Seed
from mendbench.io.canonical_json import canonical_json
from mendbench.model.case import Case, Check, Fault, Fix, KeptCheck, NoRequestCheck, Times, Variant, WarningCheck
from mendbench.model.execution import Execution, NodeRecord, NodeState
from mendbench.model.json import Json, JsonObject
from mendbench.model.trial import CleanRun
from mendbench.scoring.judging.recall import context_recall
from mendbench.strategies.frame import build_frame
from mendbench.values.merge_patch import merge_patch
from mendbench.verify.patches import patch_between

SHOWN = 80
"""Characters of a value that a label quotes."""

HTTP_FAILURE = 400
"""The lowest HTTP status of a failure."""


def derived_case(seed: Seed, broken: Break, name: str, folder: Any) -> Case:
    """Return the case of a break, still without a fault, an end and wrong fixes."""
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


def labelled(case: Case, seed: Seed, broken: Break, run: CleanRun) -> Case:
    """Return the case with a fault, node states, checks and variants that hold for its break.

    Who can help is the operator's statement, and never taken from what a detector said.
    """
    if broken.who == "edit":
        return _repairable(case, seed, broken, run.execution)
    return _transient(case, broken, run) if broken.who == "retry" else _user_only(case, seed, broken, run.execution)


def _repairable(case: Case, seed: Seed, broken: Break, execution: Execution) -> Case:
    failure = execution.failures[0] if execution.failures else None
    category = failure.category if failure is not None and failure.category != "non_repairable" else "api_validation"
    fault = Fault(
        id=broken.operator, cause=broken.cause, surfaces=broken.node, state="error", who="edit", category=category,
        facts=tuple(map(re.escape, broken.facts)), fact_texts=broken.facts,
        evidence=f"{broken.what}; with {_fix_text(case)} the workflow works",
    )  # fmt: skip
    first: dict[str, NodeState] = {
        name: "error" if name == broken.node and state != "not_run" else state
        for name, state in _states(execution).items()
    }
    return replace(case, faults=(fault,), first=first, after_fix=seed.case.first, final="success")


def _fix_text(case: Case) -> str:
    operations = case.fix.patch if case.fix else ()
    return "; ".join(f"{one['path']}: {json.dumps(one.get('value'), ensure_ascii=False)[:SHOWN]}" for one in operations)


def _user_only(case: Case, seed: Seed, broken: Break, execution: Execution) -> Case:
    record = failing_record(execution)
    node = record.node_id if record is not None else ""
    fault = Fault(
        id=broken.operator, cause=(), surfaces=node, state="warning", who="user", category="non_repairable",
        says=broken.says, evidence=f"{case.title}: no edit of the request changes this",
    )  # fmt: skip
    states = _states(execution)
    first: dict[str, NodeState] = {name: "warning" if name == node else state for name, state in states.items()}
    checks: tuple[Check, ...] = (WarningCheck(node=node, says=broken.says), *_later_writes(seed, states))
    variants = tuple(replace(one, checks=checks[:1], final="warning") for one in seed.case.variants)
    return replace(case, faults=(fault,), first=first, after_fix={}, final="warning", checks=checks, variants=variants)


def _later_writes(seed: Seed, states: dict[str, NodeState]) -> Iterator[NoRequestCheck]:
    """Yield a check for each write behind the refusal: it must not be sent."""
    written = (one for one in seed.run.traffic if one.changed and states.get(one.node or "") == "not_run")
    for method, url in dict.fromkeys((one.request.method, one.request.url) for one in written):
        yield NoRequestCheck(method=method, url=re.escape(url))


def _transient(case: Case, broken: Break, run: CleanRun) -> Case:
    fault = Fault(
        id=broken.operator, cause=(), surfaces=recovered_node(run) or "", state="warning", who="retry",
        category="execution_failure", says=broken.says, evidence=f"{case.title}: the next try succeeds",
    )  # fmt: skip
    return replace(case, faults=(fault,), first=_states(run.execution), after_fix={}, final="success")


def _states(execution: Execution) -> dict[str, NodeState]:
    return {record.node_id: record.state for record in execution.nodes}


def stated_facts(case: Case, facts: tuple[str, ...], run: CleanRun) -> tuple[str, ...]:
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


def case_text(case: Case) -> str:
    """Return ``case.yaml`` of a case."""
    return yaml.safe_dump(_document(case), sort_keys=False, allow_unicode=True, width=140, default_flow_style=None)


def _document(case: Case) -> JsonObject:
    expect: JsonObject = {"first": dict(case.first)}
    if case.after_fix:
        expect["after_fix"] = dict(case.after_fix)
    document: JsonObject = {
        "title": case.title, "group": case.group, "request": case.request, "recorded_from": dict(case.recorded_from),
        "difficulty": case.difficulty, "api": case.api, "inputs": case.inputs, "state": case.state,
        "faults": [_plain(fault) for fault in case.faults],
        "expect": {**expect, "final": case.final},
        "checks": [_check(check) for check in case.checks],
        "variants": [_variant(one) for one in case.variants],
    }  # fmt: skip
    if case.fix:
        document["fix"] = list(case.fix.patch)
    document["wrong_fixes"] = [{"why": fix.why, "patch": list(fix.patch)} for fix in case.wrong_fixes]
    return {**document, "tags": list(case.tags), "source": case.source}


def _plain(item: Any) -> JsonObject:
    """Return a frozen record as JSON, without fields that have their default."""
    found: JsonObject = {}
    for name, about in type(item).__dataclass_fields__.items():
        value = getattr(item, name)
        if name != "kind" and value not in (about.default, (), {}, None, ""):
            found[name] = list(value) if isinstance(value, tuple) else value
    return found


def _check(check: Check) -> JsonObject:
    if isinstance(check, KeptCheck):
        return {"kept": list(check.nodes)}
    plain = _plain(check)
    if isinstance(times := plain.get("times"), Times):
        plain["times"] = times.least if times.least == times.most else _plain(times) | {"least": times.least}
    return {check.kind: plain}


def _variant(variant: Variant) -> JsonObject:
    found: dict[str, Json] = {"name": variant.name}
    found |= {"inputs": variant.inputs} if variant.inputs else {}
    found |= {"state": variant.state} if variant.state else {}
    found |= {"final": variant.final} if variant.final != "success" else {}
    return {**found, "checks": [_check(check) for check in variant.checks]}

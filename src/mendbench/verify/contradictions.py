"""Static checks of a case: labels that contradict each other, the workflow or the fixes, and checks that nothing can break."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from mendbench.corpus.documents import Place, located
from mendbench.errors import BadInput, UnknownName
from mendbench.io.canonical_json import canonical_json
from mendbench.model.case import Case, Check, Fault, Fix, NoRequestCheck, UnchangedCheck
from mendbench.model.json import JsonObject
from mendbench.runtime.templates import templates_in
from mendbench.scoring.judging.diffs import Missing, diff_paths, escape, touched_nodes, value_at
from mendbench.values.json_patch import PatchError, apply_patch
from mendbench.verify.soundness import declared_hosts

_HOST = re.compile(r"\^?(?:https\??|mcp)://(?P<host>(?:[\w-]|\\[.-])+)(?:/|:|$)")
"""The start of a pattern for URLs whose host is a plain text."""

_Workflows = Mapping[Place, JsonObject]
"""The results of a case's fixes, by their places in ``case.yaml``. A fix that does not apply has none."""


def contradictions(case: Case) -> tuple[BadInput, ...]:
    """Return one line for each label that another one, the workflow or a fix contradicts, with its place in ``case.yaml``."""
    right, wrong = _right(case), _wrong(case)
    found = [*_faults(case, right), *_same_workflows(case, right, wrong)]
    found += _undeclared_inputs(case, (case.workflow, *right.values(), *wrong.values()))
    for place, check in _checks(case):
        if isinstance(check, UnchangedCheck):
            found += _nothing_to_change(case, check, right, place)
        elif isinstance(check, NoRequestCheck) and check.url is not None:
            found += _no_such_host(case, check.url, (*right.values(), *wrong.values()), place)
    return tuple(found)


def _right(case: Case) -> _Workflows:
    own: dict[Place, Fix] = {("fix",): case.fix} if case.fix else {}
    return _applied(case, {**own, **{("accepts", number): fix for number, fix in enumerate(case.accepts)}})


def _wrong(case: Case) -> _Workflows:
    return _applied(case, {("wrong_fixes", number): fix for number, fix in enumerate(case.wrong_fixes)})


def _applied(case: Case, fixes: Mapping[Place, Fix]) -> _Workflows:
    found: dict[Place, JsonObject] = {}
    for place, fix in fixes.items():
        try:
            found[place] = apply_patch(case.workflow, fix.patch)
        except PatchError:
            continue  # reported as a fix that does not apply
    return found


def _checks(case: Case) -> Iterator[tuple[Place, Check]]:
    yield from ((("checks", number), check) for number, check in enumerate(case.checks))
    for at, variant in enumerate(case.variants):
        yield from ((("variants", at, "checks", number), check) for number, check in enumerate(variant.checks))


def _faults(case: Case, right: _Workflows) -> Iterator[BadInput]:
    for number, fault in enumerate(case.faults):
        if fault.who == "edit" and fault.category == "non_repairable":
            hint = "name another category, or say who else can help"
            yield BadInput(_at(case, "faults", number, "category"), "non_repairable, and an edit mends it", hint)
        fixed = right.get(("fix",))
        if fault.who == "edit" and fixed is not None:
            touched = touched_nodes(case.workflow, fixed)
            if touched and touched.isdisjoint(fault.cause):
                found = f"the fix touches {_listed(touched)} and not {_listed(fault.cause)}"
                yield BadInput(_at(case, "faults", number, "cause"), found, "name the nodes that a right edit touches")
        yield from _not_shown(case, fault, number)


def _not_shown(case: Case, fault: Fault, number: int) -> Iterator[BadInput]:
    """Yield that a fault does not show where it is said to.

    It may wait behind another fault that stops the run or before anything runs, and a retry may have overcome it.
    """
    label = case.first.get(fault.surfaces)
    others = (one for one in case.faults if one is not fault)
    later = fault.category == "static_validation" or any(case.first.get(one.surfaces) == one.state for one in others)
    if label == fault.state or (label == "not_run" and later) or (label == "success" and fault.who == "retry"):
        return
    said = f"expect.first labels it {label}" if label else "expect.first has no label for it"
    found = f"{fault.id} shows at {fault.surfaces} as {fault.state}, and {said}"
    yield BadInput(_at(case, "faults", number, "surfaces"), found, "correct one of the two")


def _same_workflows(case: Case, right: _Workflows, wrong: _Workflows) -> Iterator[BadInput]:
    """Yield each wrong fix that makes the workflow of a right one, or of a wrong one before it."""
    seen = dict(right)
    for place, workflow in wrong.items():
        twin = next((other for other, one in seen.items() if not diff_paths(one, workflow)), None)
        if twin is not None:
            found = f"it makes the same workflow as {'.'.join(map(str, twin))}"
            yield BadInput(_at(case, *place), found, "write another wrong fix")
        seen[place] = workflow


def _undeclared_inputs(case: Case, workflows: tuple[JsonObject, ...]) -> Iterator[BadInput]:
    """Yield each input that no workflow of the case declares or uses."""
    known: dict[str, None] = {}
    used: set[str] = set()
    for workflow in workflows:
        declared = workflow.get("inputs")
        known.update(dict.fromkeys(declared if isinstance(declared, dict) else ()))
        used.update(template.root for template in templates_in(workflow))
    given: list[tuple[Place, JsonObject]] = [(("inputs",), case.inputs)]
    given += [(("variants", number, "inputs"), variant.inputs) for number, variant in enumerate(case.variants)]
    for place, inputs in given:
        for name in inputs:
            if name not in known and name not in used:
                hint = (
                    None
                    if known
                    else f"declare it under inputs in workflow.json, and write ${{{name}}} where it is used"
                )
                yield UnknownName("input of the workflow", name, known, _at(case, *place, name), hint=hint)


def _nothing_to_change(case: Case, check: UnchangedCheck, right: _Workflows, place: Place) -> Iterator[BadInput]:
    """Yield that no workflow has the parameter that must be unchanged."""
    node = f"/nodes/{escape(check.node)}"
    for workflow in (case.workflow, *right.values()):
        if not isinstance(value_at(workflow, f"{node}{check.path}"), Missing):
            return
    whole = value_at(case.workflow, node)
    known = list(_pointers(whole)) if isinstance(whole, dict) else []
    yield UnknownName(f"path in the node {check.node!r}", check.path, known, _at(case, *place, "unchanged", "path"))


def _pointers(value: JsonObject, at: str = "") -> Iterator[str]:
    for key, item in value.items():
        place = f"{at}/{escape(key)}"
        yield place
        if isinstance(item, dict):
            yield from _pointers(item, place)


def _no_such_host(case: Case, pattern: str, fixes: tuple[JsonObject, ...], place: Place) -> Iterator[BadInput]:
    """Yield that a pattern forbids a host that the case does not declare and that none of its workflows and data names.

    A pattern whose host is no plain text may match anything.
    """
    found = _HOST.match(pattern)
    if found is None:
        return
    host = found["host"].replace("\\", "").lower()
    named = canonical_json([case.workflow, *fixes, case.inputs, [one.inputs for one in case.variants]])
    try:
        known = sorted({one for variant in (None, *case.variants) for one in declared_hosts(case, variant)})
    except BadInput:
        return  # reported where the host is declared
    if host not in known and host not in named.lower():
        yield UnknownName("host", host, known, _at(case, *place, "no_request", "url"))


def _listed(names: frozenset[str] | tuple[str, ...]) -> str:
    return ", ".join(sorted(names))


def _at(case: Case, *way: int | str) -> str:
    return located(case.folder / "case.yaml", *way)

"""``case.yaml`` of a case."""

from __future__ import annotations

from typing import Any

import yaml

from mendbench.model.case import Case, Check, KeptCheck, Times, Variant
from mendbench.model.json import Json, JsonObject


def case_text(case: Case) -> str:
    """Return ``case.yaml`` of a case."""
    return yaml.safe_dump(_document(case), sort_keys=False, allow_unicode=True, width=140, default_flow_style=None)


def _document(case: Case) -> JsonObject:
    expect: JsonObject = {"first": dict(case.first)}
    if case.after_fix:
        expect["after_fix"] = dict(case.after_fix)
    document: JsonObject = {
        "title": case.title, "group": case.group, "request": case.request, "recorded_from": dict(case.recorded_from),
        "api": case.api, "inputs": case.inputs, "state": case.state,
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

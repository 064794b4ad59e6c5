"""The checks between a well-formed request and its action: references, uniqueness, versions, rules."""

from __future__ import annotations

import re

from mendbench.model.json import Json, JsonObject
from mendbench.services.json_api.context import Context, at, singular
from mendbench.services.json_api.refusal import RefusedError


def check_rules(context: Context) -> None:
    """Check references, uniqueness and the route's rules, in this order.

    Raises:
        RefusedError: a check fails; the first failure is reported.
    """
    _check_references(context)
    _check_unique(context)
    _check_rules(context)


def _check_references(context: Context) -> None:
    everything = context.data.get("collections") or {}
    for field, collection in context.route.table("references").items():
        value = at(context.body, field)
        if value is not None and str(value) not in (everything.get(collection) or {}):
            detail = f"{singular(str(collection))} not found"
            raise RefusedError(404, detail, reason="missing_reference", about=field, value=value)


def _check_unique(context: Context) -> None:
    own = context.item_id if context.route.action == "update" else None
    for field in context.route.options.get("unique") or ():
        value = context.body.get(field)
        taken = [key for key, item in context.items.items() if value is not None and at(item, field) == value]
        if any(key != own for key in taken):
            detail = f"{singular(context.route.collection)} with {field} '{value}' already exists"
            raise RefusedError(409, detail, reason="taken", about=field, value=value)


def _check_rules(context: Context) -> None:
    stored = context.items.get(context.item_id) if context.path else None
    parts: JsonObject = {"body": context.body, "query": context.query, "path": context.path, "stored": stored}
    for rule in context.route.options.get("rules") or ():
        if all(_holds(parts.get(name), wanted) for name, wanted in (rule.get("when") or {}).items()):
            headers = tuple((str(k).lower(), str(v)) for k, v in (rule.get("headers") or {}).items())
            status, detail = int(rule.get("status", 400)), str(rule.get("detail", "Not allowed"))
            raise RefusedError(status, detail, headers=headers, body=rule.get("body"))


def _holds(value: Json, wanted: Json) -> bool:
    if not isinstance(wanted, dict):
        return bool(value == wanted)
    if "$absent" in wanted:
        return (value is None) is bool(wanted["$absent"])
    if "$above" in wanted:
        return isinstance(value, int | float) and value > wanted["$above"]
    if "$below" in wanted:
        return isinstance(value, int | float) and value < wanted["$below"]
    if "$matches" in wanted:
        return isinstance(value, str) and re.search(wanted["$matches"], value) is not None
    return isinstance(value, dict) and all(_holds(value.get(name), inner) for name, inner in wanted.items())

"""The starting data of a workflow: explicit inputs, then declared defaults, converted to the declared types.

Environment variables are not read: two executions of the same document and inputs must be identical.
"""

from __future__ import annotations

import json
import math

from mendbench.io.json_documents import finite_json
from mendbench.model.json import Json, JsonObject
from mendbench.model.workflow import Workflow

_YES, _NO = frozenset({"true", "1", "yes", "on"}), frozenset({"false", "0", "no", "off"})


def starting_data(workflow: Workflow, inputs: JsonObject) -> JsonObject:
    """Return the data for the first node: all given inputs, and all declared ones, with None for absent ones."""
    declared = {one.name: coerced(inputs.get(one.name, one.default), one.type) for one in workflow.inputs}
    return {**inputs, **declared}


def coerced(value: Json, wanted: str) -> Json:
    """Return ``value`` converted to the declared type if possible, else unchanged."""
    if value is None:
        return None
    if wanted == "string" and not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if wanted == "number" and isinstance(value, str):
        return _number(value)
    if wanted == "boolean":
        return _boolean(value)
    if wanted in ("object", "array") and isinstance(value, str):
        return _container(value, dict if wanted == "object" else list)
    return value


def _number(said: str) -> Json:
    for read in (int, float):
        try:
            found = read(said.strip())
        except ValueError:
            continue
        return found if math.isfinite(found) else said
    return said


def _boolean(value: Json) -> Json:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return value
    word = str(value).strip().lower()
    return True if word in _YES else False if word in _NO else value


def _container(said: str, kind: type) -> Json:
    try:
        found = finite_json(said)
    except (ValueError, RecursionError):
        return said
    return found if isinstance(found, kind) else said

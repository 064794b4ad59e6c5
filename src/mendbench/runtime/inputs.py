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
    declared = {spec.name: coerced(inputs.get(spec.name, spec.default), spec.type) for spec in workflow.inputs}
    return {**inputs, **declared}


def coerced(value: Json, type_name: str) -> Json:
    """Return ``value`` converted to the declared type if possible, else unchanged."""
    if value is None:
        return None
    if type_name == "string" and not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if type_name == "number" and isinstance(value, str):
        return _number(value)
    if type_name == "boolean":
        return _boolean(value)
    if type_name in ("object", "array") and isinstance(value, str):
        return _container(value, dict if type_name == "object" else list)
    return value


def _number(text: str) -> Json:
    for read in (int, float):
        try:
            found = read(text.strip())
        except ValueError:
            continue
        return found if math.isfinite(found) else text
    return text


def _boolean(value: Json) -> Json:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return value
    word = str(value).strip().lower()
    return True if word in _YES else False if word in _NO else value


def _container(text: str, kind: type) -> Json:
    try:
        found = finite_json(text)
    except (ValueError, RecursionError):
        return text
    return found if isinstance(found, kind) else text

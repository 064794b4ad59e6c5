"""Published JSON Schemas that no single file model provides: a case, a strategy's front matter, and a line of ``trials.jsonl``."""

from __future__ import annotations

from typing import get_args

from mendbench.corpus.case_file import CaseFile
from mendbench.corpus.states import OWN_SHAPES
from mendbench.model.case import Api, Kind
from mendbench.model.execution import NodeState
from mendbench.model.json import JsonObject
from mendbench.model.prompt import SectionLabel
from mendbench.model.trial import AttemptLabel, ResponseStatus, StopReason
from mendbench.model.verdict import Outcome, VerdictName
from mendbench.services import service_names, shape_of
from mendbench.trial.row import FORMAT

_TEXT: JsonObject = {
    "anyOf": [
        {"type": "string"},
        {"type": "object", "required": ["$text"], "properties": {"$text": {"type": "string"}}, "additionalProperties": False},
    ],
    "description": "a text, or the digest of one in texts.jsonl",
}  # fmt: skip


def case_schema() -> JsonObject:
    """Return the schema of ``case.yaml``, with the states of all services that declare a shape."""
    whole = CaseFile.model_json_schema()
    states = {}
    for name in (*OWN_SHAPES, *service_names()):
        shape = OWN_SHAPES.get(name) or shape_of(name)
        if shape is not None:
            found = _as_patch(shape.model_json_schema(ref_template=f"#/$defs/{name}.{{model}}"))
            models = {**found.pop("$defs", {}), "": found}
            whole["$defs"] |= {f"{name}.{model}": one for model, one in models.items()}
            states[name] = {"$ref": f"#/$defs/{name}."}
    for holder in (whole, whole["$defs"]["_Variant"]):
        holder["properties"]["state"]["properties"] = states
    return whole


def _as_patch(schema: JsonObject) -> JsonObject:
    """Return the schema of merge patches for another schema: nothing is required, and null removes a value."""
    kept = {key: one for key, one in schema.items() if key not in {"required", "title", "default"}}
    for key, one in kept.items():
        if key == "properties":
            kept[key] = {name: _or_null(_as_patch(value)) for name, value in one.items()}
        elif key == "$defs":
            kept[key] = {name: _as_patch(value) for name, value in one.items()}
        elif key == "anyOf":
            kept[key] = [_as_patch(value) for value in one]
        elif isinstance(one, dict):
            kept[key] = _as_patch(one)
    return kept


def _or_null(schema: JsonObject) -> JsonObject:
    null = {"type": "null"}
    return schema if not schema or null in schema.get("anyOf", ()) else {"anyOf": [schema, null]}


def strategy_schema() -> JsonObject:
    """Return the schema of the front matter of a strategy's template."""
    section = {
        "type": "object",
        "required": ["name", "label", "keep"],
        "additionalProperties": False,
        "properties": {
            "name": {"type": "string", "description": "a block of the template"},
            "label": {"enum": list(get_args(SectionLabel)), "description": "raw: the API said it; state: run data; derived: ours"},
            "keep": {"type": "integer", "description": "what has the lowest is cut first"},
        },
    }  # fmt: skip
    return {
        "title": "Strategy front matter",
        "type": "object",
        "required": ["title", "source", "sections"],
        "additionalProperties": False,
        "properties": {
            "name": {"type": "string", "description": "equals the file's stem"},
            "title": {"type": "string"},
            "source": {"type": "string"},
            "sections": {"type": "array", "items": section},
        },
    }


def trial_schema() -> JsonObject:
    """Return the schema of a line of ``trials.jsonl``."""
    attempt = {
        "type": "object",
        "properties": {
            "number": {"type": "integer", "minimum": 1},
            "status": {"enum": list(get_args(ResponseStatus))},
            "label": {"enum": [*get_args(AttemptLabel), None]},
            "progress": {"type": ["integer", "null"], "minimum": 0, "maximum": 7},
            "evidence": {"type": ["object", "null"], "description": "the facts that label and progress follow from"},
            "response": _TEXT,
            "context_tokens": {"type": "integer", "minimum": 0},
            "repeat": {"type": "boolean"},
        },
    }
    nodes = {
        "type": "object",
        "additionalProperties": {
            "type": "object",
            "properties": {"expected": {"enum": list(get_args(NodeState))}, "got": {"enum": [*get_args(NodeState), None]}},
        },
    }  # fmt: skip
    text, maybe_text = {"type": "string"}, {"type": ["string", "null"]}
    properties: JsonObject = {
        "format": {"const": FORMAT},
        **dict.fromkeys(("key", "case", "group", "family", "engine", "strategy", "policy", "repairer"), text),
        **dict.fromkeys(("model", "detector", "leaks", "asked"), maybe_text),
        "api": {"enum": list(get_args(Api))},
        "sampling": {"enum": ["unknown", None]},
        "tokens_estimated": {"type": "boolean"},
        "sample": {"type": "integer", "minimum": 0},
        "kind": {"enum": list(get_args(Kind))},
        "verdict": {"enum": list(get_args(VerdictName))},
        "outcome": {"enum": [*get_args(Outcome), None]},
        "stop_reason": {"enum": list(get_args(StopReason))},
        "attempts": {"type": "array", "maxItems": 3, "items": attempt},
        **{key: {"type": ["integer", "null"]} for key in ("wasted_attempts", "prompt_tokens", "completion_tokens")},
        **{key: {"type": ["number", "null"]} for key in ("cost_usd", "context_recall")},
        "nodes": nodes,
        **{
            key: {"type": "array"}
            for key in ("requests", "variants", "repeated_side_effects", "collateral_edits", "edits")
        },
        **{key: {"type": "object"} for key in ("outputs", "evidence", "timing")},
        "derived": {"type": "integer", "minimum": 0},
    }
    return {"title": "Trial", "type": "object", "required": sorted(properties), "properties": properties}

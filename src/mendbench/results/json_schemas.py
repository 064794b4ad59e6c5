"""Published JSON Schemas that no single file model provides: a case, a strategy's front matter, and a line of ``trials.jsonl``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args, get_origin, is_typeddict

from mendbench.corpus.case_file import CaseFile
from mendbench.corpus.states import OWN_SHAPES
from mendbench.model.field_types import FieldType, Mark, field_types, type_of
from mendbench.model.json import JsonObject
from mendbench.model.prompt import SectionLabel
from mendbench.model.trial_row import TrialRow
from mendbench.services import service_names, shape_of

_LONG_TEXT: JsonObject = {
    "anyOf": [
        {"type": "string"},
        {"type": "object", "required": ["$text"], "properties": {"$text": {"type": "string"}}, "additionalProperties": False},
    ],
    "description": "A text, or the digest of one in texts.jsonl.",
}  # fmt: skip

_TYPES: Mapping[Any, str] = {str: "string", bool: "boolean", int: "integer", float: "number"}


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
    parts: dict[str, JsonObject] = {"LongText": _LONG_TEXT}
    _object(TrialRow, parts)
    return {"title": "Trial", **parts.pop(TrialRow.__name__), "$defs": parts}


def _object(definition: type, parts: dict[str, JsonObject]) -> None:
    """Add the schema of an object that a ``TypedDict`` defines to ``parts``, and those of the objects in it."""
    known = field_types(definition)
    parts[definition.__name__] = {
        "description": definition.__doc__,
        "type": "object",
        "required": sorted(name for name, field in known.items() if field.required),
        "properties": {name: {"description": field.meaning, **_value(field, parts)} for name, field in known.items()},
        "additionalProperties": False,
    }


def _value(value: FieldType, parts: dict[str, JsonObject]) -> JsonObject:
    own = {**_kind(value, parts), **value.keywords}
    return {"anyOf": [own, {"type": "null"}]} if value.nullable else own


def _kind(value: FieldType, parts: dict[str, JsonObject]) -> JsonObject:
    kind, origin, inner = value.kind, get_origin(value.kind), get_args(value.kind)
    if kind is Any:
        return {"$ref": "#/$defs/LongText"} if Mark.LONG in value.notes else {}
    if kind in _TYPES:
        return {"type": _TYPES[kind]}
    if is_typeddict(kind):
        if kind.__name__ not in parts:
            _object(kind, parts)
        return {"$ref": f"#/$defs/{kind.__name__}"}
    if origin is Literal:
        return {"enum": list(inner)}
    item = _value(type_of(inner[-1]), parts)
    return {"type": "array", "items": item} if origin is list else {"type": "object", "additionalProperties": item}

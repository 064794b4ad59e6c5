"""Violations with pydantic's messages (https://docs.pydantic.dev/latest/errors/validation_errors/)."""

from __future__ import annotations

from mendbench.model.json import Json, JsonObject
from mendbench.services.json_api.schema import Violation

MODEL_TYPE = ("model_attributes_type", "Input should be a valid dictionary or object to extract fields from")
"""The errors for a body, and for a model inside it, that is not an object."""
_SIMPLE_TYPES = {
    "string": ("string_type", "Input should be a valid string"),
    "integer": ("int_type", "Input should be a valid integer"),
    "number": ("float_type", "Input should be a valid number"),
    "boolean": ("bool_type", "Input should be a valid boolean"),
    "array": ("list_type", "Input should be a valid list"),
    "object": ("dict_type", "Input should be a valid dictionary"),
    "null": ("none_required", "Input should be None"),
}
_PARSED_TYPES = {
    "integer": ("int_parsing", "Input should be a valid integer, unable to parse string as an integer"),
    "number": ("float_parsing", "Input should be a valid number, unable to parse string as a number"),
    "boolean": ("bool_parsing", "Input should be a valid boolean, unable to interpret input"),
}
_BOUNDS = {
    "minimum": ("minimum", "greater_than_equal", "greater than or equal to", "ge"),
    "maximum": ("maximum", "less_than_equal", "less than or equal to", "le"),
    "above": ("exclusiveMinimum", "greater_than", "greater than", "gt"),
    "below": ("exclusiveMaximum", "less_than", "less than", "lt"),
    "multiple": ("multipleOf", "multiple_of", "a multiple of", "multiple_of"),
}


def entry_of(violation: Violation, where: str) -> JsonObject:
    """Return one entry of FastAPI's ``detail``. ``where`` is body, query or path."""
    name, text, context = error_of(violation)
    value = None if violation.kind == "missing" and where != "body" else violation.value
    entry: JsonObject = {"type": name, "loc": [where, *violation.path], "msg": text, "input": value}
    return {**entry, "ctx": context} if context else entry


def error_of(violation: Violation) -> tuple[str, str, JsonObject]:
    """Return pydantic's error type, message and context."""
    schema, kind = violation.schema, violation.kind
    if kind in {"type", "unparsable"} and "enum" not in schema:
        return (*_type_error(violation), {})
    if kind in {"enum", "type", "unparsable"}:
        expected = either(schema["enum"])
        return "literal_error", f"Input should be {expected}", {"expected": expected}
    if kind in {"few", "many"}:
        return _length(violation)
    if kind in _BOUNDS:
        key, name, words, slot = _BOUNDS[kind]
        return name, f"Input should be {words} {schema[key]}", {slot: schema[key]}
    if kind in {"too_short", "too_long"}:
        short = kind == "too_short"
        limit = schema["minLength" if short else "maxLength"]
        text = f"String should have at {'least' if short else 'most'} {_characters(limit)}"
        return f"string_{kind}", text, {"min_length" if short else "max_length": limit}
    if kind == "pattern":
        pattern = schema["pattern"]
        return "string_pattern_mismatch", f"String should match pattern '{pattern}'", {"pattern": pattern}
    return (
        ("missing", "Field required", {})
        if kind == "missing"
        else ("extra_forbidden", "Extra inputs are not permitted", {})
    )


def either(values: list[Json]) -> str:
    """Return ``'a', 'b' or 'c'``."""
    shown = [repr(value) for value in values]
    return f"{', '.join(shown[:-1])} or {shown[-1]}" if len(shown) > 1 else "".join(shown)


def _type_error(violation: Violation) -> tuple[str, str]:
    schema, value = violation.schema, violation.value
    name = main_type(schema)
    if name == "object" and "properties" in schema:
        return MODEL_TYPE
    if name == "integer" and isinstance(value, float):
        return "int_from_float", "Input should be a valid integer, got a number with a fractional part"
    parsed = violation.kind == "unparsable" or (name == "boolean" and isinstance(value, int | float))
    texts = _PARSED_TYPES if parsed and name in _PARSED_TYPES else _SIMPLE_TYPES
    return texts.get(name, ("value_error", "Value error"))


def main_type(schema: JsonObject) -> str:
    """Return the type that a schema requires; of several, the first that is not null."""
    kinds = schema["type"] if isinstance(schema.get("type"), list) else [schema.get("type")]
    return next((str(kind) for kind in kinds if kind != "null"), "null")


def _length(violation: Violation) -> tuple[str, str, JsonObject]:
    few, size = violation.kind == "few", len(violation.value)
    limit = violation.schema["minItems" if few else "maxItems"]
    items = "item" if limit == 1 else "items"
    text = f"List should have at {'least' if few else 'most'} {limit} {items} after validation, not {size}"
    context = {"field_type": "List", "min_length" if few else "max_length": limit, "actual_length": size}
    return ("too_short" if few else "too_long"), text, context


def _characters(count: Json) -> str:
    return "1 character" if count == 1 else f"{count} characters"

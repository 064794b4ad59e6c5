"""The JSON Schemas that a state may contain: only the keywords that :mod:`mendbench.services.json_api.schema` checks."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, ConfigDict, WithJsonSchema, model_validator
from pydantic.alias_generators import to_camel

from mendbench.services.shape import Count, Flag, Number, Regex, Shape, Table, Text, Texts, misfit, unknown

TypeName = Literal["string", "integer", "number", "boolean", "array", "object", "null"]
_TYPE: dict[str, Any] = {"enum": list(get_args(TypeName))}
_UNSUPPORTED = frozenset({
    "$anchor", "$comment", "$defs", "$dynamicAnchor", "$dynamicRef", "$id", "$ref", "$schema", "$vocabulary", "additionalItems", "allOf",
    "anyOf", "const", "contains", "contentEncoding", "contentMediaType", "contentSchema", "default", "definitions", "dependencies",
    "dependentRequired", "dependentSchemas", "deprecated", "discriminator", "else", "example", "examples", "format", "if", "maxContains",
    "maxProperties", "minContains", "minProperties", "not", "nullable", "oneOf", "patternProperties", "prefixItems", "propertyNames",
    "readOnly", "then", "unevaluatedItems", "unevaluatedProperties", "uniqueItems", "writeOnly",
})  # fmt: skip
"""Other keywords of JSON Schema (draft 4 to 2020-12) and of OpenAPI. Nothing here checks them, so schemas must not use them."""


def _types(value: Any) -> Any:
    for name in value if isinstance(value, list) else [value]:
        if name not in get_args(TypeName):
            raise unknown("type", str(name), get_args(TypeName))
    return value


class Keywords(Shape):
    """The keywords that are valid in every schema. ``title`` and ``description`` check nothing."""

    model_config = ConfigDict(alias_generator=to_camel)

    type: Annotated[
        Any, AfterValidator(_types), WithJsonSchema({"anyOf": [_TYPE, {"type": "array", "items": _TYPE}]})
    ] = None
    additional_properties: Flag = None
    enum: list[Any] | None = None
    minimum: Number = None
    maximum: Number = None
    exclusive_minimum: Number = None
    exclusive_maximum: Number = None
    multiple_of: Number = None
    min_length: Count = None
    max_length: Count = None
    min_items: Count = None
    max_items: Count = None
    pattern: Regex = None
    title: Text = None
    description: Text = None

    @model_validator(mode="before")
    @classmethod
    def _refuse_unsupported(cls, data: Any) -> Any:
        for key in _UNSUPPORTED & data.keys() if isinstance(data, dict) else ():
            known = sorted(str(field.alias) for field in cls.model_fields.values())
            if key not in known:
                raise misfit(f"the keyword {key!r} is not supported", f"supported: {', '.join(known)}", key)
        return data


class Schema(Keywords):
    """The schema of a value."""

    properties: Table[Schema] = None
    items: Schema | None = None
    required: Texts = None


class Parameter(Keywords):
    """The schema of a parameter. It states itself whether the parameter is required."""

    properties: Table[Schema] = None
    items: Schema | None = None
    required: Flag = None

"""How graphql-ruby checks the values of variables against their types."""

from __future__ import annotations

import json
from typing import cast

from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLList,
    GraphQLNonNull,
    Undefined,
)

from mendbench.model.json import Json, JsonObject

_INT_RANGE = range(-(2**31), 2**31)


def problems_of(kind: GraphQLInputType, value: Json) -> list[JsonObject]:
    """Return the errors of a value as ``{path, explanation}``. The path starts at the variable."""
    if isinstance(kind, GraphQLNonNull):
        if value is None:
            return [_problem("Expected value to not be null")]
        return problems_of(cast("GraphQLInputType", kind.of_type), value)
    if value is None:
        return []
    if isinstance(kind, GraphQLList):
        inner = cast("GraphQLInputType", kind.of_type)
        items = value if isinstance(value, list) else [value]
        return [_under(at, problem) for at, item in enumerate(items) for problem in problems_of(inner, item)]
    if isinstance(kind, GraphQLEnumType):
        if isinstance(value, str) and value in kind.values:
            return []
        return [_problem(f"Expected {_shown(value)} to be one of: {', '.join(kind.values)}")]
    if isinstance(kind, GraphQLInputObjectType):
        return _object(kind, value)
    return [] if _fits(kind.name, value) else [_uncoercible(value, str(kind))]


def _object(kind: GraphQLInputObjectType, value: Json) -> list[JsonObject]:
    if not isinstance(value, dict):
        return [_problem(f"Expected {_shown(value)} to be a key-value object.")]
    unknown = [_under(key, _problem(f"Field is not defined on {kind.name}")) for key in value if key not in kind.fields]
    found = list(unknown)
    for name, field in kind.fields.items():
        if name in value or (field.default_value is Undefined and isinstance(field.type, GraphQLNonNull)):
            found += [_under(name, problem) for problem in problems_of(field.type, value.get(name))]
    return found


def _fits(scalar: str, value: Json) -> bool:
    if scalar == "Int":
        return isinstance(value, int) and not isinstance(value, bool) and value in _INT_RANGE
    if scalar == "Float":
        return isinstance(value, int | float) and not isinstance(value, bool)
    if scalar == "Boolean":
        return isinstance(value, bool)
    if scalar == "ID":
        return isinstance(value, str | int) and not isinstance(value, bool)
    return isinstance(value, str)


def _uncoercible(value: Json, kind: str) -> JsonObject:
    return _problem(f"Could not coerce value {_shown(value)} to {kind}")


def _problem(explanation: str) -> JsonObject:
    return {"path": [], "explanation": explanation}


def _under(step: str | int, problem: JsonObject) -> JsonObject:
    return {**problem, "path": [step, *problem["path"]]}


def _shown(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)

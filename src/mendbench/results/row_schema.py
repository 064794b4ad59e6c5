"""The check of a line of ``trials.jsonl``: its shape follows from the definition of a trial's row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args, get_origin, is_typeddict

from mendbench.model.field_types import FieldType, Mark, field_types, type_of
from mendbench.model.json import JsonObject
from mendbench.model.trial_row import TrialRow
from mendbench.values.schema import FLAG, OBJECT, TEXT, Shape, among, fields, many, matching, maybe, named, of, text_or

_LONG = text_or(fields({"$text": TEXT}))
"""A text, or the digest of one."""

_SHAPES: Mapping[Any, Shape] = {str: TEXT, bool: FLAG, JsonObject: OBJECT}
_NUMBERS: Mapping[Any, tuple[type, ...]] = {int: (int,), float: (int, float)}


def row_shape(definition: type) -> Shape:
    """Return the shape of an object that a ``TypedDict`` of :mod:`mendbench.model.trial_row` defines."""
    known = field_types(definition)
    shapes = {name: _shape(of_field) for name, of_field in known.items()}
    optional = {name: shape for name, shape in shapes.items() if not known[name].required}
    return fields({name: shape for name, shape in shapes.items() if name not in optional}, optional)


def _shape(value: FieldType) -> Shape:
    shape = _shape_without_null(value)
    return maybe(shape) if value.nullable else shape


def _shape_without_null(value: FieldType) -> Shape:
    kind, keywords = value.kind, value.keywords
    if Mark.LONG in value.notes:
        return _LONG
    if kind in _NUMBERS:
        return of(*_NUMBERS[kind], least=keywords.get("minimum"))
    if "pattern" in keywords:
        return matching(keywords["pattern"], keywords["title"])
    if kind in _SHAPES:
        return _SHAPES[kind]
    if is_typeddict(kind):
        return row_shape(kind)
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Literal:
        return among(parts)
    return (many if origin is list else named)(_shape(type_of(parts[-1])))


TRIAL = row_shape(TrialRow)
"""A line of ``trials.jsonl``."""

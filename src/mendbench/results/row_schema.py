"""Schemas of the three files of a run, as its readers expect them. :mod:`mendbench.trial.row` writes rows of this shape."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, get_args, get_origin, is_typeddict

from mendbench.model.case import Kind
from mendbench.model.field_types import FieldType, Mark, field_types, type_of
from mendbench.model.json import JsonObject
from mendbench.values.schema import (
    COUNT,
    FLAG,
    MAYBE_TEXT,
    NUMBER,
    OBJECT,
    TEXT,
    TEXTS,
    Shape,
    among,
    fields,
    many,
    matching,
    maybe,
    named,
    of,
    text_or,
)

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


@cache
def trial_shape() -> Shape:
    """Return the shape of a line of ``trials.jsonl``."""
    from mendbench.model.trial_row import TrialRow  # noqa: PLC0415 - only a run without an index needs it

    return row_shape(TrialRow)


TEXT_LINE = fields({"digest": TEXT, "text": TEXT})
"""A line of ``texts.jsonl``."""

_NAMES = maybe(TEXTS)
_AMOUNT = maybe(of(int, float, least=0))

_SCORES = (
    "repair_success", "attempt1_success", "wasted", "attempts", "plausible", "harmful", "context_recall", "context_tokens",
    "success_all_facts", "success_missing_facts", *(f"{kind}_success" for kind in get_args(Kind)),
)  # fmt: skip
"""Scores that reports show."""

_ENDS = maybe(fields({"low": NUMBER, "high": NUMBER}))
_MEASURE = fields(
    {
        "numerator": NUMBER,
        "denominator": NUMBER,
        "cases": COUNT,
        "value": maybe(NUMBER),
        "bounds": _ENDS,
        "interval": _ENDS,
    }
)

_TOTAL = fields(
    {
        **dict.fromkeys(("engine", "repairer", "strategy", "policy"), TEXT), **dict.fromkeys(("model", "detector", "part"), MAYBE_TEXT),
        "trials": COUNT, "scores": fields(dict.fromkeys(_SCORES, _MEASURE)),
    },
    {"outcomes": named(COUNT), "prompt_tokens": COUNT, "completion_tokens": COUNT, "cost_usd": _AMOUNT, "derived": COUNT},
)  # fmt: skip

RUN_DOCUMENT = fields(
    {"format": of(int), "trials": COUNT, "totals": many(_TOTAL), "bounds": fields({"unjudged": COUNT, "crashed": COUNT})},
    {
        "mendbench_version": TEXT,
        "digests": maybe(fields({}, {"prices": maybe(named(OBJECT))})),
        "matrix": maybe(
            many(fields({}, dict.fromkeys(("cases", "engines", "strategies", "policies", "repairers", "models", "controls"), _NAMES)))
        ),
        "report": fields({"main_model": MAYBE_TEXT, "control_model": MAYBE_TEXT, "note": MAYBE_TEXT}),
        "models": named(fields({"sampling": MAYBE_TEXT, "asked": MAYBE_TEXT, "provenance": TEXTS})),
        "corpus": OBJECT, "engines": named(OBJECT), "left_out": many(fields({"engine": TEXT})), "stale": named(COUNT),
        "protocol": fields({}, {"frame": FLAG, "strategies": TEXTS, "cases": named(TEXTS), "plan": OBJECT}),
        "shard": fields({"number": COUNT, "of": COUNT, "trials": COUNT}),
    },
)  # fmt: skip
"""``run.json``."""

"""A small JSON Schema check that reports all violations, and converts texts to numbers where the style does so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from mendbench.model.json import Json, JsonObject

Kind = Literal[
    "missing",
    "extra",
    "type",
    "unparsable",
    "enum",
    "minimum",
    "maximum",
    "above",
    "below",
    "multiple",
    "too_short",
    "too_long",
    "few",
    "many",
    "pattern",
]
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
_NUMBER = re.compile(r"[+-]?([0-9]{1,18}(\.[0-9]{1,18})?|\.[0-9]{1,18})([eE][+-]?[0-9]{1,2})?")
_READ_FROM_TEXT = ("integer", "number", "boolean")
_PYTHON = {"string": str, "array": list, "object": dict, "boolean": bool}
_MOST_REPORTED = 1_000
"""The maximum number of violations reported for one value: real servers report no more, and each takes about a hundred characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One violation in a value."""

    kind: Kind
    path: tuple[str | int, ...]
    value: Json
    """The value found; for a missing property, the object that lacks it."""
    schema: JsonObject = field(default_factory=dict)
    """The schema that it violates."""


def checked(
    value: Json, schema: JsonObject, *, lax: bool, path: tuple[str | int, ...] = ()
) -> tuple[Json, list[Violation]]:
    """Return ``value``, with texts converted to numbers and booleans if ``lax``, and all violations of ``schema``.

    A violation shows the value as it was given. A scalar has at most one violation, an object or a list at most a thousand.
    """
    given, kind = value, schema.get("type")
    if kind is not None:
        value, fits = _typed(value, kind, lax=lax)
        if not fits:
            kinds = kind if isinstance(kind, list) else [kind]
            reads = lax and isinstance(value, str) and any(name in _READ_FROM_TEXT for name in kinds)
            odd: Kind = "unparsable" if reads else "type"
            return value, [Violation(kind=odd, path=path, value=given, schema=schema)]
    if "enum" in schema and value not in schema["enum"]:
        return value, [Violation(kind="enum", path=path, value=given, schema=schema)]
    broken = next(_limits(value, schema), None)
    found = [Violation(kind=broken, path=path, value=given, schema=schema)] if broken else []
    if isinstance(value, dict):
        value, inner = _object(value, schema, lax=lax, path=path)
        found += inner
    elif isinstance(value, list) and isinstance(schema.get("items"), dict):
        pairs = [checked(item, schema["items"], lax=lax, path=(*path, index)) for index, item in enumerate(value)]
        value = [item for item, _ in pairs]
        found += [violation for _, inner in pairs for violation in inner]
    return value, found[:_MOST_REPORTED]


def _object(
    value: JsonObject, schema: JsonObject, *, lax: bool, path: tuple[str | int, ...]
) -> tuple[JsonObject, list[Violation]]:
    properties: JsonObject = schema.get("properties") or {}
    needed = schema.get("required") or []
    names = [*properties, *(name for name in needed if name not in properties)]
    found: list[Violation] = []
    result = dict(value)
    for name in names:
        if name in value:
            result[name], inner = checked(value[name], properties.get(name) or {}, lax=lax, path=(*path, name))
            found += inner
        elif name in needed:
            found.append(Violation(kind="missing", path=(*path, name), value=value, schema=properties.get(name) or {}))
    if schema.get("additionalProperties") is False:
        extra = [name for name in value if name not in properties]
        found += [Violation(kind="extra", path=(*path, name), value=value[name]) for name in extra]
    return result, found


def _limits(value: Json, schema: JsonObject) -> Iterator[Kind]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        if "multipleOf" in schema and value % schema["multipleOf"]:
            yield "multiple"
        if "exclusiveMaximum" in schema and value >= schema["exclusiveMaximum"]:
            yield "below"
        if "exclusiveMinimum" in schema and value <= schema["exclusiveMinimum"]:
            yield "above"
        yield from _outside(value, schema, "minimum", "maximum", ("minimum", "maximum"))
    elif isinstance(value, str):
        yield from _outside(len(value), schema, "minLength", "maxLength", ("too_short", "too_long"))
        if "pattern" in schema and not re.search(schema["pattern"], value):
            yield "pattern"
    elif isinstance(value, list):
        yield from _outside(len(value), schema, "minItems", "maxItems", ("few", "many"))


def _outside(size: float, schema: JsonObject, least: str, most: str, kinds: tuple[Kind, Kind]) -> Iterator[Kind]:
    if least in schema and size < schema[least]:
        yield kinds[0]
    if most in schema and size > schema[most]:
        yield kinds[1]


def _typed(value: Json, kind: Json, *, lax: bool) -> tuple[Json, bool]:
    """Return the value, converted if ``lax``, and whether it has the type; ``kind`` may be a list of types."""
    kinds = kind if isinstance(kind, list) else [kind]
    if any(_is(value, name) for name in kinds):
        return value, True
    for name in kinds if lax else ():
        turned = _turned(value, name)
        if turned is not None:
            return turned, True
    return value, False


def _is(value: Json, kind: str) -> bool:
    if kind == "null":
        return value is None
    if kind == "integer":
        return (isinstance(value, int) and not isinstance(value, bool)) or (
            isinstance(value, float) and value.is_integer()
        )
    if kind == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, _PYTHON.get(kind, object))


def _turned(value: Json, kind: str) -> Json:
    """Return a text converted as in pydantic's lax mode, or None."""
    if not isinstance(value, str):
        return None
    text = value.strip()
    if kind == "integer" and _INTEGER.fullmatch(text):
        return int(text)
    if kind == "number" and _NUMBER.fullmatch(text):
        return float(text)
    if kind == "boolean":
        return {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}.get(text.lower())
    return None

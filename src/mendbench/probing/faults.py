"""Operators that break one argument of a right call, as models do."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from mendbench.model.json import Json, JsonObject
from mendbench.probing.tools import Tool, types_of

Operator: TypeAlias = Literal[
    "renamed", "missing", "type", "enum", "format", "range", "name-for-id", "unknown", "extra"
]
OPERATORS: tuple[Operator, ...] = get_args(Operator)

_SYNONYMS = {
    "path": "file_path", "file": "path", "files": "paths", "message": "text", "text": "content", "content": "text", "query": "search",
    "name": "title", "url": "uri", "uri": "url", "id": "identifier", "limit": "max_results", "timezone": "tz", "time": "datetime",
    "source": "from", "destination": "to", "pattern": "regex", "location": "city", "sql": "query",
}  # fmt: skip
"""What models call an argument whose name is one word."""
_EXTRAS: tuple[tuple[str, Json], ...] = (("limit", 5), ("verbose", True), ("output_format", "json"))
"""Arguments that many tools have, and values for them."""
_NO_MEMBER = ("other", "unspecified", "no such value")
_BEYOND = 1_000_000
"""An index beyond the end of what a tool returns."""
_NO_LIMIT = 1_000_000_000
"""A limit as large as this only bounds the type of a number; nobody goes beyond it by mistake."""
_LONGEST = 100_000
"""Characters of the longest text that is sent."""
_INDEX = re.compile(r"(?i)(?:^|_)(?:index|offset|page|line|row)(?:_?(?:number|no))?$")
_ID = re.compile(r"(?:^id|_id|Id|ID)$")
_OPAQUE = re.compile(r"(?=.*\d)[A-Za-z0-9_.:-]{2,}|[0-9a-f-]{7,}")
_QUOTED = re.compile(r"(?<!\w)['\"`]([^'\"`]+)['\"`](?!\w)")
_EXAMPLE = re.compile(r"(?i)\be\.?g\b|\bexamples?\b|\bsuch as\b|\blike\b|\bexcept\b|\bnot\b|\betc\b|…|\.\.\.")
_NAME = re.compile(r"\S*[A-Za-z]\S*\w")
"""A value that is a name and not a text."""
_FORMATS: dict[str, tuple[re.Pattern[str], str]] = {
    "date": (re.compile(r"\d{4}-\d\d-\d\d"), "some day soon"),
    "date-time": (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*"), "some time soon"),
    "time": (re.compile(r"\d\d:\d\d(?::\d\d)?"), "half past nine"),
    "email": (re.compile(r"[^@\s]+@[^@\s]+\.[a-z]+"), "jane at example dot com"),
    "uri": (re.compile(r"[a-z][a-z0-9+.-]*://\S+"), "the project page"),
    "uuid": (re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"), "number 42"),
}
"""Each format of JSON Schema (2020-12, section 7.3): how a right value looks, and a text that a model writes instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One broken argument of a right call."""

    operator: Operator
    argument: str
    """The name of the argument in the broken call; of a missing one, the name that it should have."""
    what: str
    """The fault in a few words: ``repo_path as repoPath``."""
    arguments: JsonObject
    """The broken arguments."""
    right_name: str
    """The name of the argument in the right call; empty if the right call has no such argument."""
    expected: tuple[Json, ...] = ()
    """What a helpful message states: allowed values, types, the format, the limit or the misspelt value."""


def faults_of(tool: Tool, arguments: JsonObject) -> tuple[Fault, ...]:
    """Return all faults of a right call, each of one argument, in the order of the operators."""
    return tuple(fault for operator in OPERATORS for fault in _MAKERS[operator](tool, arguments))


def _renamed(tool: Tool, arguments: JsonObject) -> Iterator[Fault]:
    for name in arguments:
        other = _other_name(name, {*tool.properties, *arguments})
        broken = {other if key == name else key: value for key, value in arguments.items()}
        yield _fault("renamed", other, f"{name} as {other}", broken, name, (name,))


def _missing(tool: Tool, arguments: JsonObject) -> Iterator[Fault]:
    for name in arguments:
        if name in tool.required:
            broken = {key: value for key, value in arguments.items() if key != name}
            yield _fault("missing", name, f"{name} left out", broken, name)


def _extra(tool: Tool, arguments: JsonObject) -> Iterator[Fault]:
    if tool.is_open or not tool.properties:
        return
    found = next(((name, value) for name, value in _EXTRAS if name not in {*tool.properties, *arguments}), None)
    if found is not None:
        name, value = found
        yield _fault("extra", name, f"{name} added", {**arguments, name: value}, "")


def _type(tool: Tool, arguments: JsonObject) -> Iterator[Fault]:
    for name, value in arguments.items():
        schema = tool.properties.get(name, {})
        types = types_of(schema) - {"null"}
        wrong = _wrong_type(types, value) if types and not _values(schema) else None
        if wrong is not None:
            yield _replaced("type", name, f"{name} as {_kind(wrong)}", arguments, wrong, tuple(sorted(types)))


def _enum(tool: Tool, arguments: JsonObject) -> Iterator[Fault]:
    for name in arguments:
        values = _alternatives(tool.properties.get(name, {}), arguments[name])
        wrong = next((word for word in _NO_MEMBER if word not in values), None)
        if values and wrong is not None:
            yield _replaced("enum", name, f"{name} {wrong!r}", arguments, wrong, values)


def _format(tool: Tool, arguments: JsonObject) -> Iterator[Fault]:
    for name, value in arguments.items():
        schema = tool.properties.get(name, {})
        if not isinstance(value, str) or _values(schema):
            continue
        pattern, named = _keyword(schema, "pattern"), _keyword(schema, "format") or _looks_like(value)
        if isinstance(pattern, str) and not _fits(pattern, "???"):
            yield _replaced("format", name, f"{name} '???'", arguments, "???", (pattern,))
        elif named in _FORMATS:
            wrong = _FORMATS[named][1]
            yield _replaced("format", name, f"{name} {wrong!r}", arguments, wrong, (named,))


def _name_for_id(tool: Tool, arguments: JsonObject) -> Iterator[Fault]:
    for name, value in arguments.items():
        if (
            _ID.search(name)
            and isinstance(value, str)
            and _OPAQUE.fullmatch(value)
            and not _values(tool.properties.get(name, {}))
        ):
            yield _replaced("name-for-id", name, f"a name as {name}", arguments, "the quarterly report", ("id",))


def _unknown(tool: Tool, arguments: JsonObject) -> Iterator[Fault]:
    """Yield misspelt names: of files, branches, zones and the like, which a schema does not list."""
    for name, value in arguments.items():
        schema = tool.properties.get(name, {})
        listed = _alternatives(schema, value) or _keyword(schema, "pattern") or _keyword(schema, "format")
        if isinstance(value, str) and _NAME.fullmatch(value) and not (listed or _looks_like(value)):
            wrong = value + value[-1]
            yield _replaced("unknown", name, f"{name} misspelt", arguments, wrong, (wrong,))


def _range(tool: Tool, arguments: JsonObject) -> Iterator[Fault]:
    for name, value in arguments.items():
        schema = tool.properties.get(name, {})
        beyond = next(_beyond(schema, value), None)
        if beyond is not None:
            wrong, what, limit = beyond
            yield _replaced("range", name, f"{name} {what}", arguments, wrong, (limit,))
        elif _INDEX.search(name) and isinstance(value, int) and not isinstance(value, bool):
            yield _replaced("range", name, f"{name} beyond the end", arguments, _BEYOND, ())


_MAKERS: dict[Operator, Callable[[Tool, JsonObject], Iterator[Fault]]] = {
    "renamed": _renamed, "missing": _missing, "type": _type, "enum": _enum, "format": _format, "range": _range,
    "name-for-id": _name_for_id, "unknown": _unknown, "extra": _extra,
}  # fmt: skip


def _beyond(schema: JsonObject, value: Json) -> Iterator[tuple[Json, str, Json]]:
    """Yield values outside the limits of a schema: the value, how it differs, and the limit."""
    limits = {key: _keyword(schema, key) for key in _LIMITS}
    found = {key: one for key, one in limits.items() if type(one) in {int, float} and abs(one) < _NO_LIMIT}
    number = isinstance(value, int | float) and not isinstance(value, bool)
    for key, step in (("maximum", 1), ("exclusiveMaximum", 0), ("minimum", -1), ("exclusiveMinimum", 0)):
        if number and key in found:
            side = "above" if "ax" in key else "below"
            yield found[key] + step, f"{side} {found[key]}", found[key]
    if isinstance(value, list) and value and 0 < (most := found.get("maxItems", 0)) < _LONGEST:
        yield [value[0]] * (int(most) + 1), f"with {most} + 1 items", most
    if isinstance(value, list) and found.get("minItems", 0) > 0:
        yield [], "empty", found["minItems"]
    if isinstance(value, str) and 0 < (most := found.get("maxLength", 0)) < _LONGEST:
        yield "x" * (int(most) + 1), f"longer than {most}", most
    if isinstance(value, str) and found.get("minLength", 0) > 0:
        yield "", "empty", found["minLength"]


_LIMITS = (
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
    "maxItems",
    "minItems",
    "maxLength",
    "minLength",
)


def _fault(
    operator: Operator, argument: str, what: str, broken: JsonObject, right_name: str, expected: tuple[Json, ...] = ()
) -> Fault:
    return Fault(
        operator=operator, argument=argument, what=what, arguments=broken, right_name=right_name, expected=expected
    )


def _replaced(
    operator: Operator, name: str, what: str, arguments: JsonObject, wrong: Json, expected: tuple[Json, ...]
) -> Fault:
    return _fault(operator, name, what, {**arguments, name: wrong}, name, expected)


def _wrong_type(types: frozenset[str], value: Json) -> Json:
    """Return a value of a type that is not permitted and that cannot be read as one that is; None if there is none."""
    if "string" not in types:
        if types & {"integer", "number"}:
            return f"about {value}"
        if "boolean" in types:
            return "sometimes"
        first = value[0] if isinstance(value, list) and value else "all of them"
        return first if isinstance(first, str) else "all of them"
    if "array" not in types:
        return [value]
    return {"value": value} if "object" not in types else None


def _kind(value: Json) -> str:
    return "an array" if isinstance(value, list) else "an object" if isinstance(value, dict) else "text"


def _values(schema: JsonObject) -> tuple[Json, ...]:
    """Return the allowed values of a schema; empty if it does not list them."""
    found = _keyword(schema, "enum")
    return tuple(one for one in found if one is not None) if isinstance(found, list) else ()


def _alternatives(schema: JsonObject, value: Json) -> tuple[Json, ...]:
    """Return the allowed values of a schema; if it lists none, the words in its description's quotes, of which the right value is one.

    Where a description quotes a phrase or speaks of examples, its quotes are no list of allowed values.
    """
    listed, text = _values(schema), schema.get("description")
    if listed or not isinstance(text, str) or _EXAMPLE.search(text):
        return listed
    quoted = tuple(dict.fromkeys(found[1] for found in _QUOTED.finditer(text)))
    words = all(re.fullmatch(r"[\w-]+", one) for one in quoted)
    return quoted if len(quoted) > 1 and words and value in quoted else ()


def _keyword(schema: JsonObject, key: str) -> Json:
    """Return a keyword of a schema, or of the one of its branches that has it."""
    branches = [one for name in ("anyOf", "oneOf") for one in schema.get(name) or () if isinstance(one, dict)]
    return next((one[key] for one in (schema, *branches) if key in one), None)


def _fits(pattern: str, text: str) -> bool:
    try:
        return re.search(pattern, text) is not None
    except re.error:  # a dialect of another language
        return True


def _looks_like(value: str) -> str | None:
    return next((name for name, (form, _) in _FORMATS.items() if form.fullmatch(value)), None)


def _other_name(name: str, taken: set[str]) -> str:
    """Return a plausible wrong name: another case style, a synonym, or another number."""
    head, *tail = name.split("_")
    camel = head + "".join(part.capitalize() for part in tail)
    snake = re.sub(r"(?<=[a-z0-9])([A-Z])", lambda found: "_" + found[1].lower(), name).replace("-", "_")
    number = name[:-1] if name.endswith("s") and len(name) > 2 else f"{name}s"  # noqa: PLR2004 - "is" has no singular
    found = [camel, snake, _SYNONYMS.get(name, name), *([number] if len(name) > 1 else []), f"{name}_value"]
    return next((one for one in found if one not in taken), f"{name}_{len(taken)}")

"""The workflow's JSON Schema, and a checker for violations.

The checker supports the few keywords that the schema uses. It reports every violation in the usual wording of JSON Schema
validators.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from mendbench.model.json import Json, JsonObject

Keyword: TypeAlias = Literal[
    "type", "required", "additionalProperties", "anyOf", "enum", "pattern", "minimum", "maximum", "minItems"
]
Pointer: TypeAlias = tuple[str | int, ...]

TYPE_ALIASES: Final[dict[str, str]] = {
    "str": "string", "int": "number", "integer": "number", "float": "number", "bool": "boolean", "dict": "object", "list": "array",
}  # fmt: skip
"""Python type names that a declaration may use, and the JSON types that they mean."""

DATA_TYPES: Final = ("string", "number", "boolean", "object", "array")

_TEXT: Final[JsonObject] = {"type": "string"}
_FLAG: Final[JsonObject] = {"type": "boolean"}
_TYPE_NAME: Final[JsonObject] = {"type": "string", "enum": [*DATA_TYPES, *TYPE_ALIASES]}

MAX_TRIES: Final = 10
"""Maximum number of tries for one batch item."""

MAX_WAIT_S: Final = 3600
"""Maximum number of seconds between two tries."""


def _closed(properties: JsonObject, *required: str) -> JsonObject:
    """Return the schema of an object with these properties and no others."""
    needed = {"required": list(required)} if required else {}
    return {"type": "object", **needed, "additionalProperties": False, "properties": properties}


_BATCH: Final = _closed(
    {
        "items": {"anyOf": [{"type": "string"}, {"type": "array", "minItems": 1}]},
        "as": {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"},
        "error_handling": {"type": "string", "enum": ["fail_fast", "continue"]},
        "parallel": _FLAG,
        "max_concurrent": {"type": "integer", "minimum": 1, "maximum": 100},
        "max_retries": {"type": "integer", "minimum": 1, "maximum": MAX_TRIES},
        "retry_wait": {"type": "number", "minimum": 0, "maximum": MAX_WAIT_S},
    },
    "items",
)

_NODE: Final = _closed(
    {
        "id": {"type": "string", "description": "Its name, unique in the workflow."},
        "type": {"type": "string", "description": "Which kind of node runs."},
        "purpose": {"type": "string", "description": "What it is for."},
        "params": {"type": "object", "description": "Parameters of the node; texts may hold templates."},
        "batch": _BATCH,
    },
    "id",
    "type",
)

_EDGE: Final = _closed(
    {
        "from": {"type": "string", "description": "Id of the node that runs first."},
        "to": {"type": "string", "description": "Id of the node that runs next."},
        "action": {"type": "string", "default": "default", "description": "The action on which it is taken."},
    },
    "from",
    "to",
)

_INPUT: Final = _closed(
    {
        "description": _TEXT,
        "required": {"type": "boolean", "default": True},
        "type": _TYPE_NAME,
        "default": {},
        "stdin": _FLAG,
    }
)

_OUTPUT: Final = _closed(
    {
        "description": _TEXT,
        "type": _TYPE_NAME,
        "source": {"type": "string", "description": "A template, such as ${node.key}."},
    }
)

WORKFLOW_SCHEMA: Final[JsonObject] = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "title": "Workflow",
    **_closed(
        {
            "ir_version": {"type": "string", "pattern": r"^\d+\.\d+\.\d+$"},
            "nodes": {"type": "array", "minItems": 1, "items": _NODE},
            "edges": {"type": "array", "items": _EDGE},
            "start_node": {
                "type": "string",
                "description": "Id of the first node; the first in the list if it is not given.",
            },
            "inputs": {"type": "object", "additionalProperties": _INPUT},
            "outputs": {"type": "object", "additionalProperties": _OUTPUT},
            "mappings": {"type": "object"},
            "enable_namespacing": {"type": "boolean", "default": True},
            "template_resolution_mode": {"type": "string", "enum": ["strict", "permissive"], "default": "strict"},
        },
        "ir_version",
        "nodes",
    ),
}
"""JSON Schema (draft-07) of a workflow document after normalisation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One violation of the schema in a document."""

    path: Pointer
    keyword: Keyword
    message: str
    found: Json = None
    """The value there; for ``required`` and ``additionalProperties`` the name of the property."""
    allowed: tuple[str, ...] = ()
    """The allowed names, if any."""


def violations(value: Json, schema: JsonObject, path: Pointer = ()) -> Iterator[Violation]:
    """Yield all violations of ``schema`` in ``value``, in document order. Never raises."""
    expected = schema.get("type")
    if expected is not None and not _IS[expected](value):
        message = f"{shown(value)} is not of type '{expected}'"
        yield Violation(path=path, keyword="type", message=message, found=value, allowed=(expected,))
        return
    for keyword, violates, wording in _CHECKS:
        if keyword in schema and violates(value, schema[keyword]):
            message = f"{shown(value)} {wording.format(schema[keyword])}"
            allowed = tuple(schema["enum"]) if keyword == "enum" else ()
            yield Violation(path=path, keyword=keyword, message=message, found=value, allowed=allowed)
    if isinstance(value, dict):
        yield from _object_violations(value, schema, path)
    for index, item in enumerate(value if isinstance(value, list) else ()):
        yield from violations(item, schema.get("items", {}), (*path, index))


def shown(value: Json) -> str:
    """Return ``value`` for a message: on one line, cut if it is long or deep."""
    return _REPR.repr(value)


def _object_violations(value: JsonObject, schema: JsonObject, path: Pointer) -> Iterator[Violation]:
    known: JsonObject = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield Violation(path=path, keyword="required", message=f"'{name}' is a required property", found=name)
    extra = schema.get("additionalProperties", True)
    for name, item in value.items():
        if name in known:
            yield from violations(item, known[name], (*path, name))
        elif extra is False:
            message = f"Additional properties are not allowed ({shown(name)} was unexpected)"
            yield Violation(
                path=path, keyword="additionalProperties", message=message, found=name, allowed=tuple(known)
            )
        elif isinstance(extra, dict):
            yield from violations(item, extra, (*path, name))


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_IS: Final[dict[str, Callable[[Json], bool]]] = {
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "number": _is_number,
    "integer": lambda value: _is_number(value) and (isinstance(value, int) or value.is_integer()),
}


_CHECKS: Final[tuple[tuple[Keyword, Callable[[Json, Json], bool], str], ...]] = (
    (
        "anyOf",
        lambda value, schemas: all(any(violations(value, schema)) for schema in schemas),
        "is not valid under any of the given schemas",
    ),
    ("enum", lambda value, names: value not in names, "is not one of {}"),
    ("pattern", lambda value, pattern: not re.search(pattern, value), "does not match '{}'"),
    ("minimum", lambda value, least: bool(value < least), "is less than the minimum of {}"),
    ("maximum", lambda value, most: bool(value > most), "is greater than the maximum of {}"),
    ("minItems", lambda value, least: isinstance(value, list) and len(value) < least, "should be non-empty"),
)
"""For each other keyword: whether a value violates it, and the end of the message."""

_REPR: Final = reprlib.Repr()
_REPR.maxstring, _REPR.maxother, _REPR.maxlong = 80, 80, 40

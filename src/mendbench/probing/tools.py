"""The tools of a server, as ``tools/list`` describes them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mendbench.model.json import Json, JsonObject

_MOST_REFS = 20
"""How many references are followed one after the other: a schema may refer to itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool."""

    name: str
    schema: JsonObject
    """Its ``inputSchema``."""
    read_only: bool = False
    """Its ``readOnlyHint``."""
    destructive: bool = False
    """Its ``destructiveHint``, if the server gives it."""

    @property
    def properties(self) -> dict[str, JsonObject]:
        """The schemas of its arguments, without references."""
        found = self.schema.get("properties")
        return {name: self._resolved(one) for name, one in found.items()} if isinstance(found, dict) else {}

    @property
    def required(self) -> tuple[str, ...]:
        """The names of its required arguments."""
        found = self.schema.get("required")
        return tuple(map(str, found)) if isinstance(found, list) else ()

    @property
    def is_open(self) -> bool:
        """Whether its schema permits arguments that it does not declare, in so many words."""
        return self.schema.get("additionalProperties", False) is not False

    def _resolved(self, schema: Json) -> JsonObject:
        for _ in range(_MOST_REFS):
            ref = schema.get("$ref") if isinstance(schema, dict) else None
            if not isinstance(ref, str):
                break
            schema = self.schema
            for key in ref.removeprefix("#/").split("/"):
                schema = schema.get(key) if isinstance(schema, dict) else None
        return schema if isinstance(schema, dict) else {}


def tools_of(listed: Iterable[Json]) -> tuple[Tool, ...]:
    """Return the tools in a list of tools; entries without a name are left out."""
    return tuple(_tool(one) for one in listed if isinstance(one, dict) and isinstance(one.get("name"), str))


def _tool(one: JsonObject) -> Tool:
    schema, hints = one.get("inputSchema"), one.get("annotations")
    hints = hints if isinstance(hints, dict) else {}
    return Tool(
        name=one["name"],
        schema=schema if isinstance(schema, dict) else {},
        read_only=hints.get("readOnlyHint") is True,
        destructive=hints.get("destructiveHint") is True,
    )


def types_of(schema: JsonObject) -> frozenset[str]:
    """Return the JSON types that a schema permits; empty if it permits any."""
    own = schema.get("type")
    if isinstance(own, str):
        return frozenset({own})
    if isinstance(own, list):
        return frozenset(map(str, own))
    branches = [one for key in ("anyOf", "oneOf") for one in schema.get(key) or () if isinstance(one, dict)]
    found = [types_of(branch) for branch in branches]
    if found and all(found):
        return frozenset().union(*found)
    values = schema["enum"] if isinstance(schema.get("enum"), list) else [schema["const"]] if "const" in schema else []
    return frozenset(map(type_of, values))


def type_of(value: Json) -> str:
    """Return the JSON type of a value."""
    names = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return names.get(type(value), "null")

"""The JSON schema check of request bodies, with GitHub's messages."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

from mendbench.model.json import Json, JsonObject
from mendbench.services.github.errors import GitHubError, invalid_request
from mendbench.services.wire import Call, parse_json

Type = Literal["string", "integer", "array", "boolean", "object", "null"]
_TYPE_NAMES: dict[type, str] = {
    type(None): "null",
    bool: "boolean",
    int: "integer",
    str: "string",
    list: "array",
    dict: "object",
}
_ARTICLE = {"array": "an array", "integer": "an integer", "object": "an object", "null": "nil"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One property of a request body."""

    name: str
    types: tuple[Type, ...]
    """The accepted types. The message names the first one."""
    required: bool = False
    members: tuple[str, ...] = ()
    """The values of an enumeration."""
    items: tuple[Type, ...] = ()
    """The types that array entries may have."""


def read_body(call: Call, fields: tuple[Field, ...], docs: str, *, array_as: str | None = None) -> JsonObject:
    """Return the body's properties. ``array_as``: the property that a bare array stands for.

    Raises:
        GitHubError: 400 if the body is not a JSON object, 422 if it does not match ``fields``.
    """
    if not call.body.strip():
        body: Json = {}
    else:
        try:
            body = parse_json(call.body.decode("utf-8"))
        except ValueError:
            raise GitHubError(400, "Problems parsing JSON") from None
    if array_as is not None and isinstance(body, list):
        body = {array_as: body}
    if not isinstance(body, dict):
        raise GitHubError(400, "Body should be a JSON object")
    problems = [text for field in fields for text in _problems(body, field)]
    if problems:
        raise invalid_request(problems, docs)
    return body


def shown(value: Json) -> str:
    """Return a value as the messages write it: ``nil``, ``"text"``, ``2026``, ``{"a"=>1}``."""
    if value is None:
        return "nil"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{shown(key)}=>{shown(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(shown(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def _problems(body: JsonObject, field: Field) -> list[str]:
    if field.name not in body:
        return [f'"{field.name}" wasn\'t supplied.'] if field.required else []
    value = body[field.name]
    if not _is(value, field.types):
        return [f"For 'properties/{field.name}', {shown(value)} is not {_article(field.types[0])}."]
    if field.members and value is not None and value not in field.members:
        known = ", ".join(json.dumps(member) for member in field.members)
        return [f"For 'properties/{field.name}', {value} is not a member of [{known}]."]
    if field.items and isinstance(value, list):
        return [f"For 'items', {shown(i)} is not {_article(field.items[0])}." for i in value if not _is(i, field.items)]
    return []


def _article(kind: str) -> str:
    return _ARTICLE.get(kind, f"a {kind}")


def _is(value: Json, types: tuple[Type, ...]) -> bool:
    return _TYPE_NAMES.get(type(value), "number") in types

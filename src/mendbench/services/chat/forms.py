"""Validation of request bodies as Discord does it: each field by its type, with all errors in one tree.

Types, limits and texts: https://docs.discord.com/developers/reference#error-messages and
https://docs.discord.com/developers/resources/message#embed-object-embed-limits; ``NUMBER_TYPE_COERCE`` and similar
codes as client libraries quote them. Where a list is expected, a scalar counts as a list of one, and an object as the
list of its values. An embed outside a list therefore fails entry by entry.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from mendbench.model.json import Json, JsonObject
from mendbench.services.chat.errors import Path, Problem, invalid_form
from mendbench.services.chat.state import is_snowflake

Reader: TypeAlias = Callable[[Json, Path], tuple[Json, list[Problem]]]
"""Reads one value: returns the converted value and its errors."""

MAX_EMBEDS, MAX_FIELDS, MAX_EMBED_TEXT = 10, 25, 6000
MAX_COLOR = 0xFFFFFF
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field of an object."""

    name: str
    read: Reader
    required: bool = False


def text(*, least: int = 0, most: int) -> Reader:
    """Return the reader of a text with a bounded length. It converts numbers and booleans to texts."""

    def read(value: Json, path: Path) -> tuple[Json, list[Problem]]:
        if isinstance(value, dict | list):
            return None, [(path, "STRING_TYPE_CONVERT", f'Could not interpret "{value}" as string.')]
        taken = str(value).strip() if least else str(value)
        if least and not least <= len(taken) <= most:
            return taken, [(path, "BASE_TYPE_BAD_LENGTH", f"Must be between {least} and {most} in length.")]
        if len(taken) > most:
            return taken, [(path, "BASE_TYPE_MAX_LENGTH", f"Must be {most} or fewer in length.")]
        return taken, []

    return read


def number(*, least: int | None = None, most: int | None = None) -> Reader:
    """Return the reader of an integer within bounds."""

    def read(value: Json, path: Path) -> tuple[Json, list[Problem]]:
        taken = _whole(value)
        if taken is None:
            return None, [(path, "NUMBER_TYPE_COERCE", f'Value "{value}" is not int.')]
        if most is not None and taken > most:
            return taken, [(path, "NUMBER_TYPE_MAX", f"int value should be less than or equal to {most}.")]
        if least is not None and taken < least:
            return taken, [(path, "NUMBER_TYPE_MIN", f"int value should be greater than or equal to {least}.")]
        return taken, []

    return read


def choice(*members: int) -> Reader:
    """Return the reader of an integer from a fixed set."""

    def read(value: Json, path: Path) -> tuple[Json, list[Problem]]:
        taken, problems = number()(value, path)
        if not problems and taken not in members:
            problems = [(path, "BASE_TYPE_CHOICES", f"Value must be one of {members}.")]
        return taken, problems

    return read


def snowflake(value: Json, path: Path) -> tuple[Json, list[Problem]]:
    """Read an id. A number is accepted and becomes a text of its digits."""
    if not is_snowflake(value):
        return None, [(path, "NUMBER_TYPE_COERCE", f'Value "{value}" is not snowflake.')]
    return str(value), []


def flag(value: Json, _path: Path) -> tuple[Json, list[Problem]]:
    """Read a boolean."""
    return bool(value) and value != "false", []


def moment(value: Json, path: Path) -> tuple[Json, list[Problem]]:
    """Read an ISO 8601 timestamp."""
    try:
        datetime.fromisoformat(str(value))
    except ValueError:
        return None, [(path, "DATE_TIME_TYPE_PARSE", f"Could not parse {value}. Should be ISO8601.")]
    return str(value), []


def link(value: Json, path: Path) -> tuple[Json, list[Problem]]:
    """Read the URL of a web page."""
    taken = str(value)
    found = _SCHEME.fullmatch(taken)
    if found is None or any(char.isspace() for char in taken):
        return taken, [(path, "URL_TYPE_INVALID_URL", "Not a well formed URL.")]
    if found.group(1).lower() not in {"http", "https"}:
        message = f"Scheme \"{found.group(1).lower()}\" is not supported. Scheme must be one of ('http', 'https')."
        return taken, [(path, "URL_TYPE_INVALID_SCHEME", message)]
    if not found.group(2).startswith("//") or not found.group(2)[2:]:
        return taken, [(path, "URL_TYPE_INVALID_URL", "Not a well formed URL.")]
    return taken, []


def record(*fields: Field) -> Reader:
    """Return the reader of an object. It drops unknown fields."""

    def read(value: Json, path: Path) -> tuple[Json, list[Problem]]:
        if not isinstance(value, dict):
            return None, [(path, "MODEL_TYPE_CONVERT", "Expected an object/dictionary.")]
        return read_fields(value, fields, path)

    return read


def listed(item: Reader, *, most: int) -> Reader:
    """Return the reader of a list with a maximum length."""

    def read(value: Json, path: Path) -> tuple[Json, list[Problem]]:
        items = value if isinstance(value, list) else list(value.values()) if isinstance(value, dict) else [value]
        if len(items) > most:
            return None, [(path, "BASE_TYPE_MAX_LENGTH", f"Must be {most} or fewer in length.")]
        taken, problems = [], []
        for at, entry in enumerate(items):
            got, wrong = item(entry, (*path, str(at)))
            taken.append(got)
            problems += wrong
        return taken, problems

    return read


def read_fields(body: JsonObject, fields: tuple[Field, ...], path: Path = ()) -> tuple[JsonObject, list[Problem]]:
    """Return the fields of an object and all errors in them. A null field counts as absent."""
    taken: JsonObject = {}
    problems: list[Problem] = []
    for field in fields:
        value = body.get(field.name)
        here = (*path, field.name)
        if value is None or (field.required and value == ""):
            if field.required:
                problems.append((here, "BASE_TYPE_REQUIRED", "This field is required"))
            elif field.name in body:
                taken[field.name] = None
            continue
        taken[field.name], wrong = field.read(value, here)
        problems += wrong
    return taken, problems


def read_form(body: JsonObject, fields: tuple[Field, ...]) -> JsonObject:
    """Return the fields of a body.

    Raises:
        ChatError: 50035 with all errors in the fields.
    """
    values, problems = read_fields(body, fields)
    if problems:
        raise invalid_form(*problems)
    return values


_PICTURE = record(Field(name="url", read=link, required=True))
EMBED = record(
    Field(name="title", read=text(most=256)),
    Field(name="description", read=text(most=4096)),
    Field(name="url", read=link),
    Field(name="timestamp", read=moment),
    Field(name="color", read=number(least=0, most=MAX_COLOR)),
    Field(name="footer", read=record(Field(name="text", read=text(most=2048), required=True))),
    Field(name="image", read=_PICTURE),
    Field(name="thumbnail", read=_PICTURE),
    Field(
        name="author",
        read=record(Field(name="name", read=text(most=256), required=True), Field(name="url", read=link)),
    ),
    Field(
        name="fields",
        read=listed(
            record(
                Field(name="name", read=text(most=256), required=True),
                Field(name="value", read=text(most=1024), required=True),
                Field(name="inline", read=flag),
            ),
            most=MAX_FIELDS,
        ),
    ),
)


def embed_text(embeds: list[Json]) -> int:
    """Return the number of characters in all embeds that count towards the limit."""
    total = 0
    for embed in embeds:
        footer, author = embed.get("footer") or {}, embed.get("author") or {}
        pieces = [embed.get("title"), embed.get("description"), footer.get("text"), author.get("name")]
        for field in embed.get("fields") or ():
            pieces += [field.get("name"), field.get("value")]
        total += sum(len(piece or "") for piece in pieces)
    return total


def _whole(value: Json) -> int | None:
    if isinstance(value, bool | dict | list):
        return int(value) if isinstance(value, bool) else None
    if isinstance(value, float):
        return int(value)
    if isinstance(value, str) and not re.fullmatch(r"[+-]?[0-9]{1,18}", value.strip()):
        return None
    return int(value)

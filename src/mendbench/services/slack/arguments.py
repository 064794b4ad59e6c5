"""Parsing of a call's arguments, and validation against the method's schema.

Slack reads the query, a form, or (where the method takes it) a JSON body; see https://docs.slack.dev/apis/web-api,
"POST bodies". A JSON body on a method that does not accept JSON is not an error, but its arguments are ignored.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import parse_qsl

from mendbench.model.json import Json, JsonObject
from mendbench.services.slack.errors import SlackError, pointed
from mendbench.services.wire import Call, parse_json

MISSING_CHARSET = "missing_charset"
_PART = re.compile(rb'name="([^"]*)"')
_ARRAY_NAME = re.compile(r"\[[^\]]*\]$")
_READ_TYPES = ("application/json", "application/x-www-form-urlencoded", "multipart/form-data", "text/plain")

Kind = Literal["string", "timestamp", "json", "integer", "flag"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One argument that a method declares."""

    name: str
    required: bool = False
    kind: Kind = "string"
    """json: an array or an object, or a text of one. The method itself checks the content."""
    below: int | None = None
    """For an integer: the exclusive upper bound."""


def read_arguments(call: Call, *, takes_json: bool) -> JsonObject:
    """Return the arguments of ``call``.

    Raises:
        SlackError: the body does not match its content type. This check comes before authentication.
    """
    kind, _ = _content_type(call)
    values: JsonObject = dict(call.query)
    if call.method != "GET" and call.body:
        values |= _body_values(call, kind, takes_json=takes_json)
    for name in values:
        if _ARRAY_NAME.search(name):
            raise SlackError("invalid_array_arg")
    return values


def early_warnings(call: Call) -> tuple[str, ...]:
    """Return the warnings about a call's content type."""
    kind, charset = _content_type(call)
    return (MISSING_CHARSET,) if kind == "application/json" and not charset and call.body else ()


def check_schema(values: JsonObject, declared: tuple[Argument, ...]) -> None:
    """Check that required arguments are present and that all arguments have the right type.

    Raises:
        SlackError: ``invalid_arguments`` with one message for each argument that does not fit.
    """
    problems = [problem for argument in declared if (problem := _problem(values, argument))]
    if problems:
        raise SlackError("invalid_arguments", messages=tuple(problems))


def whole_number(values: JsonObject, name: str, default: int) -> int:
    """Return an integer argument, or ``default`` if it is absent."""
    value = values.get(name)
    return default if value in (None, "") else int(str(value))


def flag(values: JsonObject, name: str) -> bool:
    """Return whether an argument is true, by Slack's rules for JSON and forms."""
    return str(values.get(name, "")).lower() in {"true", "1"}


def _content_type(call: Call) -> tuple[str, bool]:
    raw = call.header("content-type").lower()
    return raw.split(";", 1)[0].strip(), "charset=" in raw


def _body_values(call: Call, kind: str, *, takes_json: bool) -> JsonObject:
    if not kind:
        raise SlackError("missing_post_type")
    if kind not in _READ_TYPES:
        raise SlackError("invalid_post_type")
    if kind == "application/json":
        parsed = _json_object(call.body)
        return parsed if takes_json else {}
    if kind == "application/x-www-form-urlencoded":
        return _form(call.body)
    return _multipart(call) if kind == "multipart/form-data" else {}


def _json_object(body: bytes) -> JsonObject:
    try:
        parsed: Json = parse_json(body.decode("utf-8"))
    except ValueError:
        raise SlackError("invalid_json") from None
    if not isinstance(parsed, dict):
        raise SlackError("json_not_object")
    return parsed


def _form(body: bytes) -> JsonObject:
    text = body.decode("utf-8", "replace").strip()
    if "=" not in text or text[:1] in "{[":
        raise SlackError("invalid_form_data")
    try:
        return dict(parse_qsl(text, keep_blank_values=True))
    except ValueError:
        raise SlackError("invalid_form_data") from None


def _multipart(call: Call) -> JsonObject:
    found = re.search(r'boundary="?([^";]+)"?', call.header("content-type"), re.IGNORECASE)
    if not found:
        raise SlackError("invalid_form_data")
    values: JsonObject = {}
    for part in call.body.split(b"--" + found.group(1).encode("utf-8", "replace")):
        head, _, content = part.partition(b"\r\n\r\n")
        name = _PART.search(head)
        if name:
            values[name.group(1).decode("utf-8", "replace")] = content.removesuffix(b"\r\n").decode("utf-8", "replace")
    return values


def _problem(values: JsonObject, argument: Argument) -> str | None:
    name = argument.name
    if name not in values:
        return f"missing required field: {name}" if argument.required else None
    value = values[name]
    if argument.kind == "string" and not isinstance(value, str):
        return None if value is None and not argument.required else pointed("must provide a string", name)
    if argument.kind == "timestamp" and (isinstance(value, bool) or not isinstance(value, str | int | float)):
        return None if value is None and not argument.required else pointed("must provide a string", name)
    if argument.kind == "integer":
        return _integer_problem(value, argument)
    return None


def _integer_problem(value: Json, argument: Argument) -> str | None:
    if value in (None, ""):
        return None
    text = str(value)
    if isinstance(value, bool) or not re.fullmatch(r"-?[0-9]{1,12}", text):
        raise SlackError(f"invalid_{argument.name}")
    if argument.below is not None and int(text) >= argument.below:
        return pointed(f"must be less than {argument.below}", argument.name)
    if int(text) < 1:
        return pointed("must be more than 0", argument.name)
    return None

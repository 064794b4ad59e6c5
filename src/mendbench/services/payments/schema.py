"""The parameters of an endpoint, and the error messages for invalid ones.

The order: unknown, missing, empty, of the wrong type. Messages show nested names as they are sent:
``line_items[0][price]``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from mendbench.model.json import Json, JsonObject
from mendbench.services.payments.errors import StripeError, bad, empty, missing, unknown
from mendbench.services.payments.money import known_currency

Kind = Literal["string", "integer", "boolean", "currency", "email", "map", "object", "list"]
_INTEGER = re.compile(r"-?[0-9]{1,12}")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Param:
    """One parameter that an endpoint takes."""

    name: str
    kind: Kind = "string"
    required: bool = False
    least: int | None = None
    most: int | None = None
    members: tuple[str, ...] = ()
    """The values of an enumeration."""
    unsets: bool = False
    """Whether an empty text removes the value."""
    fields: tuple[Param, ...] = ()
    """The parameters of an object, or of each entry of a list. A list without parameters is a list of texts."""


def read_params(values: JsonObject, declared: tuple[Param, ...]) -> JsonObject:
    """Return the values converted to their types: integers, booleans, currencies in lower case.

    Raises:
        StripeError: 400 for the first invalid parameter. All unknown parameters are reported together.
    """
    strangers = list(_unknown(values, declared, ""))
    if strangers:
        raise unknown(strangers)
    _require(values, declared, "")
    return {name: _typed(value, _of(declared, name), name) for name, value in values.items()}


def _unknown(values: JsonObject, declared: tuple[Param, ...], parent: str) -> Iterator[str]:
    known = {param.name: param for param in declared}
    for name, value in values.items():
        full = _full(parent, name)
        if name not in known:
            yield full
        elif isinstance(value, dict) and known[name].kind == "object":
            yield from _unknown(value, known[name].fields, full)
        elif isinstance(value, list) and known[name].kind == "list" and known[name].fields:
            for index, item in enumerate(value):
                if isinstance(item, dict):
                    yield from _unknown(item, known[name].fields, f"{full}[{index}]")


def _require(values: JsonObject, declared: tuple[Param, ...], parent: str) -> None:
    for param in declared:
        full = _full(parent, param.name)
        value = values.get(param.name)
        if param.required and value is None:
            raise missing(full)
        if isinstance(value, dict) and param.kind == "object":
            _require(value, param.fields, full)
        if isinstance(value, list) and param.kind == "list":
            for index, item in enumerate(value):
                if isinstance(item, dict):
                    _require(item, param.fields, f"{full}[{index}]")


def _typed(value: Json, param: Param, full: str) -> Json:
    if param.kind in {"map", "object"}:
        return _object(value, param, full)
    if param.kind == "list":
        return _list(value, param, full)
    if not isinstance(value, str):
        raise _too_deep(value, full)
    if value == "" and param.unsets:
        return None
    if value == "":
        raise empty(full)
    return _scalar(value, param, full)


def _scalar(value: str, param: Param, full: str) -> Json:
    if param.kind == "integer":
        return _integer(value, param, full)
    if param.kind == "boolean":
        if value not in {"true", "false"}:
            raise bad(f"Invalid boolean: {value}", full)
        return value == "true"
    if param.kind == "currency":
        return known_currency(value, full)
    if param.kind == "email" and not _EMAIL.fullmatch(value):
        raise bad(f"Invalid email address: {value}", full, "email_invalid")
    if param.members and value not in param.members:
        raise bad(f"Invalid {full}: must be one of {_either(param.members)}", full)
    return value


def _integer(value: str, param: Param, full: str) -> int:
    code = "parameter_invalid_integer"
    if not _INTEGER.fullmatch(value):
        raise bad(f"Invalid integer: {value}", full, code)
    number = int(value)
    if param.least is not None and number < param.least:
        raise bad(f"This value must be greater than or equal to {param.least}.", full, code)
    if param.most is not None and number > param.most:
        raise bad(f"This value must be less than or equal to {param.most}.", full, code)
    return number


def _object(value: Json, param: Param, full: str) -> Json:
    if value == "" and param.unsets:
        return {}
    if isinstance(value, list):
        value = {str(index): item for index, item in enumerate(value)}
    if not isinstance(value, dict):
        raise bad("Invalid object", full)
    if param.kind == "object":
        return {name: _typed(item, _of(param.fields, name), _full(full, name)) for name, item in value.items()}
    for name, item in value.items():
        if not isinstance(item, str):
            raise _too_deep(item, _full(full, name))
    return value


def _list(value: Json, param: Param, full: str) -> Json:
    if not isinstance(value, list):
        raise bad("Invalid array", full)
    each = Param(name=param.name, kind="object" if param.fields else "string", fields=param.fields)
    return [_typed(item, each, f"{full}[{index}]") for index, item in enumerate(value)]


def _too_deep(value: Json, full: str) -> StripeError:
    """Return the error for names nested below a text parameter: such parameters do not exist."""
    first = next(iter(value), "") if isinstance(value, dict) else 0
    return unknown([f"{full}[{first}]"])


def _of(declared: tuple[Param, ...], name: str) -> Param:
    return next((param for param in declared if param.name == name), Param(name=name))


def _full(parent: str, name: str) -> str:
    return f"{parent}[{name}]" if parent else name


def _either(members: tuple[str, ...]) -> str:
    if len(members) < 3:  # noqa: PLR2004 - two need no commas
        return " or ".join(members)
    return f"{', '.join(members[:-1])}, or {members[-1]}"

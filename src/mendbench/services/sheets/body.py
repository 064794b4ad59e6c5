"""Request messages: query and JSON body, parsed as in Google's transcoding (AIP-127, proto3 JSON)."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl

from mendbench.model.json import Json, JsonObject
from mendbench.services.sheets.errors import (
    API_TYPE,
    LIST_VALUE,
    SheetsError,
    Violation,
    invalid,
    invalid_value,
    unknown_name,
    unknown_parameter,
    violated,
)
from mendbench.services.wire import Call, parse_json

SYSTEM_PARAMETERS = frozenset(
    {
        "alt", "access_token", "callback", "fields", "key", "oauth_token", "prettyPrint", "quotaUser", "uploadType",
        "upload_protocol", "$.xgafv",
    }
)  # fmt: skip
"""Parameters of every Google API (https://cloud.google.com/apis/docs/system-parameters)."""
DIMENSIONS = ("ROWS", "COLUMNS")
INPUT_OPTIONS = ("RAW", "USER_ENTERED")
RENDER_OPTIONS = ("FORMATTED_VALUE", "UNFORMATTED_VALUE", "FORMULA")
_ENUMS = {
    "majorDimension": ("Dimension", ("DIMENSION_UNSPECIFIED", *DIMENSIONS)),
    "valueInputOption": ("ValueInputOption", ("INPUT_VALUE_OPTION_UNSPECIFIED", *INPUT_OPTIONS)),
    "insertDataOption": ("AppendValuesRequest.InsertDataOption", ("OVERWRITE", "INSERT_ROWS")),
    "valueRenderOption": ("ValueRenderOption", RENDER_OPTIONS),
    "responseValueRenderOption": ("ValueRenderOption", RENDER_OPTIONS),
    "dateTimeRenderOption": ("DateTimeRenderOption", ("SERIAL_NUMBER", "FORMATTED_STRING")),
    "responseDateTimeRenderOption": ("DateTimeRenderOption", ("SERIAL_NUMBER", "FORMATTED_STRING")),
}
_VALUE_RANGE = frozenset({"range", "majorDimension", "values"})
_HUMP = re.compile(r"(?<=[a-z])([A-Z])")
_SHOWN = 20
"""The number of characters of an invalid body that the message shows."""


def snake(name: str) -> str:
    """Return a field's name as messages about values show it: ``value_input_option``."""
    return _HUMP.sub(r"_\1", name).lower()


def read_query(call: Call, known: frozenset[str]) -> dict[str, list[str]]:
    """Return the query's parameters, each with its values in order.

    Raises:
        SheetsError: the method has no such parameter, or an enumeration no such value.
    """
    found: dict[str, list[str]] = {}
    bad: list[Violation] = []
    names = {snake(name): name for name in known}
    for given, value in call.query:
        name = names.get(given, given)
        if name not in known and name not in SYSTEM_PARAMETERS:
            bad.append(unknown_parameter(given))
        bad += _enum_problem(name, snake(name), value)
        found.setdefault(name, []).append(value)
    if bad:
        raise violated(*bad)
    return found


def read_body(call: Call) -> JsonObject:
    """Return the body's message. A missing body is an empty message.

    Raises:
        SheetsError: the body is a form, is not JSON, or is not a message.
    """
    if not call.body.strip():
        return {}
    text = call.body.decode("utf-8", "replace")
    if "x-www-form-urlencoded" in call.header("content-type").lower():
        names = [name for name, _ in parse_qsl(text, keep_blank_values=True)] or [text]
        raise violated(*(unknown_parameter(name) for name in names))
    try:
        value = parse_json(text)
    except ValueError:
        raise _not_json(text) from None
    if not isinstance(value, dict):
        raise violated(("", 'Invalid JSON payload received. Unknown name "": Root element must be a message.'))
    return value


def check_names(value: JsonObject, known: frozenset[str], parent: str) -> list[Violation]:
    """Return a violation for each key that the message ``parent`` does not have."""
    return [unknown_name(name, parent) for name in value if name not in known]


def value_range_problems(value: Json, parent: str) -> list[Violation]:
    """Return the violations in the form of a ValueRange: unknown keys, wrong types, values that are not a list of lists."""
    if not isinstance(value, dict):
        return [invalid_value(parent, f"{API_TYPE}.ValueRange", value)]
    bad = check_names(value, _VALUE_RANGE, parent)
    text = value.get("range")
    if text is not None and not isinstance(text, str):
        bad.append(invalid_value(f"{parent}.range", "TYPE_STRING", text))
    if value.get("majorDimension") is not None:
        bad += _enum_problem("majorDimension", f"{parent}.major_dimension", value["majorDimension"])
    return bad + _rows_problems(value.get("values"), f"{parent}.values")


def input_option(given: Json) -> bool:
    """Return whether values are parsed as if a user had typed them.

    Raises:
        SheetsError: the option is missing or invalid.
    """
    if given in (None, "", "INPUT_VALUE_OPTION_UNSPECIFIED"):
        raise invalid("'valueInputOption' is required but not specified")
    if bad := _enum_problem("valueInputOption", "value_input_option", given):
        raise violated(*bad)
    return bool(given == "USER_ENTERED")


def check_scalars(lines: list[list[Json]]) -> None:
    """Check that every cell is a text, a number, a boolean or null.

    Raises:
        SheetsError: a cell is an array or an object. The message shows the first one in protobuf's text format.
    """
    for row, line in enumerate(lines):
        for column, cell in enumerate(line):
            if isinstance(cell, dict | list):
                raise invalid(f"Invalid values[{row}][{column}]: {_proto(cell, '')}")


def _rows_problems(values: Json, field: str) -> list[Violation]:
    if values is None:
        return []
    if isinstance(values, dict):
        return [unknown_name(name, field) for name in values]
    if not isinstance(values, list):
        return [invalid_value(field, LIST_VALUE, values)]
    bad: list[Violation] = []
    for index, row in enumerate(values):
        if isinstance(row, dict):
            bad += [unknown_name(name, f"{field}[{index}]") for name in row]
        elif not isinstance(row, list):
            bad.append(invalid_value(f"{field}[{index}]", LIST_VALUE, row))
    return bad


def _enum_problem(name: str, field: str, value: Json) -> list[Violation]:
    kind, members = _ENUMS.get(name, ("", ()))
    if not kind or value in members:
        return []
    return [invalid_value(field, f"{API_TYPE}.{kind}", value)]


def _not_json(text: str) -> SheetsError:
    stripped = text.strip()
    if stripped[:1] in {"{", "["} and stripped[-1:] not in {"}", "]"}:
        return invalid("Invalid JSON payload received. Unexpected end of string.\n\n^")
    return invalid(f"Invalid JSON payload received. Unexpected token.\n{stripped[:_SHOWN]}\n^")


def _proto(value: Json, indent: str) -> str:
    """Return a google.protobuf.Value in protobuf's text format."""
    inner = indent + "  "
    if isinstance(value, dict):
        fields = "".join(
            f'{inner}fields {{\n{inner}  key: "{key}"\n{inner}  value {{\n{_proto(item, inner + "    ")}{inner}  }}\n'
            f"{inner}}}\n"
            for key, item in value.items()
        )
        return f"{indent}struct_value {{\n{fields}{indent}}}\n"
    if isinstance(value, list):
        items = "".join(f"{inner}values {{\n{_proto(item, inner + '  ')}{inner}}}\n" for item in value)
        return f"{indent}list_value {{\n{items}{indent}}}\n"
    if value is None:
        return f"{indent}null_value: NULL_VALUE\n"
    if isinstance(value, bool):
        return f"{indent}bool_value: {str(value).lower()}\n"
    if isinstance(value, str):
        return f'{indent}string_value: "{value}"\n'
    return f"{indent}number_value: {value}\n"

"""Validation of arguments against a tool's ``inputSchema``, with each SDK's error messages.

The validators behind the SDKs: pydantic for FastMCP, jsonschema for Python's low-level server, Zod for TypeScript's.
"""

from __future__ import annotations

import json

from mendbench.model.json import Json, JsonObject
from mendbench.services.json_api.pydantic_words import error_of, main_type
from mendbench.services.json_api.schema import Violation, checked
from mendbench.services.mcp_sim.spec import Server, Tool

PYDANTIC_DOCS = "https://errors.pydantic.dev/2.14/v/"
"""The URL in pydantic's messages. The version is that of the release."""
_SHOWN = 50
"""The size in bytes to which pydantic truncates a value. Longer values lose their middle."""
_ZOD_NAMES = {"integer": "number", "object": "object"}


def check_arguments(server: Server, tool: Tool, given: JsonObject) -> tuple[JsonObject, list[Violation]]:
    """Return the arguments with their defaults, as the server's handler gets them, and all violations."""
    strict = server.profile != "wrapper" and (server.profile == "protocol" or server.sdk != "fastmcp")
    schema = {"type": "object", **tool.schema}
    if not strict:
        schema.pop("additionalProperties", None)
        given = {
            name: _unpacked(value, tool.properties[name]) for name, value in given.items() if name in tool.properties
        }
    value, violations = checked(given, schema, lax=not strict)
    defaults = {name: part["default"] for name, part in tool.properties.items() if "default" in part}
    return {**defaults, **value}, violations


def pydantic_message(tool: Tool, violations: list[Violation]) -> str:
    """Return FastMCP's message: pydantic's ``ValidationError`` of the argument model, as text."""
    count = len(violations)
    lines = [f"{count} validation error{'s' if count > 1 else ''} for {tool.name}Arguments"]
    for violation in violations:
        name, text, _ = error_of(violation)
        lines.append(".".join(map(str, violation.path)))
        lines.append(
            f"  {text} [type={name}, input_value={_shown(violation.value)}, input_type={type(violation.value).__name__}]"
        )
        lines.append(f"    For further information visit {PYDANTIC_DOCS}{name}")
    return "\n".join(lines)


def jsonschema_message(violations: list[Violation]) -> str:
    """Return the message of jsonschema's best match: the first of the outermost errors."""
    first = min(violations, key=lambda violation: len(violation.path) - (violation.kind in {"missing", "extra"}))
    value, schema = first.value, first.schema
    if first.kind == "missing":
        return f"{first.path[-1]!r} is a required property"
    if first.kind == "extra":
        extra = sorted(
            repr(violation.path[-1])
            for violation in violations
            if violation.kind == "extra" and violation.path[:-1] == first.path[:-1]
        )
        verb = "was" if len(extra) == 1 else "were"
        return f"Additional properties are not allowed ({', '.join(extra)} {verb} unexpected)"
    if first.kind in {"type", "unparsable"}:
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        return f"{value!r} is not of type {', '.join(map(repr, kinds))}"
    return {
        "enum": f"{value!r} is not one of {schema.get('enum')!r}",
        "minimum": f"{value!r} is less than the minimum of {schema.get('minimum')!r}",
        "maximum": f"{value!r} is greater than the maximum of {schema.get('maximum')!r}",
        "above": f"{value!r} is less than or equal to the minimum of {schema.get('exclusiveMinimum')!r}",
        "below": f"{value!r} is greater than or equal to the maximum of {schema.get('exclusiveMaximum')!r}",
        "multiple": f"{value!r} is not a multiple of {schema.get('multipleOf')!r}",
        "pattern": f"{value!r} does not match {schema.get('pattern')!r}",
        "too_long": f"{value!r} is too long",
        "many": f"{value!r} is too long",
    }.get(first.kind, f"{value!r} should be non-empty" if not value else f"{value!r} is too short")


def zod_message(violations: list[Violation]) -> str:
    """Return the messages of Zod 4's issues, each with its path, joined as in the TypeScript SDK."""
    return ", ".join(f"{_zod(violation)}{_place(violation)}" for violation in violations)


def composio_message(violations: list[Violation]) -> str:
    """Return Composio's message about a tool request."""
    missing = sorted(repr(str(violation.path[-1])) for violation in violations if violation.kind == "missing")
    others = [
        f"{error_of(violation)[1]} on parameter `{'.'.join(map(str, violation.path))}`"
        for violation in violations
        if violation.kind != "missing"
    ]
    if not missing:
        return "\n- ".join(others)
    return "\n- ".join(
        ["Invalid request data provided", f"Following fields are missing: {{{', '.join(missing)}}}", *others]
    )


def _unpacked(value: Json, schema: JsonObject) -> Json:
    """Return the list or object in a JSON text, where the argument is not a string. FastMCP parses it before pydantic does."""
    if not isinstance(value, str) or main_type(schema) == "string":
        return value
    try:
        found: Json = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return found if isinstance(found, list | dict) else value


def _shown(value: Json) -> str:
    """Return pydantic's display of a value. A long value loses its middle, counted in bytes and cut between characters."""
    raw = repr(value).encode("utf-8", "replace")
    if len(raw) <= _SHOWN:
        return raw.decode()
    half = _SHOWN // 2
    return f"{raw[:half].decode('utf-8', 'ignore')}...{raw[1 - half :].decode('utf-8', 'ignore')}"


def _zod(violation: Violation) -> str:
    schema, value = violation.schema, violation.value
    if "enum" in schema and violation.kind != "extra":
        return f"Invalid option: expected one of {'|'.join(json.dumps(option, ensure_ascii=False) for option in schema['enum'])}"
    if violation.kind in {"type", "unparsable"}:
        wanted = main_type(schema)
        fraction = wanted == "integer" and isinstance(value, float)
        return f"Invalid input: expected {'int' if fraction else _ZOD_NAMES.get(wanted, wanted)}, received {_javascript(value)}"
    if violation.kind == "missing":
        return f"Invalid input: expected {_ZOD_NAMES.get(main_type(schema), main_type(schema))}, received undefined"
    if violation.kind == "extra":
        return f"Unrecognized key: {json.dumps(violation.path[-1], ensure_ascii=False)}"
    return {
        "minimum": f"Too small: expected number to be >={schema.get('minimum')}",
        "maximum": f"Too big: expected number to be <={schema.get('maximum')}",
        "above": f"Too small: expected number to be >{schema.get('exclusiveMinimum')}",
        "below": f"Too big: expected number to be <{schema.get('exclusiveMaximum')}",
        "multiple": f"Invalid number: must be a multiple of {schema.get('multipleOf')}",
        "too_short": f"Too small: expected string to have >={schema.get('minLength')} characters",
        "too_long": f"Too big: expected string to have <={schema.get('maxLength')} characters",
        "few": f"Too small: expected array to have >={schema.get('minItems')} items",
        "many": f"Too big: expected array to have <={schema.get('maxItems')} items",
        "pattern": f"Invalid string: must match pattern /{schema.get('pattern')}/",
    }[violation.kind]


def _place(violation: Violation) -> str:
    path = violation.path[:-1] if violation.kind == "extra" else violation.path
    return f" at {'.'.join(map(str, path))}" if path else ""


def _javascript(value: Json) -> str:
    names = {
        type(None): "null",
        bool: "boolean",
        int: "number",
        float: "number",
        str: "string",
        list: "array",
        dict: "object",
    }
    return names[type(value)]

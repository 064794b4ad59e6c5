"""Error styles with a map of fields to messages: Ruby on Rails, Django REST framework, ASP.NET Core."""

from __future__ import annotations

import json
from collections.abc import Iterable

from mendbench.model.json import Json, JsonObject
from mendbench.services.json_api.pydantic_words import main_type
from mendbench.services.json_api.refusal import Asked, Dressed, Reason, RefusedError
from mendbench.services.json_api.schema import Violation

PROBLEM_UTF8 = "application/problem+json; charset=utf-8"
_UNPROCESSABLE, _BAD_REQUEST = 422, 400
_SECTIONS = {
    400: "5.1",
    401: "5.2",
    403: "5.4",
    404: "5.5",
    405: "5.6",
    409: "5.10",
    412: "5.13",
    415: "5.16",
    422: "5.21",
}
"""The RFC 9110 section that defines each status: ASP.NET Core's ``type`` (ApiBehaviorOptions.ClientErrorMapping)."""
_CLR = {
    "string": "System.String", "integer": "System.Int32", "number": "System.Double", "boolean": "System.Boolean",
    "array": "System.Collections.Generic.List`1[System.String]",
}  # fmt: skip


def rails(refused: RefusedError, asked: Asked, phrase: str) -> Dressed:
    """Return Rails' ``{"errors": {field: [texts]}}`` (Active Model's en.yml) or its exceptions app's ``{"status", "error"}``."""
    if refused.violations:
        messages = [(_dotted(v), _active_model(v)) for v in refused.violations if v.kind != "extra"]
        extra = [f":{v.path[-1]}" for v in refused.violations if v.kind == "extra"]
        if not messages:
            words = f"found unpermitted parameter{'s' if len(extra) > 1 else ''}: {', '.join(extra)}"
            return Dressed(status=_BAD_REQUEST, body={"error": words})
        return Dressed(status=_UNPROCESSABLE, body={"errors": _by_field(messages)})
    if refused.reason == "taken":
        return Dressed(status=_UNPROCESSABLE, body={"errors": {refused.about: ["has already been taken"]}})
    if refused.reason == "missing_reference":
        return Dressed(status=_UNPROCESSABLE, body={"errors": {refused.about.removesuffix("_id"): ["must exist"]}})
    if refused.reason == "missing_thing":
        return Dressed(status=404, body={"error": f"Couldn't find {asked.thing} with 'id'={refused.value}"})
    if refused.reason == "empty_body":
        words = f"param is missing or the value is empty or invalid: {_snake(asked.thing)}"
        return Dressed(status=_BAD_REQUEST, body={"error": words})
    if refused.reason == "declared":
        return Dressed(status=refused.status, body={"error": refused.detail})
    return Dressed(status=refused.status, body={"status": refused.status, "error": phrase})


def drf(refused: RefusedError, asked: Asked, _phrase: str) -> Dressed:
    """Return Django REST framework's map of fields or ``{"detail"}`` (its ``fields.py``, ``relations.py``, ``exceptions.py``)."""
    if refused.violations:
        messages = [(v.path, _rest_field(v)) for v in refused.violations if v.kind != "extra"]
        return Dressed(status=_BAD_REQUEST, body=_nested(messages))
    if refused.reason == "taken":
        text = f"{asked.thing.lower()} with this {refused.about} already exists."
        return Dressed(status=_BAD_REQUEST, body={refused.about: [text]})
    if refused.reason == "missing_reference":
        text = f'Invalid pk "{refused.value}" - object does not exist.'
        return Dressed(status=_BAD_REQUEST, body={refused.about: [text]})
    if refused.reason == "no_object":
        text = f"Invalid data. Expected a dictionary, but got {type(refused.value).__name__}."
        return Dressed(status=_BAD_REQUEST, body={"non_field_errors": [text]})
    words: dict[Reason, str] = {
        "no_route": "Not found.",
        "missing_thing": f"No {asked.thing} matches the given query.",
        "wrong_method": f'Method "{asked.method}" not allowed.',
        "no_token": "Authentication credentials were not provided.",
        "bad_token": "Invalid token.",
        "no_rights": "You do not have permission to perform this action.",
        "media_type": f'Unsupported media type "{refused.about}" in request.',
        "bad_json": f"JSON parse error - {refused.about}",
    }
    status = _BAD_REQUEST if refused.reason in {"bad_json", "empty_body"} else refused.status
    return Dressed(status=status, body={"detail": words.get(refused.reason, refused.detail)})


def aspnet(refused: RefusedError, asked: Asked, phrase: str) -> Dressed:
    """Return ASP.NET Core's ValidationProblemDetails or ProblemDetails, with the texts of System.ComponentModel.DataAnnotations."""
    trace: JsonObject = {"traceId": f"00-{asked.request_id}-{asked.request_id[::-1][:16]}-00"}
    argument = asked.thing[:1].lower() + asked.thing[1:].replace(" ", "")
    if refused.violations:
        errors = _data_annotations(refused.violations, argument, in_body=refused.where == "body")
    elif refused.reason == "empty_body":
        errors = {"": ["A non-empty request body is required."], argument: [f"The {argument} field is required."]}
    elif refused.reason in {"bad_json", "no_object"}:
        errors = {"$": [_unconverted(None, "$")], argument: [f"The {argument} field is required."]}
    else:
        section = _SECTIONS.get(refused.status)
        kind: JsonObject = {"type": f"https://tools.ietf.org/html/rfc9110#section-15.{section}"} if section else {}
        detail: JsonObject = (
            {"detail": refused.detail} if refused.reason in {"declared", "taken", "changed", "unconditional"} else {}
        )
        body = {**kind, "title": phrase, "status": refused.status, **detail, **trace}
        return Dressed(status=refused.status, body=body, content_type=PROBLEM_UTF8)
    body = {
        "type": f"https://tools.ietf.org/html/rfc9110#section-15.{_SECTIONS[_BAD_REQUEST]}",
        "title": "One or more validation errors occurred.", "status": _BAD_REQUEST, "errors": errors, **trace,
    }  # fmt: skip
    return Dressed(status=_BAD_REQUEST, body=body, content_type=PROBLEM_UTF8)


def _active_model(violation: Violation) -> str:
    schema = violation.schema
    if violation.kind in {"type", "unparsable"} and "enum" not in schema:
        return {
            "integer": "must be an integer" if isinstance(violation.value, float) else "is not a number",
            "number": "is not a number",
        }.get(main_type(schema), "is invalid")
    return {
        "missing": "can't be blank",
        **dict.fromkeys(("enum", "type", "unparsable"), "is not included in the list"),
        "minimum": f"must be greater than or equal to {schema.get('minimum')}",
        "maximum": f"must be less than or equal to {schema.get('maximum')}",
        "above": f"must be greater than {schema.get('exclusiveMinimum')}",
        "below": f"must be less than {schema.get('exclusiveMaximum')}",
        "too_short": "can't be blank" if schema.get("minLength") == 1 else
        f"is too short (minimum is {schema.get('minLength')} characters)",
        "too_long": f"is too long (maximum is {schema.get('maxLength')} characters)",
    }.get(violation.kind, "is invalid")  # fmt: skip


def _rest_field(violation: Violation) -> str:
    schema, value = violation.schema, violation.value
    if violation.kind in {"type", "unparsable"}:
        if value is None:
            return "This field may not be null."
        if "enum" in schema:
            return f'"{value}" is not a valid choice.'
        kind = type(value).__name__
        return {
            "string": "Not a valid string.",
            "integer": "A valid integer is required.",
            "number": "A valid number is required.",
            "boolean": "Must be a valid boolean.",
            "array": f'Expected a list of items but got type "{kind}".',
            "object": f'Expected a dictionary of items but got type "{kind}".',
        }.get(main_type(schema), "Invalid value.")
    if violation.kind == "too_short" and value == "":
        return "This field may not be blank."
    return {
        "missing": "This field is required.",
        "enum": f'"{value}" is not a valid choice.',
        "minimum": f"Ensure this value is greater than or equal to {schema.get('minimum')}.",
        "maximum": f"Ensure this value is less than or equal to {schema.get('maximum')}.",
        "above": f"Ensure this value is greater than {schema.get('exclusiveMinimum')}.",
        "below": f"Ensure this value is less than {schema.get('exclusiveMaximum')}.",
        "too_short": f"Ensure this field has at least {schema.get('minLength')} characters.",
        "too_long": f"Ensure this field has no more than {schema.get('maxLength')} characters.",
        "few": "This list may not be empty." if value == [] else
        f"Ensure this field has at least {schema.get('minItems')} elements.",
        "many": f"Ensure this field has no more than {schema.get('maxItems')} elements.",
        "pattern": "This value does not match the required pattern.",
    }.get(violation.kind, "Invalid value.")  # fmt: skip


def _data_annotations(violations: tuple[Violation, ...], argument: str, *, in_body: bool) -> JsonObject:
    """Return the errors. Conversion errors are returned alone, because without a model no further validation runs."""
    unread = [v for v in violations if v.kind in {"type", "unparsable", "extra", "enum"}]
    if in_body and unread:
        place = f"$.{_dotted(unread[0])}"
        text = _unconverted(unread[0], place)
        return {place: [text], argument: [f"The {argument} field is required."]}
    return _by_field((_pascal(v), _annotation(v)) for v in violations)


def _unconverted(violation: Violation | None, place: str) -> str:
    if violation is not None and violation.kind == "extra":
        return f"The JSON property '{violation.path[-1]}' could not be mapped to any .NET member contained in the type."
    kind = "System.Object" if violation is None else _CLR.get(main_type(violation.schema), "System.Object")
    width = 0 if violation is None else len(json.dumps(violation.value, ensure_ascii=False).encode("utf-8", "replace"))
    return f"The JSON value could not be converted to {kind}. Path: {place} | LineNumber: 0 | BytePositionInLine: {len(place) + width + 2}."


def _annotation(violation: Violation) -> str:
    schema, name = violation.schema, _pascal(violation)
    low, high = schema.get("minimum"), schema.get("maximum")
    least, most = schema.get("minLength"), schema.get("maxLength")
    if violation.kind in {"minimum", "maximum"}:
        return f"The field {name} must be between {-2147483648 if low is None else low} and {2147483647 if high is None else high}."
    if violation.kind in {"too_short", "too_long"}:
        if violation.value == "":
            return f"The {name} field is required."
        if most is None:
            return f"The field {name} must be a string or array type with a minimum length of '{least}'."
        both = f"a minimum length of {least} and " if least else ""
        return f"The field {name} must be a string with {both}a maximum length of {most}."
    return {
        "missing": f"The {name} field is required.",
        "few": f"The field {name} must be a string or array type with a minimum length of '{schema.get('minItems')}'.",
        "many": f"The field {name} must be a string or array type with a maximum length of '{schema.get('maxItems')}'.",
        "pattern": f"The field {name} must match the regular expression '{schema.get('pattern')}'.",
    }.get(violation.kind, f"The value '{violation.value}' is not valid for {name}.")


def _by_field(messages: Iterable[tuple[str, str]]) -> JsonObject:
    errors: dict[str, list[Json]] = {}
    for name, text in messages:
        errors.setdefault(name, []).append(text)
    return {**errors}


def _nested(messages: Iterable[tuple[tuple[str | int, ...], str]]) -> JsonObject:
    """Return messages under the path of their fields, as nested serializers report them."""
    errors: JsonObject = {}
    for path, text in messages:
        *outer, last = path or ("non_field_errors",)
        level = errors
        for part in outer:
            level = level.setdefault(str(part), {})
        level.setdefault(str(last), []).append(text)
    return errors


def _dotted(violation: Violation) -> str:
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in violation.path)
    return text.removeprefix(".") or "base"


def _pascal(violation: Violation) -> str:
    """Return a field's name in C# style: ``berth_code`` is ``BerthCode``."""
    return ".".join(_capitals(part) for part in _dotted(violation).split("."))


def _capitals(name: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))


def _snake(thing: str) -> str:
    return thing.lower().replace(" ", "_")

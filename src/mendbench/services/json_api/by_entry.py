"""Error styles with a list of entries or one sentence: JSON:API, Spring Boot, AWS's JSON protocol."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from mendbench.model.json import Json, JsonObject
from mendbench.services.json_api.pydantic_words import main_type
from mendbench.services.json_api.refusal import Asked, Dressed, Reason, RefusedError
from mendbench.services.json_api.schema import Violation
from mendbench.services.json_api.violation_texts import in_words
from mendbench.services.json_api.volatile import as_uuid

JSON_API_TYPE = "application/vnd.api+json"
AWS_TYPE = "application/x-amz-json-1.1"
_BAD_REQUEST, _UNPROCESSABLE, _SERVER_ERROR = 400, 422, 500
_JAVA = {
    "string": "java.lang.String", "integer": "int", "number": "double", "boolean": "boolean",
    "array": "java.util.ArrayList<java.lang.String>",
}  # fmt: skip
_CONSTRAINTS = {
    "missing": "NotNull", "minimum": "Min", "maximum": "Max", "above": "Positive", "below": "Negative", "too_short": "Size",
    "too_long": "Size", "few": "Size", "many": "Size", "pattern": "Pattern",
}  # fmt: skip
"""Jakarta Bean Validation's annotation for each kind of violation."""


def jsonapi(refused: RefusedError, _asked: Asked, phrase: str) -> Dressed:
    """Return JSON:API's list of error objects (https://jsonapi.org/format/#error-objects)."""
    status = _UNPROCESSABLE if refused.violations else refused.status
    if refused.violations:
        errors: Json = [_error_object(violation, refused.where) for violation in refused.violations]
    else:
        errors = [{"status": str(status), "title": phrase, "detail": refused.detail}]
    return Dressed(status=status, body={"errors": errors}, content_type=JSON_API_TYPE)


def spring(refused: RefusedError, asked: Asked, phrase: str) -> Dressed:
    """Return Spring Boot's error attributes with message and binding errors (``server.error.include-message: always``)."""
    when = datetime.fromtimestamp(asked.at_ms / 1000, UTC)
    timestamp: JsonObject = {"timestamp": when.strftime("%Y-%m-%dT%H:%M:%S.") + f"{when.microsecond // 1000:03d}+00:00"}
    status = _BAD_REQUEST if refused.reason in {"violations", "bad_json", "empty_body", "no_object"} else refused.status
    phrase = "Bad Request" if status == _BAD_REQUEST else phrase
    message, errors = _spring_message(refused, asked)
    details: JsonObject = {"message": message, **({"errors": errors} if errors else {}), "path": asked.path}
    return Dressed(status=status, body={**timestamp, "status": status, "error": phrase, **details})


def spring_bare(refused: RefusedError, asked: Asked, phrase: str) -> Dressed:
    """Return Spring Boot's default error attributes, without a message."""
    whole = spring(refused, asked, phrase)
    body = {name: value for name, value in whole.body.items() if name not in {"message", "errors"}}
    return Dressed(status=whole.status, body=body)


def aws(refused: RefusedError, asked: Asked, _phrase: str) -> Dressed:
    """Return ``__type`` and ``message``. Every client error is a 400 (AWS JSON 1.1, Smithy's ``awsJson1_1``)."""
    names: dict[Reason, str] = {
        "violations": "ValidationException", "empty_body": "SerializationException", "bad_json": "SerializationException",
        "no_object": "SerializationException", "media_type": "SerializationException", "no_route": "UnknownOperationException",
        "wrong_method": "UnknownOperationException", "no_token": "MissingAuthenticationTokenException",
        "bad_token": "UnrecognizedClientException", "no_rights": "AccessDeniedException", "taken": "ConflictException",
        "missing_thing": "ResourceNotFoundException", "missing_reference": "ResourceNotFoundException",
        "changed": "ConditionalCheckFailedException", "unconditional": "ValidationException",
    }  # fmt: skip
    by_status = {
        409: "ConflictException",
        429: "ThrottlingException",
        403: "AccessDeniedException",
        404: "ResourceNotFoundException",
    }
    name = names.get(refused.reason) or by_status.get(refused.status, "ValidationException")
    odd = next((v for v in refused.violations if v.kind in {"type", "unparsable"}), None)
    if odd is not None:
        name, words = "SerializationException", _unserialised(odd)
    elif refused.violations:
        words = _smithy(refused.violations)
    else:
        words = {
            "no_token": "Missing Authentication Token",
            "bad_token": "The security token included in the request is invalid.",
            "missing_thing": "Requested resource not found",
            "changed": "The conditional request failed",
        }.get(refused.reason, "" if name == "UnknownOperationException" else refused.detail)
    status = refused.status if refused.status >= _SERVER_ERROR else _BAD_REQUEST
    body: JsonObject = {"__type": name, **({"message": words} if words else {})}
    headers = (("x-amzn-requestid", as_uuid(asked.request_id)),)
    return Dressed(status=status, body=body, content_type=AWS_TYPE, headers=headers)


def _error_object(violation: Violation, where: str) -> JsonObject:
    """Return one error. A pointer has to name an existing value, so for a missing property it names the parent object."""
    name = str(violation.path[-1]) if violation.path else "document"
    sentence = f"{name} {in_words(violation)}."
    if where != "body":
        source, title = {"parameter": ".".join(map(str, violation.path))}, "Invalid Query Parameter"
        return {"status": "400", "source": source, "title": title, "detail": sentence}
    path = violation.path[:-1] if violation.kind == "missing" else violation.path
    pointer = "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in path)
    return {"status": "422", "source": {"pointer": pointer}, "title": "Invalid Attribute", "detail": sentence}


def _spring_message(refused: RefusedError, asked: Asked) -> tuple[str, list[Json]]:
    owner = asked.thing[:1].lower() + asked.thing[1:].replace(" ", "")
    odd = next((v for v in refused.violations if v.kind in {"type", "unparsable", "enum", "extra"}), None)
    if refused.where != "body" and refused.violations:
        return _parameter(refused.violations[0]), []
    if odd is not None:
        return f"JSON parse error: {_jackson(odd)}", []
    if refused.violations:
        errors: list[Json] = [_binding(violation, owner) for violation in refused.violations]
        return f"Validation failed for object='{owner}'. Error count: {len(errors)}", errors
    words: dict[Reason, str] = {
        "no_route": f"No static resource {asked.path.removeprefix('/')}.",
        "wrong_method": f"Method '{asked.method}' is not supported.",
        "media_type": f"Content-Type '{refused.about}' is not supported.",
        "empty_body": "Required request body is missing",
        "bad_json": f"JSON parse error: {refused.about}",
        "no_object": f"JSON parse error: Cannot construct instance of `{asked.thing}`",
        "no_token": "Unauthorized",
        "bad_token": "Unauthorized",
        "no_rights": "Forbidden",
    }
    return words.get(refused.reason, refused.detail), []


def _parameter(violation: Violation) -> str:
    name, kind = ".".join(map(str, violation.path)), _java(violation)
    if violation.kind == "missing":
        return f"Required parameter '{name}' is not present."
    if violation.kind in {"type", "unparsable"}:
        boxed = {"int": "java.lang.Integer", "double": "java.lang.Double", "boolean": "java.lang.Boolean"}.get(
            kind, kind
        )
        return f"Failed to convert value of type 'java.lang.String' to required type '{boxed}'; For input string: \"{violation.value}\""
    return f"{name}: {_hibernate(violation)}"


def _jackson(violation: Violation) -> str:
    """Return Jackson's message for a value that it cannot read (its DeserializationContext, UnrecognizedPropertyException)."""
    value, kind = violation.value, _java(violation)
    if violation.kind == "extra":
        return f'Unrecognized field "{violation.path[-1]}", not marked as ignorable'
    shown = json.dumps(value, ensure_ascii=False)
    if violation.kind == "enum":
        known = ", ".join(str(choice) for choice in violation.schema["enum"])
        why = f"not one of the values accepted for Enum class: [{known}]"
        return f"Cannot deserialize value of type `{_enum_name(violation)}` from String {shown}: {why}"
    if isinstance(value, str):
        return f"Cannot deserialize value of type `{kind}` from String {shown}: not a valid `{kind}` value"
    if isinstance(value, dict | list):
        name, token = ("Object", "START_OBJECT") if isinstance(value, dict) else ("Array", "START_ARRAY")
        return f"Cannot deserialize value of type `{kind}` from {name} value (token `JsonToken.{token}`)"
    return f"Cannot deserialize value of type `{kind}` from {'Boolean' if isinstance(value, bool) else 'Number'} value"


def _enum_name(violation: Violation) -> str:
    name = str(violation.path[-1]) if violation.path else "value"
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))


def _binding(violation: Violation, owner: str) -> JsonObject:
    field = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in violation.path).removeprefix(".")
    code = _CONSTRAINTS.get(violation.kind, "Valid")
    named: JsonObject = {
        "codes": [f"{owner}.{field}", field],
        "arguments": None,
        "defaultMessage": field,
        "code": field,
    }
    rejected = None if violation.kind == "missing" else violation.value
    return {
        "codes": [f"{code}.{owner}.{field}", f"{code}.{field}", code], "arguments": [named],
        "defaultMessage": _hibernate(violation), "objectName": owner, "field": field, "rejectedValue": rejected,
        "bindingFailure": False, "code": code,
    }  # fmt: skip


def _hibernate(violation: Violation) -> str:
    """Return Hibernate Validator's message (its ValidationMessages.properties)."""
    schema = violation.schema
    if violation.kind in {"too_short", "too_long"}:
        return f"size must be between {schema.get('minLength', 0)} and {schema.get('maxLength', 2147483647)}"
    if violation.kind in {"few", "many"}:
        return f"size must be between {schema.get('minItems', 0)} and {schema.get('maxItems', 2147483647)}"
    return {
        "missing": "must not be null",
        "minimum": f"must be greater than or equal to {schema.get('minimum')}",
        "maximum": f"must be less than or equal to {schema.get('maximum')}",
        "above": f"must be greater than {schema.get('exclusiveMinimum')}",
        "below": f"must be less than {schema.get('exclusiveMaximum')}",
        "pattern": f'must match "{schema.get("pattern")}"',
    }.get(violation.kind, "must be valid")


def _java(violation: Violation) -> str:
    return _JAVA.get(main_type(violation.schema), "java.util.LinkedHashMap<java.lang.String,java.lang.Object>")


def _unserialised(violation: Violation) -> str:
    given = {str: "STRING_VALUE", bool: "TRUE_VALUE", list: "START_ARRAY", dict: "START_OBJECT"}.get(
        type(violation.value), "NUMBER_VALUE"
    )
    wanted = {"integer": "Integer", "number": "Double", "boolean": "Boolean", "array": "List", "object": "Map"}
    return f"{given} can not be converted to {wanted.get(main_type(violation.schema), 'String')}"


def _smithy(violations: tuple[Violation, ...]) -> str:
    """Return AWS's sentence with all constraints (``N validation errors detected: …``)."""
    constraints = "; ".join(_constraint(violation) for violation in violations)
    return f"{len(violations)} validation error{'s' if len(violations) > 1 else ''} detected: {constraints}"


def _constraint(violation: Violation) -> str:
    schema, place = violation.schema, ".".join(map(str, violation.path))
    value = "null" if violation.kind == "missing" else f"'{violation.value}'"
    must = {
        "missing": "not be null",
        "enum": f"satisfy enum value set: [{', '.join(map(str, schema.get('enum', [])))}]",
        "minimum": f"have value greater than or equal to {schema.get('minimum')}",
        "maximum": f"have value less than or equal to {schema.get('maximum')}",
        "too_short": f"have length greater than or equal to {schema.get('minLength')}",
        "too_long": f"have length less than or equal to {schema.get('maxLength')}",
        "few": f"have length greater than or equal to {schema.get('minItems')}",
        "many": f"have length less than or equal to {schema.get('maxItems')}",
        "pattern": f"satisfy regular expression pattern: {schema.get('pattern')}",
    }.get(violation.kind, "be valid")
    return f"Value {value} at '{place}' failed to satisfy constraint: Member must {must}"

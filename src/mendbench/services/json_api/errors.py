"""How an invented API says no: FastAPI's way, RFC 9457's, plain text, or ``{"ok": false}``."""

from __future__ import annotations

from http import HTTPStatus

from mendbench.model.exchange import Answer, Headers
from mendbench.model.json import Json, JsonObject
from mendbench.services.json_api.schema import Violation
from mendbench.services.json_api.spec import Api
from mendbench.services.wire import JSON_TYPE, json_answer, text_answer

PROBLEM_TYPE = "application/problem+json"
"""RFC 9457 section 3."""
_PHRASES: dict[int, str] = {status.value: status.phrase for status in HTTPStatus}
_SIMPLE_TYPES = {
    "string": ("string_type", "Input should be a valid string"),
    "integer": ("int_type", "Input should be a valid integer"),
    "number": ("float_type", "Input should be a valid number"),
    "boolean": ("bool_type", "Input should be a valid boolean"),
    "array": ("list_type", "Input should be a valid list"),
    "object": ("dict_type", "Input should be a valid dictionary"),
    "null": ("none_required", "Input should be None"),
}
_PARSED_TYPES = {
    "integer": ("int_parsing", "Input should be a valid integer, unable to parse string as an integer"),
    "number": ("float_parsing", "Input should be a valid number, unable to parse string as a number"),
    "boolean": ("bool_parsing", "Input should be a valid boolean, unable to interpret input"),
}


class RefusedError(Exception):
    """Ends a request. ``where`` is the part of the request that the violations are about: body, query or path."""

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        violations: tuple[Violation, ...] = (),
        where: str = "body",
        raw: list[JsonObject] | None = None,
        headers: Headers = (),
        body: Json = None,
    ) -> None:
        super().__init__(detail)
        self.status, self.detail, self.violations, self.where = status, detail, violations, where
        self.raw, self.headers, self.body = raw, headers, body

    def answer(self, api: Api, elapsed_ms: int) -> Answer:
        """Return the refusal in the API's style, or the very body that a rule gives."""
        if self.body is not None:
            if isinstance(self.body, str):
                return text_answer(self.status, self.body, elapsed_ms=elapsed_ms, headers=self.headers)
            kind = PROBLEM_TYPE if api.style == "problem" else JSON_TYPE
            return json_answer(self.status, self.body, elapsed_ms=elapsed_ms, headers=self.headers, content_type=kind)
        if api.style == "fastapi":
            return json_answer(self.status, self._fastapi(), elapsed_ms=elapsed_ms, headers=self.headers)
        if api.style == "problem":
            said = self._problem(api)
            return json_answer(
                self.status, said, elapsed_ms=elapsed_ms, headers=self.headers, content_type=PROBLEM_TYPE
            )
        if api.style == "plain":
            return text_answer(self.status, "; ".join(self._texts()), elapsed_ms=elapsed_ms, headers=self.headers)
        status = self.status if api.http_status else 200
        told = {"ok": False, "error": "; ".join(self._texts())}
        return json_answer(status, told, elapsed_ms=elapsed_ms, headers=self.headers)

    def _fastapi(self) -> JsonObject:
        if self.raw is not None:
            return {"detail": self.raw}
        if not self.violations:
            return {"detail": self.detail}
        return {"detail": [_pydantic(violation, self.where) for violation in self.violations]}

    def _problem(self, api: Api) -> JsonObject:
        if self.violations:
            errors = [_pointed(violation, self.where) for violation in self.violations]
            kind = f"https://{api.hosts[0]}/validation-error"
            return {"type": kind, "title": "Your request is not valid.", "errors": errors}
        title = _PHRASES.get(self.status, "Error")
        return {"type": "about:blank", "title": title, "status": self.status, "detail": self.detail}

    def _texts(self) -> list[str]:
        if not self.violations:
            return [self.detail]
        return [f"{'.'.join(map(str, item.path)) or self.where}: {in_words(item)}" for item in self.violations]


def in_words(violation: Violation) -> str:
    """Return what is wrong in a few words: ``must be a positive integer``."""
    schema, kind = violation.schema, violation.kind
    if kind in {"type", "unparsable", "minimum"} and schema.get("type") == "integer" and schema.get("minimum") == 1:
        return "must be a positive integer"
    if kind in {"type", "unparsable"}:
        names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        return "must be " + " or ".join(f"{'an' if name[0] in 'aeiou' else 'a'} {name}" for name in names)
    if kind == "enum":
        return f"must be {_either(schema['enum'])}"
    return {
        "missing": "is required",
        "extra": "is not a known field",
        "minimum": f"must be at least {schema.get('minimum')}",
        "maximum": f"must be at most {schema.get('maximum')}",
        "too_short": f"must have at least {schema.get('minLength')} characters",
        "too_long": f"must have at most {schema.get('maxLength')} characters",
        "few": f"must have at least {schema.get('minItems')} items",
        "many": f"must have at most {schema.get('maxItems')} items",
        "pattern": f"must match {schema.get('pattern')}",
    }[kind]


def _pointed(violation: Violation, where: str) -> JsonObject:
    """Return an entry of ``errors``: a pointer into the body, or the name of the parameter."""
    detail = in_words(violation)
    if where == "body":
        return {"detail": detail, "pointer": "#" + "".join(f"/{part}" for part in violation.path)}
    return {"detail": detail, "parameter": ".".join(map(str, violation.path))}


def _pydantic(violation: Violation, where: str) -> JsonObject:
    name, text, context = _pydantic_text(violation)
    value = None if violation.kind == "missing" and where != "body" else violation.value
    said: JsonObject = {"type": name, "loc": [where, *violation.path], "msg": text, "input": value}
    return {**said, "ctx": context} if context else said


def _pydantic_text(violation: Violation) -> tuple[str, str, JsonObject]:
    """Return pydantic's error type, message and context (https://docs.pydantic.dev/latest/errors/validation_errors/)."""
    schema, kind = violation.schema, violation.kind
    if kind in {"type", "unparsable"}:
        name = schema["type"][0] if isinstance(schema["type"], list) else schema["type"]
        texts = _PARSED_TYPES if kind == "unparsable" and name in _PARSED_TYPES else _SIMPLE_TYPES
        return (*texts.get(name, ("value_error", "Value error")), {})
    if kind == "enum":
        expected = _either(schema["enum"])
        return "literal_error", f"Input should be {expected}", {"expected": expected}
    if kind in {"few", "many"}:
        return _pydantic_length(violation)
    return {
        "missing": ("missing", "Field required", {}),
        "extra": ("extra_forbidden", "Extra inputs are not permitted", {}),
        "minimum": (
            "greater_than_equal",
            f"Input should be greater than or equal to {schema.get('minimum')}",
            {"ge": schema.get("minimum")},
        ),
        "maximum": (
            "less_than_equal",
            f"Input should be less than or equal to {schema.get('maximum')}",
            {"le": schema.get("maximum")},
        ),
        "too_short": (
            "string_too_short",
            f"String should have at least {_characters(schema.get('minLength'))}",
            {"min_length": schema.get("minLength")},
        ),
        "too_long": (
            "string_too_long",
            f"String should have at most {_characters(schema.get('maxLength'))}",
            {"max_length": schema.get("maxLength")},
        ),
        "pattern": (
            "string_pattern_mismatch",
            f"String should match pattern '{schema.get('pattern')}'",
            {"pattern": schema.get("pattern")},
        ),
    }[kind]


def _pydantic_length(violation: Violation) -> tuple[str, str, JsonObject]:
    few, size = violation.kind == "few", len(violation.value)
    limit = violation.schema["minItems" if few else "maxItems"]
    items = "item" if limit == 1 else "items"
    text = f"List should have at {'least' if few else 'most'} {limit} {items} after validation, not {size}"
    context = {"field_type": "List", "min_length" if few else "max_length": limit, "actual_length": size}
    return ("too_short" if few else "too_long"), text, context


def _characters(count: Json) -> str:
    return "1 character" if count == 1 else f"{count} characters"


def _either(values: list[Json]) -> str:
    """Return ``'a', 'b' or 'c'``."""
    shown = [repr(value) for value in values]
    return f"{', '.join(shown[:-1])} or {shown[-1]}" if len(shown) > 1 else "".join(shown)

"""An invented API's error responses: in its declared style, or as a rule writes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from mendbench.api_errors.status_phrases import PHRASES
from mendbench.model.exchange import Response
from mendbench.model.json import Json, JsonObject
from mendbench.services.json_api.by_entry import aws, jsonapi, spring, spring_bare
from mendbench.services.json_api.by_field import aspnet, drf, rails
from mendbench.services.json_api.pydantic_words import entry_of
from mendbench.services.json_api.refusal import Asked, Dressed, RefusedError
from mendbench.services.json_api.schema import Violation
from mendbench.services.json_api.spec import Api, Style
from mendbench.services.json_api.violation_texts import in_words
from mendbench.services.wire import JSON_TYPE, TEXT_TYPE, json_response, text_response

PROBLEM_TYPE = "application/problem+json"
"""RFC 9457 section 3."""
_PHRASES: dict[int, str] = {**PHRASES, 422: "Unprocessable Content"}
_Style: TypeAlias = Callable[[RefusedError, Asked, str], Dressed]


def refusal_response(refused: RefusedError, api: Api, asked: Asked, elapsed_ms: int) -> Response:
    """Return the error response in the API's style, or the body that a rule gives."""
    if refused.body is not None:
        return _as_declared(refused, api, elapsed_ms)
    dressed = _STYLES[api.style](refused, asked, _PHRASES.get(refused.status, "Error"))
    status = 200 if api.style == "ok_false" and not api.http_status else dressed.status
    headers = (*refused.headers, *dressed.headers)
    if isinstance(dressed.body, str):
        text = _translated(dressed.body, api.words)
        return text_response(status, text, elapsed_ms=elapsed_ms, headers=headers, content_type=dressed.content_type)
    body = _translated(dressed.body, api.words)
    if isinstance(body, dict):
        body = {**body, **api.with_errors}
    return json_response(status, body, elapsed_ms=elapsed_ms, headers=headers, content_type=dressed.content_type)


def _as_declared(refused: RefusedError, api: Api, elapsed_ms: int) -> Response:
    if isinstance(refused.body, str):
        return text_response(refused.status, refused.body, elapsed_ms=elapsed_ms, headers=refused.headers)
    kind = PROBLEM_TYPE if api.style == "problem" else JSON_TYPE
    return json_response(
        refused.status, refused.body, elapsed_ms=elapsed_ms, headers=refused.headers, content_type=kind
    )


def _fastapi(refused: RefusedError, _asked: Asked, _phrase: str) -> Dressed:
    if refused.raw is not None:
        return Dressed(status=refused.status, body={"detail": refused.raw})
    if not refused.violations:
        return Dressed(status=refused.status, body={"detail": refused.detail})
    return Dressed(
        status=refused.status, body={"detail": [entry_of(violation, refused.where) for violation in refused.violations]}
    )


def _problem(refused: RefusedError, asked: Asked, phrase: str) -> Dressed:
    if refused.violations:
        errors: Json = [_pointed(violation, refused.where) for violation in refused.violations]
        kind = f"https://{asked.host}/validation-error"
        body: JsonObject = {"type": kind, "title": "Your request is not valid.", "errors": errors}
    else:
        body = {"type": "about:blank", "title": phrase, "status": refused.status, "detail": refused.detail}
    return Dressed(status=refused.status, body=body, content_type=PROBLEM_TYPE)


def _plain(refused: RefusedError, _asked: Asked, _phrase: str) -> Dressed:
    return Dressed(status=refused.status, body="; ".join(_texts(refused)), content_type=TEXT_TYPE)


def _ok_false(refused: RefusedError, _asked: Asked, _phrase: str) -> Dressed:
    return Dressed(status=refused.status, body={"ok": False, "error": "; ".join(_texts(refused))})


_STYLES: dict[Style, _Style] = {
    "fastapi": _fastapi,
    "problem": _problem,
    "plain": _plain,
    "ok_false": _ok_false,
    "jsonapi": jsonapi,
    "spring": spring,
    "spring_bare": spring_bare,
    "rails": rails,
    "drf": drf,
    "aspnet": aspnet,
    "aws": aws,
}


def _texts(refused: RefusedError) -> list[str]:
    if not refused.violations:
        return [refused.detail]
    return [f"{'.'.join(map(str, item.path)) or refused.where}: {in_words(item)}" for item in refused.violations]


def _pointed(violation: Violation, where: str) -> JsonObject:
    """Return an entry of ``errors``: a pointer into the body, or a parameter name."""
    detail = in_words(violation)
    if where == "body":
        return {"detail": detail, "pointer": "#" + "".join(f"/{part}" for part in violation.path)}
    return {"detail": detail, "parameter": ".".join(map(str, violation.path))}


def _translated(value: Json, words: dict[str, str]) -> Json:
    """Return ``value`` with its texts translated by ``words`` into the API's own language."""
    if not words:
        return value
    if isinstance(value, str):
        return words.get(value, value)
    if isinstance(value, dict):
        return {key: _translated(item, words) for key, item in value.items()}
    return [_translated(item, words) for item in value] if isinstance(value, list) else value

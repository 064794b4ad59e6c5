"""The checks before an action: authentication, and validity of path, query and body."""

from __future__ import annotations

import json
from urllib.parse import parse_qsl

from mendbench.model.json import Json, JsonObject
from mendbench.services.json_api.pydantic_words import MODEL_TYPE
from mendbench.services.json_api.refusal import RefusedError
from mendbench.services.json_api.schema import checked
from mendbench.services.json_api.spec import Api, Route
from mendbench.services.wire import Call, parse_json

_INVALID = "Your request is not valid."
_LAX = {"fastapi", "drf", "rails", "spring", "spring_bare", "aspnet"}
"""Styles of frameworks that convert a number in a JSON string to a number."""
_UNPROCESSABLE = {"fastapi", "problem", "jsonapi", "rails"}
_JSON_TYPES = ("application/json", "application/x-amz-json-1.0", "application/x-amz-json-1.1")


def check_auth(api: Api, route: Route, call: Call) -> None:
    """Check the token.

    Raises:
        RefusedError: 401 without a valid token, 403 if the token does not permit the route.
    """
    if not api.auth:
        return
    header = str(api.auth.get("header", "Authorization"))
    given = call.header(header)
    if given and header.lower() == "authorization":
        scheme, _, rest = given.partition(" ")
        given = rest.strip() if scheme.lower() == str(api.auth.get("scheme", "Bearer")).lower() else ""
    if not given and api.auth.get("query"):
        given = call.parameter(str(api.auth["query"])) or ""
    if not given:
        raise RefusedError(401, "Not authenticated", reason="no_token", headers=(("www-authenticate", "Bearer"),))
    tokens = api.auth.get("tokens") or {}
    record = tokens.get(given, {} if not tokens else None)
    if record is None or " " in given or "{{" in given or (isinstance(record, dict) and record.get("expired")):
        challenge = (("www-authenticate", "Bearer"),)
        raise RefusedError(401, "Invalid authentication credentials", reason="bad_token", headers=challenge)
    allowed = record.get("routes") if isinstance(record, dict) else None
    if allowed is not None and route.key not in allowed:
        raise RefusedError(403, "Not enough permissions", reason="no_rights")


def read_parameters(api: Api, route: Route, given: dict[str, str], where: str) -> JsonObject:
    """Return the values of the path (``params``) or the query (``query``), checked.

    Raises:
        RefusedError: 422, a value is invalid.
    """
    declared = route.table("params" if where == "path" else "query")
    needed = [name for name, schema in declared.items() if isinstance(schema, dict) and schema.get("required") is True]
    plain = {name: {k: v for k, v in schema.items() if k != "required"} for name, schema in declared.items()}
    value, violations = checked(dict(given), {"properties": plain, "required": needed}, lax=True)
    if violations:
        raise RefusedError(_status(api), _INVALID, reason="violations", violations=tuple(violations), where=where)
    found: JsonObject = value
    return found


def read_body(api: Api, route: Route, call: Call) -> JsonObject:
    """Return the body, checked against the route's schema.

    Raises:
        RefusedError: the body cannot be read, is not an object, or does not match the schema.
    """
    schema = route.table("schema")
    wanted = str(route.options.get("body_format", "json"))
    is_form = "x-www-form-urlencoded" in call.header("content-type").lower()
    if wanted in {"form", "any"} and (is_form or wanted == "form"):
        body: Json = _form(call)
    else:
        body = _json(api, call)
    lax = api.style in _LAX or is_form
    value, violations = checked(body, {"type": "object", **schema}, lax=lax)
    if violations and not violations[0].path and not isinstance(body, dict):
        raise _no_object(api, body)
    if violations:
        raise RefusedError(_status(api), _INVALID, reason="violations", violations=tuple(violations))
    found: JsonObject = value
    return found


def _status(api: Api) -> int:
    return 422 if api.style in _UNPROCESSABLE else 400


def _form(call: Call) -> JsonObject:
    try:
        return dict(parse_qsl(call.body.decode("utf-8", "replace"), keep_blank_values=True))
    except ValueError:
        raise RefusedError(400, "Malformed form body") from None


def _json(api: Api, call: Call) -> Json:
    text = call.body.decode("utf-8", "replace")
    if not text.strip():
        empty: JsonObject = {"type": "missing", "loc": ["body"], "msg": "Field required", "input": None}
        raise RefusedError(_status(api), "A JSON body is required", reason="empty_body", raw=[empty])
    kind = call.header("content-type").lower().partition(";")[0].strip()
    if kind and kind not in _JSON_TYPES and not kind.endswith("+json"):
        if api.style == "fastapi":
            raise _no_object(api, text)
        raise RefusedError(415, f"Unsupported media type {kind}", reason="media_type", about=kind)
    try:
        return parse_json(text)
    except json.JSONDecodeError as error:
        entry: JsonObject = {"type": "json_invalid", "loc": ["body", error.pos], "msg": "JSON decode error"}
        detail = {**entry, "input": {}, "ctx": {"error": error.msg}}
        raise RefusedError(_status(api), "Malformed JSON", reason="bad_json", about=str(error), raw=[detail]) from None
    except ValueError:
        raise RefusedError(400, "There was an error parsing the body") from None


def _no_object(api: Api, body: Json) -> RefusedError:
    name, text = MODEL_TYPE
    entry = {"type": name, "loc": ["body"], "msg": text, "input": body}
    return RefusedError(_status(api), "The body must be a JSON object", reason="no_object", value=body, raw=[entry])

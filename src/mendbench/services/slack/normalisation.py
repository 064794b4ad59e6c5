"""Normalises calls of the Web API: equivalent calls become identical.

Slack takes arguments from the query, a form or a JSON body, by GET or POST, and on two hosts
(https://docs.slack.dev/apis/web-api). Only the method and its arguments matter.
"""

from __future__ import annotations

import json
from dataclasses import replace
from urllib.parse import urlencode

from mendbench.model.exchange import Request
from mendbench.model.json import Json, JsonObject
from mendbench.services.slack.arguments import Argument, read_arguments
from mendbench.services.slack.errors import SlackError
from mendbench.services.slack.routes import METHODS, Method, method_name
from mendbench.services.wire import JSON_TYPE, parse_json, read_call

_API = "https://slack.com/api"
_ABOUT_THE_BODY = frozenset({"content-type", "content-length"})


def meant(request: Request) -> Request | None:
    """Return the normalised call, or None if the service has no such call.

    A write is a POST with a JSON body, a read is a GET with a query. The result omits the token, absent arguments and
    arguments that the method does not read. It also omits the text of a message with blocks: Slack shows it only in
    notifications, as a fallback (https://docs.slack.dev/reference/methods/chat.postMessage#arg_text).
    """
    call = read_call(request)
    name = method_name(call)
    method = METHODS.get(name or "")
    if method is None:
        return None
    try:
        given = read_arguments(call, takes_json=method.takes_json)
    except SlackError:
        return None
    headers = tuple(pair for pair in request.headers if pair[0].lower() not in _ABOUT_THE_BODY)
    if not method.writes:
        read = {key: _text(value) for key, value in given.items() if key != "token" and value is not None}
        query = urlencode(sorted(read.items()), errors="replace")
        url = f"{_API}/{name}?{query}" if query else f"{_API}/{name}"
        return replace(request, method="GET", url=url, headers=headers, body=b"")
    body = json.dumps(_arguments(given, method), ensure_ascii=False).encode("utf-8", "replace")
    return replace(
        request,
        method="POST",
        url=f"{_API}/{name}",
        headers=(*headers, ("content-type", JSON_TYPE)),
        body=body,
    )


def _arguments(given: JsonObject, method: Method) -> JsonObject:
    values = {
        argument.name: _value(given[argument.name], argument) for argument in method.arguments if argument.name in given
    }
    required = {argument.name for argument in method.arguments if argument.required}
    kept = {name: value for name, value in values.items() if name in required or value not in (None, "", [], {})}
    if isinstance(kept.get("blocks"), list):
        kept.pop("text", None)
    return kept


def _value(value: Json, argument: Argument) -> Json:
    """Return the array or object that a text contains, and a timestamp or a flag as text."""
    if argument.kind == "json" and isinstance(value, str):
        try:
            return parse_json(value)
        except ValueError:
            return value
    if argument.kind in ("timestamp", "flag"):
        return value if value is None else _text(value)
    return value


def _text(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

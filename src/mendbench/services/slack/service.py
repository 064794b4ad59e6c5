"""The Slack service: the order of Slack's checks, and the response headers.

The order: method, rate limit, encoding, token, scope, argument schema, channel, membership, content. A recording shows
that encoding comes before the token (slack-ruby-client, ``rtm_connect.yml``). The order of the last four is an
assumption.
"""

from __future__ import annotations

import copy

from mendbench.model.exchange import Headers, Request, Response
from mendbench.model.json import JsonObject
from mendbench.services.scripted import next_failure, take_limit
from mendbench.services.slack.arguments import check_schema, early_warnings, read_arguments
from mendbench.services.slack.errors import NOT_FOUND_PAGE, SlackError, with_metadata
from mendbench.services.slack.normalisation import meant
from mendbench.services.slack.routes import METHODS, Method, method_name
from mendbench.services.slack.state import Caller, Context, identify
from mendbench.services.wire import (
    HTML_TYPE,
    Call,
    json_response,
    left_by,
    load_seed,
    read_call,
    request_digest,
    text_response,
)

_REFUSED_MS = 84
"""The response time if no method ran."""


class Slack:
    """The Slack Web API of one workspace. :mod:`mendbench.services.slack.state` documents its state."""

    name = "slack"
    hosts: tuple[str, ...] = ("slack.com", "www.slack.com")

    def seed(self) -> dict[str, object]:
        """Return a small workspace with a few channels and people."""
        return load_seed(__package__ or "")

    def response(self, state: dict[str, object], request: Request, now_ms: int) -> tuple[dict[str, object], Response]:
        """Return the state after ``request`` and Slack's response.

        A writing method also works with GET, with its arguments in the query (https://docs.slack.dev/apis/web-api).
        """
        draft: JsonObject = copy.deepcopy(state)
        call = read_call(request)
        number = request_digest(draft, request, 32)
        name = method_name(call)
        if name is None:
            page = NOT_FOUND_PAGE.format(path=call.path)
            return draft, text_response(404, page, elapsed_ms=_REFUSED_MS, content_type=HTML_TYPE)
        method = METHODS.get(name)
        if method is None:
            refusal = SlackError("unknown_method", extra={"req_method": name})
            return draft, _dressed(number, refusal.body(early_warnings(call)), None, None)
        planned = next_failure(draft, (name,))
        if planned and not planned.applied:
            return draft, planned.response
        limited = _rate_limit(draft, name)
        if limited:
            return draft, limited
        changed = copy.deepcopy(draft)
        response = _run(changed, call, method, now_ms, number)
        return left_by(request, response, draft, changed), planned.response if planned else response

    def canonical(self, request: Request) -> Request | None:
        """Return the normalised call."""
        return meant(request)


def _run(draft: JsonObject, call: Call, method: Method, now_ms: int, number: str) -> Response:
    caller: Caller | None = None
    warnings = early_warnings(call)
    try:
        values = read_arguments(call, takes_json=method.takes_json)
        caller = identify(draft, call, values)
        if method.scopes:
            caller.require(*method.scopes)
        check_schema(values, method.arguments)
        body = method.run(Context(draft=draft, caller=caller, values=values, now_ms=now_ms))
    except SlackError as refusal:
        return _dressed(number, refusal.body(warnings), caller, method)
    kept = tuple((body.get("response_metadata") or {}).get("warnings", ()))
    return _dressed(number, with_metadata(body, warnings=(*kept, *warnings)), caller, method)


def _dressed(number: str, body: JsonObject, caller: Caller | None, method: Method | None) -> Response:
    """Return the response with the headers that Slack sends (recorded in slack-ruby-client's fixtures)."""
    headers: Headers = (
        ("x-slack-req-id", number),
        ("access-control-expose-headers", "x-slack-req-id, retry-after"),
    )
    if caller is not None and method is not None:
        headers = (("x-oauth-scopes", ",".join(caller.scopes)), *headers)
        headers = (*headers, ("x-accepted-oauth-scopes", ",".join(method.scopes)))
    elapsed = method.elapsed_ms if method and caller else _REFUSED_MS
    return json_response(200, body, elapsed_ms=elapsed, headers=headers, ascii_only=True)


def _rate_limit(draft: JsonObject, name: str) -> Response | None:
    limit = (draft.get("rate_limited") or {}).get(name)
    if not limit or not take_limit(limit):
        return None
    wait = str(limit.get("retry_after", 30))
    body = {"ok": False, "error": "ratelimited"}
    return json_response(429, body, elapsed_ms=_REFUSED_MS, headers=(("retry-after", wait),), ascii_only=True)

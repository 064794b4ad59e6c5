"""The Sheets service: the order of Google's checks, and the response headers.

The order: path (a page, 404), credential (401), scope (403), query and body (400: unknown names, wrong types),
spreadsheet (404), sharing (403), quota (429), value input option, range, shape of the cells, range of the body, grid,
protection. Google's front end checks the credential and the message first. The rest of the order is an assumption.
"""

from __future__ import annotations

import copy
from dataclasses import replace

from mendbench.model.exchange import Headers, Request, Response
from mendbench.model.json import JsonObject
from mendbench.services.scripted import next_failure
from mendbench.services.sheets.access import admit, identify, over_quota
from mendbench.services.sheets.body import check_names, read_body, read_query
from mendbench.services.sheets.errors import NOT_FOUND_PAGE, SheetsError, violated
from mendbench.services.sheets.normalisation import normalised
from mendbench.services.sheets.routes import Found, find_method
from mendbench.services.sheets.state import Context
from mendbench.services.wire import HTML_TYPE, Call, json_response, left_by, load_seed, read_call, text_response

_REFUSED_MS = 76
"""The response time if no method ran."""
_TYPE = "application/json; charset=UTF-8"
_HEADERS: Headers = (("vary", "Origin, X-Origin, Referer"), ("server", "ESF"), ("x-content-type-options", "nosniff"))


class Sheets:
    """Google Sheets. :mod:`mendbench.services.sheets.state` documents its state."""

    name = "sheets"
    hosts: tuple[str, ...] = ("sheets.googleapis.com",)

    def seed(self) -> dict[str, object]:
        """Return two spreadsheets of a seed bank."""
        return load_seed(__package__ or "")

    def response(self, state: dict[str, object], request: Request, now_ms: int) -> tuple[dict[str, object], Response]:  # noqa: ARG002 - no response contains the time
        """Return the state after ``request`` and Google's response. The moment has no effect here."""
        draft: JsonObject = copy.deepcopy(state)
        call = read_call(request)
        found = find_method(call)
        if found is None:
            page = NOT_FOUND_PAGE.format(path=call.path)
            return draft, text_response(404, page, elapsed_ms=_REFUSED_MS, content_type=HTML_TYPE)
        planned = next_failure(draft, (f"{call.method} {call.path}", found.method.name))
        if planned and not planned.applied:
            return draft, planned.response
        try:
            context = _context(draft, call, found)
        except SheetsError as refusal:
            return draft, _refused(refusal)
        if limited := over_quota(draft, writes=found.method.writes):
            return draft, _refused(limited)
        changed = copy.deepcopy(draft)
        response = _run(changed, context, found)
        return left_by(request, response, draft, changed), planned.response if planned else response

    def canonical(self, request: Request) -> Request | None:
        """Return the normalised ``request``, or None if it cannot be normalised."""
        return normalised(request)


def _context(draft: JsonObject, call: Call, found: Found) -> Context:
    """Run all checks before the method itself. :func:`_run` replaces the draft of the result."""
    method = found.method
    email = identify(draft, call, writes=method.writes, method=method.rpc)
    query = read_query(call, method.query)
    body = read_body(call) if method.writes else {}
    if method.body is not None and (bad := check_names(body, method.body, "")):
        raise violated(*bad)
    admit(draft, found.book_id, email, writes=method.writes)
    return Context(draft=draft, book_id=found.book_id, email=email, range_text=found.range_text, query=query, body=body)


def _run(changed: JsonObject, context: Context, found: Found) -> Response:
    try:
        body = found.method.run(replace(context, draft=changed))
    except SheetsError as refusal:
        return _refused(refusal)
    return json_response(200, body, elapsed_ms=found.method.elapsed_ms, headers=_HEADERS, content_type=_TYPE)


def _refused(refusal: SheetsError) -> Response:
    headers = (*_HEADERS, *refusal.headers)
    return json_response(refusal.code, refusal.body(), elapsed_ms=_REFUSED_MS, headers=headers, content_type=_TYPE)

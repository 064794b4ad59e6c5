"""Routes with a constant response: a fixed body, or an error in the API's style."""

from __future__ import annotations

import json

from mendbench.model.exchange import Headers, Response
from mendbench.model.json import Json, JsonObject
from mendbench.services.json_api.context import Context
from mendbench.services.json_api.refusal import RefusedError
from mendbench.services.json_api.shaping import elapsed_of
from mendbench.services.wire import json_response, text_response

MAX_ROWS = 100_000
"""The maximum number of rows that ``repeat`` writes."""


def static(context: Context) -> Response:
    """Return the route's response, with the path's parameters filled into its headers."""
    options = context.route.options
    headers = _headers(context)
    status, body, elapsed = int(options.get("status", 200)), options.get("body"), elapsed_of(context.route)
    if options.get("repeat"):
        body = _repeated(body, context.route.table("repeat"))
    if isinstance(body, str):
        return text_response(status, body, elapsed_ms=elapsed, headers=headers)
    if body is None:
        return Response(status=status, headers=headers, elapsed_ms=elapsed)
    return json_response(status, body, elapsed_ms=elapsed, headers=headers)


def refuse(context: Context) -> Response:
    """Fail with the route's ``status``, ``detail`` and ``headers``: for a page that was removed or has moved.

    Raises:
        RefusedError: always.
    """
    options = context.route.options
    detail = context.in_place(options.get("detail", "Gone"))
    raise RefusedError(int(options.get("status", 410)), detail, headers=_headers(context), body=options.get("body"))


def _headers(context: Context) -> Headers:
    given = context.route.table("headers").items()
    return tuple((str(name).lower(), context.in_place(value)) for name, value in given)


def _repeated(body: Json, repeat: JsonObject) -> Json:
    """Return a body with many similar rows: under a name, or as the list itself. ``{n}`` in a row is its number, from 1."""
    row = json.dumps(repeat.get("item"), ensure_ascii=False)
    times = min(int(repeat.get("times", 1)), MAX_ROWS)
    rows: list[Json] = [json.loads(row.replace("{n}", str(number))) for number in range(1, times + 1)]
    name = repeat.get("under")
    if not name:
        return rows
    return {**(body if isinstance(body, dict) else {}), str(name): rows}

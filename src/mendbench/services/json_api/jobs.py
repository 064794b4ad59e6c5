"""Work that continues after the response: a 202 with a URL to poll (RFC 9110 section 15.3.3).

The progress of a job depends on the number of identical polls since the last accepted write (``polls``), never on the clock.
"""

from __future__ import annotations

from mendbench.model.exchange import Headers, Response
from mendbench.model.json import Json, JsonObject
from mendbench.services.json_api.context import Context
from mendbench.services.json_api.shaping import answered, extra_of, shaped

_QUEUED, _RUNNING, _DONE = {"status": "queued"}, {"status": "running"}, {"status": "succeeded"}


def start(context: Context, new_id: Json) -> Response:
    """Start a job: store the request body, and return the URL to poll."""
    key = str(context.route.options.get("key", "id"))
    item: JsonObject = {key: new_id, **context.body, **(context.route.table("queued") or _QUEUED)} | {key: new_id}
    context.items[str(new_id)] = item
    place = context.route.options.get("location")
    headers: Headers = (("location", context.in_place(place, id=new_id)),) if place else ()
    return _told(context, 202, {**item, **_placed(context, new_id)}, headers)


def job(context: Context) -> Response:
    """Report the progress of a job."""
    options = context.route.options
    item = context.stored()
    if context.tried < int(options.get("polls", 0)):
        wait = options.get("retry_after")
        headers: Headers = (("retry-after", str(wait)),) if wait is not None else ()
        return _told(context, 200, {**item, **(context.route.table("running") or _RUNNING)}, headers)
    return _told(context, 200, {**item, **(context.route.table("done") or _DONE)}, ())


def _placed(context: Context, new_id: Json) -> JsonObject:
    """Return the body fields that contain the URL: ``"links": {"poll": "/v2/jobs/{id}"}``."""
    return {name: context.in_place(text, id=new_id) for name, text in context.route.table("links").items()}


def _told(context: Context, status: int, item: JsonObject, headers: Headers) -> Response:
    wrap = shaped(context)
    body = {wrap["one"]: item} if wrap.get("one") else item
    return answered(context, status, {**body, **extra_of(wrap)}, headers)

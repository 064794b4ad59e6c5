"""The actions of an invented API's routes on its collections."""

from __future__ import annotations

from collections.abc import Callable

from mendbench.model.exchange import Headers, Response
from mendbench.model.json import Json, JsonObject
from mendbench.services.json_api.context import Context, at, equals
from mendbench.services.json_api.fixed import refuse, static
from mendbench.services.json_api.paging import page_of
from mendbench.services.json_api.preconditions import check_match, check_version, etag_of, not_modified
from mendbench.services.json_api.rules import check_rules
from mendbench.services.json_api.shaping import answered, elapsed_of, extra_of, shaped
from mendbench.services.json_api.spec import Action
from mendbench.services.wire import iso_time, next_count
from mendbench.values.merge_patch import merge_patch

_QUEUED, _RUNNING, _DONE = {"status": "queued"}, {"status": "running"}, {"status": "succeeded"}


def perform(context: Context) -> Response:
    """Check references, uniqueness and rules, then run the route's action.

    Raises:
        RefusedError: a check or the action fails.
    """
    check_rules(context)
    return _ACTIONS[context.route.action](context)


def _get(context: Context) -> Response:
    item = context.stored()
    return not_modified(context, item) or _item_response(context, item)


def _list(context: Context) -> Response:
    known = {name for item in context.items.values() if isinstance(item, dict) for name in item}
    filters = {name: text for name, text in context.query.items() if name.split(".", maxsplit=1)[0] in known}
    found = [i for i in context.items.values() if all(equals(at(i, name), text) for name, text in filters.items())]
    part = page_of(context, found)
    wrap = shaped(context)
    body: Json = part.items
    if wrap.get("many"):
        total: JsonObject = {wrap["total"]: len(found)} if wrap.get("total") else {}
        body = {wrap["many"]: part.items, **total, **part.fields, **extra_of(wrap)}
    return answered(context, 200, body, part.headers)


def _lookup(context: Context) -> Response:
    field = str(context.route.options["by"])
    name = str(context.route.options.get("from", field))
    wanted = context.path.get(name, context.query.get(name))
    for item in context.items.values():
        if wanted is not None and equals(at(item, field), wanted):
            return _item_response(context, item)
    raise context.missing


def _create(context: Context) -> Response:
    key = str(context.route.options.get("key", "id"))
    new_id = new_id_of(context)
    stamp = context.route.options.get("stamp")
    item = {key: new_id, **context.route.table("defaults"), **context.body} | {key: new_id}
    if stamp:
        item[str(stamp)] = iso_time(context.now_ms)
    context.items[str(new_id)] = item
    return _item_response(context, item, 201, _location(context, new_id))


def _update(context: Context) -> Response:
    item = context.stored()
    key = str(context.route.options.get("key", "id"))
    check_match(context, item)
    version = check_version(context, item)
    changed = {key: item.get(key), **context.body} if context.route.method == "PUT" else merge_patch(item, context.body)
    changed |= version
    context.items[context.item_id] = changed
    return _item_response(context, changed)


def _delete(context: Context) -> Response:
    check_match(context, context.stored())
    del context.items[context.item_id]
    return Response(status=int(context.route.options.get("status", 204)), elapsed_ms=elapsed_of(context.route))


def _start(context: Context) -> Response:
    """Start a job: store the request body, and return the URL to poll (RFC 9110 section 15.3.3)."""
    key = str(context.route.options.get("key", "id"))
    new_id = new_id_of(context)
    item: JsonObject = {key: new_id, **context.body, **(context.route.table("queued") or _QUEUED)} | {key: new_id}
    context.items[str(new_id)] = item
    links = {name: context.in_place(text, id=new_id) for name, text in context.route.table("links").items()}
    return _wrapped(context, 202, {**item, **links}, _location(context, new_id))


def _job(context: Context) -> Response:
    """Report the progress of a job. It depends on the number of identical polls since the last accepted write."""
    options = context.route.options
    item = context.stored()
    if context.tried < int(options.get("polls", 0)):
        wait = options.get("retry_after")
        headers: Headers = (("retry-after", str(wait)),) if wait is not None else ()
        return _wrapped(context, 200, {**item, **(context.route.table("running") or _RUNNING)}, headers)
    return _wrapped(context, 200, {**item, **(context.route.table("done") or _DONE)})


_ACTIONS: dict[Action, Callable[[Context], Response]] = {
    "get": _get,
    "list": _list,
    "lookup": _lookup,
    "create": _create,
    "update": _update,
    "delete": _delete,
    "static": static,
    "refuse": refuse,
    "start": _start,
    "job": _job,
}


def new_id_of(context: Context) -> Json:
    """Return ``prefix`` and the next number, or only the number without a prefix. Skips ids in use."""
    options = context.route.table("id")
    prefix, first = str(options.get("prefix", "")), int(options.get("start", 1))
    while True:
        number = first - 1 + next_count(context.data, f"{context.route.collection} ids")
        if f"{prefix}{number}" not in context.items:
            return f"{prefix}{number}" if prefix else number


def _location(context: Context, new_id: Json) -> Headers:
    place = context.route.options.get("location")
    return (("location", context.in_place(place, id=new_id)),) if place else ()


def _item_response(context: Context, item: JsonObject, status: int = 200, headers: Headers = ()) -> Response:
    tag: Headers = (("etag", etag_of(item)),) if context.route.options.get("etag") else ()
    return _wrapped(context, status, item, (*headers, *tag))


def _wrapped(context: Context, status: int, item: JsonObject, headers: Headers = ()) -> Response:
    wrap = shaped(context)
    body = {wrap["one"]: item} if wrap.get("one") else item
    return answered(context, status, {**body, **extra_of(wrap)}, headers)

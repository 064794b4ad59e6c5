"""What the routes of an invented API do."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from mendbench.kit.merge import merge_patch
from mendbench.model.exchange import Answer
from mendbench.model.json import Json, JsonObject
from mendbench.services.json_api.errors import RefusedError
from mendbench.services.json_api.spec import Action, Api, Route
from mendbench.services.wire import iso_time, json_answer, next_count, text_answer

READ_MS, WRITE_MS = 96, 171
"""Milliseconds an answer takes unless the route says otherwise."""
_DEFAULT_LIMIT = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """One request on its way through a route. ``data`` is the API's part of the new state."""

    api: Api
    route: Route
    data: JsonObject
    path: JsonObject
    query: JsonObject
    body: JsonObject
    now_ms: int

    @property
    def items(self) -> JsonObject:
        """The route's collection by id."""
        return cast("JsonObject", self.data.setdefault("collections", {}).setdefault(self.route.collection, {}))

    @property
    def missing(self) -> RefusedError:
        """The refusal for a thing that is not there."""
        return RefusedError(
            404, str(self.route.options.get("missing") or f"{_singular(self.route.collection)} not found")
        )


def perform(context: Context) -> Answer:
    """Check references, uniqueness and rules, and do what the route does.

    Raises:
        RefusedError: it cannot be done.
    """
    _check_references(context)
    _check_unique(context)
    _check_rules(context)
    return _ACTIONS[context.route.action](context)


def elapsed_of(route: Route) -> int:
    """Return how long the route takes, milliseconds."""
    return int(route.options.get("elapsed_ms", READ_MS if route.method in {"GET", "HEAD"} else WRITE_MS))


def _get(context: Context) -> Answer:
    return _one(context, _stored(context))


def _list(context: Context) -> Answer:
    known = {name for item in context.items.values() if isinstance(item, dict) for name in item}
    filters = {name: text for name, text in context.query.items() if name.split(".", maxsplit=1)[0] in known}
    found = [i for i in context.items.values() if all(_equals(_at(i, name), text) for name, text in filters.items())]
    start, limit = _number(context, "offset", 0), _number(context, "limit", _DEFAULT_LIMIT)
    wrap = _wrap(context)
    page: Json = found[start : start + limit]
    if wrap.get("many"):
        page = {wrap["many"]: page, **({wrap["total"]: len(found)} if wrap.get("total") else {}), **_extra(wrap)}
    return _answer(context, 200, page)


def _lookup(context: Context) -> Answer:
    field = str(context.route.options["by"])
    name = str(context.route.options.get("from", field))
    wanted = context.path.get(name, context.query.get(name))
    for item in context.items.values():
        if wanted is not None and _equals(_at(item, field), wanted):
            return _one(context, item)
    raise context.missing


def _create(context: Context) -> Answer:
    key = str(context.route.options.get("key", "id"))
    new_id = _new_id(context)
    stamp = context.route.options.get("stamp")
    item = {key: new_id, **context.route.table("defaults"), **context.body} | {key: new_id}
    if stamp:
        item[str(stamp)] = iso_time(context.now_ms)
    context.items[str(new_id)] = item
    return _one(context, item, status=201)


def _update(context: Context) -> Answer:
    item = _stored(context)
    key = str(context.route.options.get("key", "id"))
    changed = {key: item.get(key), **context.body} if context.route.method == "PUT" else merge_patch(item, context.body)
    context.items[_id_in_path(context)] = changed
    return _one(context, changed)


def _delete(context: Context) -> Answer:
    _stored(context)
    del context.items[_id_in_path(context)]
    return Answer(status=int(context.route.options.get("status", 204)), elapsed_ms=elapsed_of(context.route))


def _static(context: Context) -> Answer:
    options = context.route.options
    headers = tuple((str(name).lower(), str(value)) for name, value in context.route.table("headers").items())
    status, body, elapsed = int(options.get("status", 200)), options.get("body"), elapsed_of(context.route)
    if isinstance(body, str):
        return text_answer(status, body, elapsed_ms=elapsed, headers=headers)
    if body is None:
        return Answer(status=status, headers=headers, elapsed_ms=elapsed)
    return json_answer(status, body, elapsed_ms=elapsed, headers=headers)


_ACTIONS: dict[Action, Callable[[Context], Answer]] = {
    "get": _get,
    "list": _list,
    "lookup": _lookup,
    "create": _create,
    "update": _update,
    "delete": _delete,
    "static": _static,
}


def _one(context: Context, item: JsonObject, status: int = 200) -> Answer:
    wrap = _wrap(context)
    body = {wrap["one"]: item} if wrap.get("one") else item
    return _answer(context, status, {**body, **_extra(wrap)})


def _answer(context: Context, status: int, body: Json) -> Answer:
    return json_answer(int(context.route.options.get("status", status)), body, elapsed_ms=elapsed_of(context.route))


def _wrap(context: Context) -> JsonObject:
    return context.route.table("wrap") or context.api.wrap


def _extra(wrap: JsonObject) -> JsonObject:
    extra = wrap.get("extra")
    return extra if isinstance(extra, dict) else {}


def _id_in_path(context: Context) -> str:
    return str(list(context.path.values())[-1])


def _stored(context: Context) -> JsonObject:
    item = context.items.get(_id_in_path(context))
    if not isinstance(item, dict):
        raise context.missing
    return item


def _new_id(context: Context) -> Json:
    """Return ``prefix`` and the next number; a bare number without a prefix. Skips ids that are taken."""
    options = context.route.table("id")
    prefix, start = str(options.get("prefix", "")), int(options.get("start", 1))
    while True:
        number = start - 1 + next_count(context.data, f"{context.route.collection} ids")
        if f"{prefix}{number}" not in context.items:
            return f"{prefix}{number}" if prefix else number


def _check_references(context: Context) -> None:
    everything = context.data.get("collections") or {}
    for field, collection in context.route.table("references").items():
        value = _at(context.body, field)
        if value is not None and str(value) not in (everything.get(collection) or {}):
            raise RefusedError(404, f"{_singular(str(collection))} not found")


def _check_unique(context: Context) -> None:
    own = _id_in_path(context) if context.route.action == "update" else None
    for field in context.route.options.get("unique") or ():
        value = context.body.get(field)
        taken = [key for key, item in context.items.items() if value is not None and _at(item, field) == value]
        if any(key != own for key in taken):
            raise RefusedError(409, f"{_singular(context.route.collection)} with {field} '{value}' already exists")


def _check_rules(context: Context) -> None:
    parts = {"body": context.body, "query": context.query, "path": context.path}
    for rule in context.route.options.get("rules") or ():
        if all(_holds(parts.get(name), wanted) for name, wanted in (rule.get("when") or {}).items()):
            headers = tuple((str(k).lower(), str(v)) for k, v in (rule.get("headers") or {}).items())
            status, detail = int(rule.get("status", 400)), str(rule.get("detail", "Not allowed"))
            raise RefusedError(status, detail, headers=headers, body=rule.get("body"))


def _holds(value: Json, wanted: Json) -> bool:
    if not isinstance(wanted, dict):
        return bool(value == wanted)
    if "$absent" in wanted:
        return (value is None) is bool(wanted["$absent"])
    if "$above" in wanted:
        return isinstance(value, int | float) and value > wanted["$above"]
    if "$below" in wanted:
        return isinstance(value, int | float) and value < wanted["$below"]
    if "$matches" in wanted:
        return isinstance(value, str) and re.search(wanted["$matches"], value) is not None
    return isinstance(value, dict) and all(_holds(value.get(name), inner) for name, inner in wanted.items())


def _number(context: Context, name: str, default: int) -> int:
    value = str(context.query.get(name, default))
    return int(value) if re.fullmatch(r"[0-9]{1,9}", value) else default


def _at(item: Json, path: str) -> Json:
    for part in path.split("."):
        item = item.get(part) if isinstance(item, dict) else None
    return item


def _equals(value: Json, text: Json) -> bool:
    """Compare a stored value with one from a URL."""
    if isinstance(value, bool):
        return str(value).lower() == str(text).lower()
    return value is not None and (value == text or str(value) == str(text))


def _singular(collection: str) -> str:
    """Return a collection's name for one thing of it: ``notes`` is ``Note``."""
    word = collection.replace("_", " ")
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("people", "person"), ("s", "")):
        if word.endswith(ending) and not word.endswith("ss"):
            word = word[: -len(ending)] + instead
            break
    return word[:1].upper() + word[1:]

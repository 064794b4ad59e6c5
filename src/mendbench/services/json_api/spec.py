"""The state of ``json_api``: how a case invents a service.

One case may invent several. Each has a name of its own under ``apis``; a case with a single one may write its keys
at the top. A key that does not stand here is an error (:mod:`mendbench.services.json_api.shape` has all of them with their types)::

    {"apis": {"tide-ledger": {
      "host": "api.tide-ledger.example",          # or "hosts": [...]
      "auth": {"header": "Authorization",         # absent or null: no auth. Authorization holds "Bearer <token>"
               "scheme": "Bearer",                # what stands before the token there
               "query": "api_key",                # optional: the token may come in the query too
               "tokens": {"${canary:tide}": {"routes": ["GET /v2/people/{id}"], "expired": false}}},
                                                  # no tokens: any is good. routes: only these are allowed (else 403)
      "error_style": "fastapi",                   # see below; "http_status": true is for ok_false
      "words": {"Field required": "Feld erforderlich"},   # texts of refusals in the API's own language
      "with_errors": {"request_id": "{request_id}"},      # fields of every refusal that is a JSON object
      "collections": {"people": {"p-17": {"id": "p-17", "email": "ada@x.example"}}},
      "wrap": {"one": "data", "many": "items", "total": "total", "extra": {"ok": true}},   # optional; none: bare
      "routes": {
        "GET /v2/people":        {"collection": "people", "action": "list", "query": {"limit": {"type": "integer"}}},
        "GET /v2/people/{id}":   {"collection": "people", "action": "get", "missing": "Person not found"},
        "GET /v2/find":          {"collection": "people", "action": "lookup", "by": "email"},
        "POST /v2/notes":        {"collection": "notes", "action": "create", "schema": {...},
                                  "id": {"prefix": "n-", "start": 40}, "defaults": {"state": "open"},
                                  "stamp": "created_at", "unique": ["slug"],
                                  "references": {"person_id": "people"}, "rules": [...]},
        "PATCH /v2/people/{id}": {"collection": "people", "action": "update"},
        "DELETE /v2/notes/{id}": {"collection": "notes", "action": "delete"},
        "GET /health":           {"action": "static", "status": 200, "headers": {}, "body": {"up": true}}},
      "at_first": {"GET /v2/people": [{"status": 503, "body": "…", "headers": {"Retry-After": "20"}, "times": 2}]}}}}

``at_first`` holds failures that pass (:mod:`mendbench.services.json_api.transient_failures`). ``failures``, which every service has,
count all requests to a route. Texts in routes, ``with_errors`` and ``at_first`` may hold what changes with each request: ``{request_id}``,
``{uuid}``, ``{timestamp}``, ``{http_date}``, ``{http_date+20}`` (:mod:`mendbench.services.json_api.volatile`).

Routes
    ``METHOD /path``; ``{name}`` takes one part of the path, ``{name*}`` the rest. The first that fits answers. A
    known path with another method is a 405, an unknown path a 404.
Actions
    ``get``, ``update`` (PATCH merges, PUT replaces) and ``delete`` find their thing by the path's last parameter;
    ``list`` filters by equality on any query name that a stored thing has (``owner.team`` reaches inside) and takes
    ``limit`` and ``offset``; ``lookup`` finds one thing by the field ``by``, whose value stands in the query or the
    path under that name, or under ``from``; ``create`` stores the body under a new id; ``static`` always answers the
    same (``repeat``: ``{"times": 9000, "under": "rows", "item": {"n": "{n}"}}`` makes it long); ``refuse`` says ``status`` and
    ``detail`` in the API's error style; ``start`` keeps a job and answers 202, ``job`` reports its progress (``polls``: so many
    times ``running``, then ``done``; ``retry_after`` seconds meanwhile; ``queued``, ``running``, ``done``: what it says then).
Route keys
    ``schema`` checks the body, ``query`` and ``params`` (names to schemas, with ``required: true``) the query and
    the path. ``status`` replaces the usual status of success, ``wrap`` the API's wrapping, ``elapsed_ms`` the time.
    ``body_format``: ``json`` (default), ``form`` or ``any``. ``key``: the name of the id field (``id``), which every
    record of the collection then has. A ``collection`` stands under ``collections``, or a ``create`` or ``start`` makes it.
    ``paging`` of a list: ``{"by": "offset" | "page" | "cursor", "size": 20, "parameter": "cursor", "next": "meta.next",
    "size_parameter": "limit"}``; pages have a Link header. ``etag``: true, or ``required`` for updates (304, 412, 428).
    ``version``: a field that an update has to send as it is stored (409) and that counts up. ``location``: the header of
    a 201 or 202, ``{id}`` in it; ``links`` of a ``start``: the same in the body. ``empty``: success has no body. ``detail``
    and ``headers`` of ``refuse`` and ``static`` may hold the path's parameters.
Schemas
    JSON Schema's ``type``, ``required``, ``properties``, ``additionalProperties`` (true or false), ``items``, ``enum``, ``minimum``,
    ``maximum``, ``exclusiveMinimum``, ``exclusiveMaximum``, ``multipleOf``, ``minLength``, ``maxLength``, ``minItems``, ``maxItems``,
    ``pattern``, and ``title`` and ``description``, which check nothing. Any other keyword, such as ``format``, is an error.
Rules
    ``{"when": {"body": {"qty": {"$above": 100}}, "query": {...}, "path": {...}, "stored": {...}}, "status": 403, "detail": "Too many",
    "body": {...}, "headers": {...}}``: the first that holds refuses. A ``when`` is a subset; a value is a literal or
    one of ``{"$above": n}``, ``{"$below": n}``, ``{"$absent": true}``, ``{"$matches": "regular expression"}``, each alone in its object.
    Without ``body`` the refusal is in the API's error style, with ``detail`` as its text.
Order
    scripted failures, route (404, 405), auth (401, 403), path and query, body format, schema, references (404),
    unique (409), rules, action.
Error styles
    ``fastapi``: ``{"detail": …}`` with pydantic's texts. ``problem``: RFC 9457. ``jsonapi``: JSON:API. ``spring``: Spring Boot with
    message and binding errors; ``spring_bare``: without, as is its default. ``rails``, ``drf`` (Django REST framework), ``aspnet``,
    ``aws`` (``__type``): as those do. ``plain``: text. ``ok_false``: ``{"ok": false, "error": …}`` with HTTP 200, or with the
    real status if ``http_status`` is true. Texts are taken for numbers where the framework does so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

from mendbench.model.json import JsonObject

Style = Literal[
    "fastapi", "problem", "plain", "ok_false", "jsonapi", "spring", "spring_bare", "rails", "drf", "aspnet", "aws",
]  # fmt: skip
Action = Literal["get", "list", "lookup", "create", "update", "delete", "static", "refuse", "start", "job"]
_API_KEYS = {"routes", "host", "hosts"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One declared route."""

    key: str
    """``METHOD /path`` as declared."""
    method: str
    path: str
    action: Action
    collection: str
    options: JsonObject
    """The other keys of the route."""

    def table(self, name: str) -> JsonObject:
        """Return one of the options that are objects; empty if absent."""
        value = self.options.get(name)
        return value if isinstance(value, dict) else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Api:
    """One invented API."""

    name: str
    hosts: tuple[str, ...]
    auth: JsonObject | None
    style: Style
    http_status: bool
    wrap: JsonObject
    routes: tuple[Route, ...]
    words: dict[str, str]
    """Texts of refusals and their replacements."""
    with_errors: JsonObject
    """Fields of every refusal that is a JSON object."""


def read_apis(state: JsonObject) -> tuple[Api, ...]:
    """Return the APIs that a state declares."""
    found = [_api(name, record) for name, record in (state.get("apis") or {}).items()]
    if _API_KEYS & set(state):
        found.append(_api("", state))
    return tuple(found)


def data_of(draft: JsonObject, api: Api) -> JsonObject:
    """Return the part of the state that belongs to ``api``, to change."""
    return cast("JsonObject", draft["apis"][api.name] if api.name else draft)


def _api(name: str, record: JsonObject) -> Api:
    return Api(
        name=name,
        hosts=tuple(host.lower() for host in record.get("hosts") or [record["host"]]),
        auth=record.get("auth"),
        style=record.get("error_style", "fastapi"),
        http_status=bool(record.get("http_status")),
        wrap=record.get("wrap") or {},
        words=record.get("words") or {},
        with_errors=record.get("with_errors") or {},
        routes=tuple(_route(key, options) for key, options in (record.get("routes") or {}).items()),
    )


def _route(key: str, options: JsonObject) -> Route:
    method, _, path = key.partition(" ")
    action, collection = cast("Action", options["action"]), options.get("collection", "")
    return Route(key=key, method=method, path=path, action=action, collection=collection, options=options)

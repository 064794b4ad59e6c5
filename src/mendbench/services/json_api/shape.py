"""The shape of the state of ``json_api``. :mod:`mendbench.services.json_api.spec` describes the keys."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from mendbench.model.json import Json, JsonObject
from mendbench.services.json_api.keywords import Parameter, Schema
from mendbench.services.json_api.spec import Action, Style
from mendbench.services.json_api.transient_failures import PAGES
from mendbench.services.shape import (
    METHODS,
    Count,
    Failure,
    Failures,
    Flag,
    Number,
    Object,
    Plain,
    Requests,
    Shape,
    Simulated,
    Status,
    Table,
    Text,
    Texts,
    Whole,
    is_expression,
    misfit,
    unknown,
)
from mendbench.values.schema import shown

Collections: TypeAlias = Table[Table[JsonObject]]
_MAKING = frozenset({"create", "start"})
"""Actions that create objects."""
_FIXED = frozenset({"static", "refuse"})
"""Actions without a collection."""
BY_ID = frozenset({"get", "update", "delete", "job"})
"""Actions that find their object by its id."""


class Wrap(Shape):
    """The wrapping of an object, or of a list of objects, in a response."""

    one: Text = None
    many: Text = None
    total: Text = None
    extra: Object = None


class NewId(Shape):
    """How the ids of new objects are formed."""

    prefix: Text = None
    start: Whole = None


class Paging(Shape):
    """How a list is divided into pages."""

    by: Literal["offset", "page", "cursor"] | None = None
    size: Count = None
    parameter: Text = None
    size_parameter: Text = None
    next: Text = None


class Repeat(Shape):
    """Similar rows."""

    times: Count = None
    under: Text = None
    item: Any = None


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_OPERATORS: Mapping[str, Any] = {
    "$above": _is_number, "$below": _is_number, "$absent": lambda value: isinstance(value, bool), "$matches": is_expression,
}  # fmt: skip
"""The comparisons that a condition may use, and whether a value is valid for each."""


def _conditions(value: JsonObject) -> JsonObject:
    for error in _odd(value, ()):
        raise error
    return value


def _odd(value: Json, place: tuple[str, ...]) -> Iterator[PydanticCustomError]:
    """Yield the errors of a condition."""
    for name, inner in value.items() if isinstance(value, dict) else ():
        here = (*place, name)
        if not name.startswith("$"):
            yield from _odd(inner, here)
        elif name not in _OPERATORS:
            yield unknown("operator", name, _OPERATORS, *here)
        elif len(value) > 1:
            yield misfit(f"{name} beside other keys, which are not compared", "write one operator alone", *here)
        elif not _OPERATORS[name](inner):
            advice = "$above and $below need a number, $absent true or false, $matches a regular expression"
            yield misfit(f"{name} of {shown(inner)}", advice, *here)


Conditions: TypeAlias = Annotated[JsonObject, AfterValidator(_conditions)] | None


class When(Shape):
    """The conditions under which a rule applies."""

    body: Conditions = None
    query: Conditions = None
    path: Conditions = None
    stored: Conditions = None


class Rule(Shape):
    """A rule: when a request is refused, and how."""

    when: When | None = None
    status: Status = None
    detail: Plain = None


class HttpRule(Rule):
    """A rule of an API. It may define its whole response."""

    body: Any = None
    headers: Table[Plain] = None


class Doing(Shape):
    """The action of a route, or of a tool of an MCP server."""

    action: Action | None = None
    collection: Text = None
    key: Text = None
    by: Text = None
    from_: Text = Field(None, alias="from")
    id: NewId | None = None
    defaults: Object = None
    stamp: Text = None
    unique: Texts = None
    references: Table[str] = None
    paging: Paging | None = None
    version: Text = None
    missing: Plain = None
    wrap: Wrap | None = None
    status: Status = None
    elapsed_ms: Count = None
    body: Any = None
    repeat: Repeat | None = None
    detail: Plain = None
    links: Table[str] = None
    queued: Object = None
    running: Object = None
    done: Object = None
    polls: Count = None
    empty: Flag = None

    @model_validator(mode="after")
    def _complete(self) -> Doing:
        if self.action is not None and self.action not in _FIXED and not self.collection:
            raise misfit(f"action {self.action} without a collection", 'name a "collection"')
        if self.action == "lookup" and not self.by:
            raise misfit("action lookup without a field", 'name the field in "by"')
        return self


class Route(Doing):
    """A route of an API."""

    action: Action
    schema_: Schema | None = Field(None, alias="schema")
    query: Table[Parameter] = None
    params: Table[Parameter] = None
    body_format: Literal["json", "form", "any"] | None = None
    rules: list[HttpRule] | None = None
    etag: Literal[True, False, "required"] | None = None
    headers: Table[Plain] = None
    location: Text = None
    retry_after: Number = None


class Passing(Failure):
    """A temporary failure: see :mod:`mendbench.services.json_api.transient_failures`."""

    page: Literal["nginx", "elb"] | None = None
    writes: Annotated[list[int], Field(min_length=2, max_length=2)] | None = None

    @model_validator(mode="after")
    def _has_a_page(self) -> Passing:
        if self.page is not None and self.status not in PAGES:
            raise misfit(
                f"page {self.page} for status {self.status}", f"use one of {', '.join(map(str, sorted(PAGES)))}"
            )
        return self


class Token(Shape):
    """The routes that a token permits, and whether it has expired."""

    routes: Texts = None
    expired: Flag = None


class Auth(Shape):
    """How requests are authenticated."""

    header: Text = None
    scheme: Text = None
    query: Text = None
    tokens: Table[Token] = None


def _route_key(key: str) -> str:
    method, _, path = key.partition(" ")
    if method not in METHODS or not path.startswith("/"):
        raise misfit(f"{key!r} is no route", 'write "METHOD /path", such as "GET /v2/people/{id}"')
    return key


class Api(Simulated):
    """An invented API."""

    host: Text = None
    hosts: Texts = None
    auth: Auth | None = None
    error_style: Style | None = None
    http_status: Flag = None
    words: Table[str] = None
    with_errors: Object = None
    collections: Collections = None
    wrap: Wrap | None = None
    routes: dict[Annotated[str, AfterValidator(_route_key)], Route | None] | None = None
    at_first: Requests[list[Passing]] = None
    failures: Failures = None

    @model_validator(mode="after")
    def _consistent(self) -> Api:
        routes = {key: route for key, route in (self.routes or {}).items() if route is not None}
        for key, route in routes.items():
            if route.action in BY_ID and "{" not in key:
                raise misfit(
                    f"action {route.action} without an id in the path", "put a {name} into the path", "routes", key
                )
        refuse_odd_names("routes", routes, self.collections)
        for token, record in ((self.auth and self.auth.tokens) or {}).items():
            for at, name in enumerate((record and record.routes) or ()):
                if name not in routes:
                    raise unknown("route", name, routes, "auth", "tokens", token, "routes", at)
        return self

    @property
    def all_hosts(self) -> list[str]:
        """The hosts of the API."""
        return [host.lower() for host in self.hosts or ([self.host] if self.host else [])]


class Named(Api):
    """An invented API with its own name."""

    @model_validator(mode="after")
    def _has_a_host(self) -> Named:
        if not self.all_hosts:
            raise misfit("an API without a host", 'give it a "host"')
        return self


class State(Api):
    """Invented APIs by name. A single API may be at the top level."""

    apis: Table[Named] = None

    @model_validator(mode="after")
    def _has_hosts(self) -> State:
        if self.routes and not self.all_hosts:
            raise misfit("an API without a host", 'give it a "host"')
        hosts = [*self.all_hosts, *(host for api in (self.apis or {}).values() if api for host in api.all_hosts)]
        if not hosts:
            raise misfit("no API", 'declare one under "apis", with "host" and "routes"')
        if doubles := sorted({host for host in hosts if hosts.count(host) > 1}):
            raise misfit(f"two APIs claim {doubles[0]!r}", "give each host to one API")
        return self


def refuse_odd_names(under: str, doings: Mapping[str, Doing], collections: Collections) -> None:
    """Refuse names of collections, and of fields of their records, that the data does not have.

    ``under`` is the key that contains the routes or tools.

    Raises:
        PydanticCustomError: a route or a tool has such a name, or a record lacks the field of its id.
    """
    data = {
        name: {key: record for key, record in (records or {}).items() if record is not None}
        for name, records in (collections or {}).items()
    }
    known = {*data, *(doing.collection for doing in doings.values() if doing.action in _MAKING and doing.collection)}
    for key, doing in doings.items():
        for place, name in [
            (("collection",), doing.collection),
            *((("references", k), v) for k, v in (doing.references or {}).items()),
        ]:
            if name and name not in known:
                raise unknown("collection", name, known, under, key, *place)
        records = data.get(doing.collection or "", {})
        fields = {field for record in records.values() for field in record}
        if doing.by and records and doing.by.partition(".")[0] not in fields:
            raise unknown("field", doing.by, fields, under, key, "by")
        _refuse_without_id(doing.collection or "", doing.key or "id", records, needed=bool(doing.key) or "id" in fields)


def _refuse_without_id(collection: str, field: str, records: Mapping[str, JsonObject], *, needed: bool) -> None:
    """Refuse a record with a misspelt id field, and one without an id where it is ``needed``."""
    for name, record in records.items():
        close = difflib.get_close_matches(field, map(str, record), n=1) if field not in record else []
        if close and (needed or str(record[close[0]]) == name):
            raise misfit(
                f"unknown key {close[0]!r}", f"did you mean {field!r}?", "collections", collection, name, close[0]
            )
        if needed and field not in record:
            raise misfit(
                f"a record without {field!r}", "add it: it is the field of the id", "collections", collection, name
            )

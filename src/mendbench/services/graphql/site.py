"""The context of a resolver: the state of its API, the caller, and the errors it can raise.

The state is the JSON object that ``seed.json`` shows. :mod:`mendbench.services.graphql.shape` has all keys; any other key is an error::

    me             the login that requests are made as, unless the token names another
    tokens         {"<token>": {login, scopes: [...], status: active|revoked}};
                   empty: every well-formed token is good and has all scopes. A missing ``scopes`` means all.
    tracker        users {login: {name, email}}; repositories {"owner/name": {description, is_private, labels {name:
                   {color, description}}, issues {"<number>": {title, body, author, assignee, state, state_reason,
                   swell, labels: [name], comments: [{body, author, created_ms}], created_ms}}}}
    lab            custodians, lockers, specimens, requisitions by id (lockers by code);
                   throttle {maximum, available, restore}: a request that costs more than is available is throttled
    rate_limited   {"tracker" or "lab": {times}}: the next ``times`` requests exceed the limit; without it all
    renamed        {"Type.field" or "Enum.VALUE" or "Input.field": "new name"}: its name in the schema, for
                   both APIs; the state keeps the old names
    failures       see :mod:`mendbench.services.scripted`; the routes are ``POST /graphql`` and the operation's root
                   fields, such as ``requisitionPlace``
    counters       counts that ids are made from: accepted writes, and the objects they created
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

from mendbench.model.json import Json, JsonObject

MALFORMED_MARKS = ("{{", "}}", "${")
"""A token that still contains template markers is invalid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """The caller."""

    login: str
    scopes: tuple[str, ...] | None = None
    """The token's scopes; None means all."""

    def may(self, scope: str) -> bool:
        """Return whether the token has ``scope``."""
        return self.scopes is None or scope in self.scopes


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphQLRequest:
    """A GraphQL request: its query, its variables, and the name of the operation to run."""

    query: str
    variables: JsonObject
    operation: str | None = None


@dataclass(slots=True, kw_only=True)
class Site:
    """One request that the resolvers handle. They may change ``draft``, which becomes the new state."""

    draft: JsonObject
    name: str
    """The key of this API in the state."""
    caller: Caller
    now_ms: int
    refused: bool = field(default=False)
    """Whether a mutation returned ``userErrors``. Then no change of the request is kept."""

    def part(self, name: str) -> JsonObject:
        """Return one collection of this API's state."""
        found: JsonObject = self.draft.setdefault(self.name, {}).setdefault(name, {})
        return found


class Refused(Exception):
    """Ends a field with null and an error: ``kind`` is GitHub's ``type``, ``code`` the code in the extensions."""

    def __init__(
        self, message: str, *, kind: str | None = None, code: str | None = None, extra: JsonObject | None = None
    ) -> None:
        super().__init__(message)
        self.message, self.kind, self.code, self.extra = message, kind, code, extra or {}


class UserErrors(Exception):
    """Ends a mutation with ``userErrors``: pairs of field path, message and code."""

    def __init__(self, *entries: tuple[Sequence[str], str, str]) -> None:
        super().__init__("; ".join(message for _, message, _ in entries))
        self.entries: list[Json] = [
            {"field": list(path), "message": message, "code": code} for path, message, code in entries
        ]


def site_of(info: Json) -> Site:
    """Return the site from a resolver's ``info``."""
    return cast("Site", info.context)

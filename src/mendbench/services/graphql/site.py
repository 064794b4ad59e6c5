"""What a resolver works on: the state of its API, who asks, and how it says no.

The state is the JSON object that ``seed.json`` shows. :mod:`mendbench.services.graphql.shape` has all keys; any other key is an error::

    me             the login that requests are made as, unless the token says otherwise
    tokens         {"<token>": {login, scopes: [...], status: active|revoked}};
                   empty: every well-formed token is good and has all scopes. A missing ``scopes`` means all.
    tracker        users {login: {name, email}}; repositories {"owner/name": {description, is_private, labels {name:
                   {color, description}}, issues {"<number>": {title, body, author, assignee, state, state_reason,
                   swell, labels: [name], comments: [{body, author, created_ms}], created_ms}}}}
    lab            custodians, lockers, specimens, requisitions by id (lockers by code);
                   throttle {maximum, available, restore}: a request that costs more than is available is throttled
    rate_limited   {"tracker" or "lab": {times}}: so many times any request meets the limit; without ``times`` for ever
    renamed        {"Type.field" or "Enum.VALUE" or "Input.field": "new name"}: what the schema calls it instead, for
                   both APIs; the state keeps the old names
    failures       see :mod:`mendbench.services.scripted`; the routes are ``POST /graphql`` and the operation's root
                   fields, such as ``requisitionPlace``
    counters       counts that ids are made from: of accepted writes, and of what they made
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

from mendbench.model.json import Json, JsonObject

MALFORMED_MARKS = ("{{", "}}", "${")
"""A token that still has the marks of a template in it is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who asks."""

    login: str
    scopes: tuple[str, ...] | None = None
    """What the token was granted; None for everything."""

    def may(self, scope: str) -> bool:
        """Return whether the token was granted ``scope``."""
        return self.scopes is None or scope in self.scopes


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What a GraphQL request asks: its query, its variables, and the name of the operation to run."""

    query: str
    variables: JsonObject
    operation: str | None = None


@dataclass(slots=True, kw_only=True)
class Site:
    """One request on its way through the resolvers. ``draft`` is theirs to change; it becomes the new state."""

    draft: JsonObject
    name: str
    """Which part of the state is this API's."""
    caller: Caller
    now_ms: int
    refused: bool = field(default=False)
    """Whether a mutation said no by way of ``userErrors``: then nothing of the request stays."""

    def part(self, name: str) -> JsonObject:
        """Return one collection of this API's state."""
        found: JsonObject = self.draft.setdefault(self.name, {}).setdefault(name, {})
        return found


class Refused(Exception):
    """Ends a field with null and an error: ``kind`` is GitHub's ``type`` of it, ``code`` the extension's."""

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

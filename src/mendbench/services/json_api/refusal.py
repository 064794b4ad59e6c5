"""A refusal independent of the error style: what was wrong, and in which part of the request."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from mendbench.model.exchange import Headers
from mendbench.model.json import Json, JsonObject
from mendbench.services.json_api.schema import Violation
from mendbench.services.wire import JSON_TYPE

Reason: TypeAlias = Literal[
    "declared", "no_route", "wrong_method", "no_token", "bad_token", "no_rights", "missing_thing", "missing_reference", "taken",
    "empty_body", "bad_json", "no_object", "media_type", "violations", "changed", "unconditional",
]  # fmt: skip
"""Why a request is refused. declared: the case wrote the message. changed: the object is not the version that the caller
saw. unconditional: the request states no version."""


class RefusedError(Exception):
    """Ends a request.

    ``where`` is the part of the request that the violations are about: body, query or path. ``about`` and ``value`` are
    the field, method, media type or id that is refused. ``raw`` is FastAPI's own list of errors. ``body`` is a body
    that a case wrote.
    """

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        reason: Reason = "declared",
        about: str = "",
        value: Json = None,
        violations: tuple[Violation, ...] = (),
        where: str = "body",
        raw: list[JsonObject] | None = None,
        headers: Headers = (),
        body: Json = None,
    ) -> None:
        super().__init__(detail)
        self.status, self.detail, self.violations, self.where = status, detail, violations, where
        self.reason, self.about, self.value = reason, about, value
        self.raw, self.headers, self.body = raw, headers, body


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The facts about the refused request that a style may include."""

    method: str
    path: str
    host: str
    thing: str
    """The capitalised singular of the route's collection: ``Note``."""
    request_id: str
    """32 hexadecimal digits."""
    at_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Dressed:
    """A refusal in the format of one style."""

    status: int
    body: Json
    content_type: str = JSON_TYPE
    headers: Headers = field(default=())

"""The Stripe service: the order of Stripe's checks, and the response headers.

The order: key (401), rate limit (429), URL (404), encoding (400), idempotency key (400, or the earlier response),
unknown parameters, missing ones, types, referenced objects (404 in the path, 400 in a parameter), state of the payment,
card (402). This order is an assumption, except that the key comes first.
"""

from __future__ import annotations

import copy
import re
from dataclasses import dataclass

from mendbench.io.canonical_json import digest
from mendbench.model.exchange import Headers, Request, Response
from mendbench.model.json import JsonObject
from mendbench.services.payments.errors import (
    StripeError,
    key_reused,
    rate_limited,
)
from mendbench.services.payments.form import nested, read_pairs
from mendbench.services.payments.normalisation import meant
from mendbench.services.payments.routes import Route, find_route
from mendbench.services.payments.schema import read_params
from mendbench.services.payments.state import Context, identify
from mendbench.services.scripted import next_failure, take_limit
from mendbench.services.wire import Call, json_response, left_by, load_seed, read_call, request_digest

_REFUSED_MS = 92
"""The response time if no endpoint ran."""
_TYPE = "application/json"
_VERSION = re.compile(r"\d{4}-\d{2}-\d{2}(\.[a-z]+)?")
_DEFAULT_VERSION = "2024-06-20"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A request that passed the checks."""

    route: Route
    path: dict[str, str]
    pairs: list[tuple[str, str]]
    key: str
    """The idempotency key of a POST; empty if there is none."""
    request: str
    """A digest of the request, to detect another use of the key."""


class Payments:
    """Stripe. :mod:`mendbench.services.payments.state` documents its state."""

    name = "payments"
    hosts: tuple[str, ...] = ("api.stripe.com",)

    def seed(self) -> dict[str, object]:
        """Return the account of a shop for boat parts, with prices, customers and cards."""
        return load_seed(__package__ or "")

    def response(self, state: dict[str, object], request: Request, now_ms: int) -> tuple[dict[str, object], Response]:
        """Return the state after ``request`` and Stripe's response."""
        draft: JsonObject = copy.deepcopy(state)
        call = read_call(request)
        number = f"req_{request_digest(draft, request, 14)}"
        headers = _headers(draft, call, number)
        found = find_route(call)
        planned = next_failure(draft, [f"{call.method} {call.path}", *([found[0].key] if found else [])])
        if planned and not planned.applied:
            return draft, planned.response
        try:
            identify(draft, call)
            limit = draft.get("rate_limited")
            if limit is not None and take_limit(limit):
                return draft, _refused(rate_limited(limit.get("retry_after")), headers, number)
            asked = _read(call, found)
            replayed = _replayed(draft, asked, headers)
            if replayed:
                return draft, replayed
            changed = copy.deepcopy(draft)
            body = _run(changed, asked, call, now_ms)
        except StripeError as refusal:
            return draft, _refused(refusal, headers, number)
        if asked.key:
            changed.setdefault("idempotency", {})[asked.key] = {"request": asked.request, "body": body}
        response = json_response(200, body, elapsed_ms=asked.route.elapsed_ms, headers=headers, content_type=_TYPE)
        left = left_by(request, response, draft, changed)
        return left, planned.response if planned else response

    def canonical(self, request: Request) -> Request | None:
        """Return the normalised ``request``, or None if it cannot be normalised."""
        return meant(request)


def _read(call: Call, found: tuple[Route, dict[str, str]] | None) -> _Asked:
    if found is None:
        raise StripeError(404, f"Unrecognized request URL ({call.method}: {call.path}).")
    pairs = read_pairs(call)
    key = call.header("idempotency-key") if call.method == "POST" else ""
    request = digest([call.method, call.path, sorted(map(list, pairs))])
    return _Asked(route=found[0], path=found[1], pairs=pairs, key=key, request=request)


def _replayed(draft: JsonObject, asked: _Asked, headers: Headers) -> Response | None:
    """Return the earlier response for the key, or None if the key is new."""
    earlier = (draft.get("idempotency") or {}).get(asked.key) if asked.key else None
    if earlier is None:
        return None
    if earlier["request"] != asked.request:
        raise key_reused(asked.key)
    again = (*headers, ("idempotent-replayed", "true"))
    return json_response(200, earlier["body"], elapsed_ms=_REFUSED_MS, headers=again, content_type=_TYPE)


def _run(changed: JsonObject, asked: _Asked, call: Call, now_ms: int) -> JsonObject:
    values = read_params(nested(asked.pairs), asked.route.takes)
    given = {name: value for name, value in values.items() if name != "expand"}
    context = Context(draft=changed, path=asked.path, values=given, url=call.path, now_ms=now_ms)
    return copy.deepcopy(asked.route.run(context))


def _headers(draft: JsonObject, call: Call, number: str) -> Headers:
    wished, key = call.header("stripe-version"), call.header("idempotency-key")
    version = wished if _VERSION.fullmatch(wished) else str(draft.get("api_version") or _DEFAULT_VERSION)
    headers: Headers = (("request-id", number), ("stripe-version", version))
    return (*headers, ("idempotency-key", key)) if key and call.method == "POST" else headers


def _refused(refusal: StripeError, headers: Headers, number: str) -> Response:
    every = (*headers, *refusal.headers)
    return json_response(
        refusal.status, refusal.body(number), elapsed_ms=_REFUSED_MS, headers=every, content_type=_TYPE
    )

"""The account state: the keys, the stored objects, and how Stripe shows them.

The state is the JSON object that ``seed.json`` shows. :mod:`mendbench.services.payments.shape` has all keys; any other key is an error::

    tokens             {"<key>": {status: active|expired}}; empty: every key is good
    account            the account's id
    api_version        the ``Stripe-Version`` unless the caller sets one
    customers          {"cus_…": {name, email, metadata, invoice_settings: {default_payment_method}, …}}
    products           {"prod_…": {name, active, …}}
    prices             {"price_…": {product, unit_amount, currency, active, nickname, recurring: {interval}, …}}
    payment_methods    {"pm_…": {customer, card: {brand, last4}, declines: "<decline code>"}}: with ``declines`` every
                       charge is declined with that code; it is not shown
    payment_intents, charges, refunds, checkout_sessions, subscriptions
                       {"<id>": an object from the API or the case}
    idempotency        {"<Idempotency-Key>": {request, body}}: accepted responses by key
    rate_limited       {times, retry_after}: the next ``times`` requests get HTTP 429; without it all
    failures           see :mod:`mendbench.services.scripted`; a route is ``POST /v1/customers/{id}`` or the path itself
    counters           counts that ids are made from

A refused request does not change the state. Unlike in Stripe, a declined creation makes no payment, and an idempotency
key stores only accepted responses. ``expand`` is accepted and has no effect.
"""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from typing import cast

from mendbench.io.canonical_json import digest
from mendbench.model.json import Json, JsonObject
from mendbench.services.payments.errors import invalid_key, no_key, no_such
from mendbench.services.wire import Call, accepted_writes, next_count

_PREFIX = re.compile(r"(?:sk|rk|pk)_(?:test|live)_")
_STARS = "*" * 20
_WORD = {
    "customers": "customer",
    "products": "product",
    "prices": "price",
    "payment_methods": "PaymentMethod",
    "payment_intents": "payment_intent",
    "charges": "charge",
    "refunds": "refund",
    "checkout_sessions": "checkout.session",
    "subscriptions": "subscription",
}
"""By collection: the name of one object in messages."""
_HIDDEN = {"declines"}
_DEFAULTS: dict[str, JsonObject] = {
    "customers": {"email": None, "name": None, "description": None, "metadata": {}, "balance": 0, "currency": None},
    "products": {"active": True, "name": "", "description": None, "metadata": {}},
    "prices": {"active": True, "currency": "usd", "metadata": {}, "nickname": None, "product": None, "recurring": None},
    "payment_methods": {"type": "card", "customer": None, "metadata": {}},
    "payment_intents": {"amount_received": 0, "customer": None, "description": None, "metadata": {}},
    "charges": {"amount_refunded": 0, "refunded": False, "paid": True, "status": "succeeded", "metadata": {}},
    "refunds": {"metadata": {}, "reason": None, "status": "succeeded"},
    "checkout_sessions": {"client_reference_id": None, "customer": None, "metadata": {}, "payment_status": "unpaid"},
    "subscriptions": {"metadata": {}, "status": "active"},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """One call that an endpoint handles. The endpoint may change ``draft``, which becomes the new state."""

    draft: JsonObject
    path: dict[str, str]
    values: JsonObject
    """The parameters, converted to their types."""
    url: str
    """The path as requested."""
    now_ms: int

    def part(self, name: str) -> JsonObject:
        """Return one collection of the state."""
        found: JsonObject = self.draft.setdefault(name, {})
        return found

    def named(self, collection: str, given: str, param: str, *, in_path: bool = False) -> JsonObject:
        """Return the object with the id ``given``.

        Raises:
            StripeError: ``resource_missing``: 404 if the id is in the path, else 400.
        """
        found = self.part(collection).get(given)
        if found is None:
            raise no_such(_WORD[collection], given, param, in_path=in_path)
        return cast("JsonObject", found)

    def make(self, collection: str, prefix: str, record: JsonObject) -> str:
        """Store a new object and return its id."""
        count = next_count(self.draft, collection)
        made = f"{prefix}_{digest([prefix, count, accepted_writes(self.draft)], 24)}"
        self.part(collection)[made] = {"created": self.now_ms // 1000, **record}
        return made

    def show(self, collection: str, thing: str) -> JsonObject:
        """Return an object as Stripe shows it."""
        record = self.part(collection)[thing]
        kind = {"PaymentMethod": "payment_method"}.get(_WORD[collection], _WORD[collection])
        shown = {name: value for name, value in record.items() if name not in _HIDDEN}
        common: JsonObject = {"id": thing, "object": kind, "created": 1_760_000_000, "livemode": False}
        return {**common, **_DEFAULTS[collection], **shown}


def identify(draft: JsonObject, call: Call) -> None:
    """Check the key, which is a bearer token or the user of basic authentication.

    Raises:
        StripeError: 401. The message stars the whole key, while Stripe leaves the last four characters.
    """
    scheme, _, rest = call.header("authorization").partition(" ")
    key = rest.strip()
    if scheme.lower() not in {"bearer", "basic"} or not key:
        raise no_key()
    tokens = draft.get("tokens") or {}
    known = _match(tokens, key, basic=scheme.lower() == "basic") if tokens else {}
    if known is None or "{{" in key or " " in key or known.get("status") == "expired":
        prefix = _PREFIX.match(key)
        expired = bool(known) and known is not None and known.get("status") == "expired"
        raise invalid_key((prefix.group() if prefix else "") + _STARS, expired=expired)


def _match(tokens: JsonObject, key: str, *, basic: bool) -> JsonObject | None:
    if not basic:
        return cast("JsonObject | None", tokens.get(key))
    return next((record for token, record in tokens.items() if _basic(token) == key), None)


def _basic(token: str) -> str:
    return base64.b64encode(f"{token}:".encode()).decode()


def merged(record: JsonObject, values: JsonObject) -> None:
    """Apply an update to a stored object. Metadata merges, and an empty value in it removes a key."""
    for name, value in values.items():
        if name == "metadata" and isinstance(value, dict):
            kept: dict[str, Json] = {**(record.get("metadata") or {}), **value}
            record["metadata"] = {key: item for key, item in kept.items() if item != ""} if value else {}
        else:
            record[name] = value

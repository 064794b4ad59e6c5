"""The shape of an account. :mod:`mendbench.services.payments.state` describes the keys.

The API shows the records of customers, prices and so on as they are. So these records may have further fields.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from mendbench.services.payments.errors import DECLINES
from mendbench.services.shape import Failures, Flag, Limit, Object, Record, Shape, Simulated, Table, Text, Whole, one_of


class Token(Shape):
    """The status of a key."""

    status: Literal["active", "expired"] | None = None


class _Thing(Record):
    created: Whole = None
    metadata: Object = None


class Customer(_Thing):
    """A customer."""

    name: Text = None
    email: Text = None
    description: Text = None
    invoice_settings: Object = None


class Product(_Thing):
    """A product."""

    name: Text = None
    active: Flag = None


class Price(_Thing):
    """A price."""

    product: Text = None
    unit_amount: Whole = None
    currency: Text = None
    active: Flag = None
    nickname: Text = None
    recurring: Object = None


class PaymentMethod(_Thing):
    """A payment method."""

    customer: Text = None
    type: Text = None
    card: Object = None
    declines: Annotated[str, one_of("decline code", DECLINES)] | None = None


class PaymentIntent(_Thing):
    """A payment."""

    amount: int
    currency: str
    status: Literal[
        "requires_payment_method", "requires_confirmation", "requires_action", "processing", "requires_capture", "canceled",
        "succeeded",
    ]  # fmt: skip
    customer: Text = None
    payment_method: Text = None
    capture_method: Literal["automatic", "automatic_async", "manual"] | None = None
    amount_received: Whole = None
    latest_charge: Text = None


class Charge(_Thing):
    """A charge."""

    amount: int
    currency: str
    amount_refunded: Whole = None
    refunded: Flag = None
    customer: Text = None
    payment_intent: Text = None
    payment_method: Text = None


class Refund(_Thing):
    """A refund."""

    amount: Whole = None
    currency: Text = None
    charge: Text = None
    payment_intent: Text = None
    reason: Text = None
    status: Text = None


class Earlier(Shape):
    """A request that was accepted under an idempotency key, and its response."""

    request: Any
    body: Any


class State(Simulated):
    """An account."""

    tokens: Table[Token] = None
    account: Text = None
    api_version: Text = None
    customers: Table[Customer] = None
    products: Table[Product] = None
    prices: Table[Price] = None
    payment_methods: Table[PaymentMethod] = None
    payment_intents: Table[PaymentIntent] = None
    charges: Table[Charge] = None
    refunds: Table[Refund] = None
    checkout_sessions: Table[_Thing] = None
    subscriptions: Table[_Thing] = None
    idempotency: Table[Earlier] = None
    rate_limited: Limit | None = None
    failures: Failures = None

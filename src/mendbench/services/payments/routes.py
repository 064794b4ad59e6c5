"""The endpoints of the API: their paths and parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mendbench.model.json import JsonObject
from mendbench.services.payments import catalogue, customers, payments
from mendbench.services.payments.listing import PAGED
from mendbench.services.payments.schema import Param
from mendbench.services.payments.state import Context
from mendbench.services.wire import Call, match_path

_METADATA = Param(name="metadata", kind="map", unsets=True)
_CUSTOMER = Param(name="customer")
_CURRENCY = Param(name="currency", kind="currency")
_MODES = ("payment", "setup", "subscription")
_TYPES = Param(name="payment_method_types", kind="list")
_EXPAND = Param(name="expand", kind="list")
_REASONS = ("duplicate", "fraudulent", "requested_by_customer")
_INTENT = (
    Param(name="customer"),
    Param(name="description", unsets=True),
    Param(name="payment_method"),
    Param(name="receipt_email", kind="email", unsets=True),
    _TYPES,
    _METADATA,
)
_AMOUNT = Param(name="amount", kind="integer", least=1, most=99_999_999)
"""The maximum is eight digits (https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One endpoint."""

    method: str
    path: str
    run: Callable[[Context], JsonObject]
    params: tuple[Param, ...] = ()
    elapsed_ms: int = 214

    @property
    def key(self) -> str:
        """Its name in the state's failures."""
        return f"{self.method} {self.path}"

    @property
    def takes(self) -> tuple[Param, ...]:
        """Its parameters, with those that every endpoint has."""
        return (*self.params, _EXPAND)


def _required(name: str, kind: str = "string", **more: object) -> Param:
    return Param(name=name, kind=kind, required=True, **more)  # type: ignore[arg-type]


ROUTES = (
    Route(
        method="GET",
        path="/v1/customers",
        run=customers.list_customers,
        params=(*PAGED, Param(name="email")),
        elapsed_ms=133,
    ),
    Route(method="POST", path="/v1/customers", run=customers.create_customer, params=customers.FIELDS),
    Route(method="GET", path="/v1/customers/{id}", run=customers.get_customer, elapsed_ms=121),
    Route(method="POST", path="/v1/customers/{id}", run=customers.update_customer, params=customers.FIELDS),
    Route(method="DELETE", path="/v1/customers/{id}", run=customers.delete_customer),
    Route(method="GET", path="/v1/payment_methods/{id}", run=customers.get_method, elapsed_ms=117),
    Route(
        method="POST",
        path="/v1/payment_methods/{id}/attach",
        run=customers.attach_method,
        params=(_required("customer"),),
    ),
    Route(
        method="GET",
        path="/v1/products",
        run=catalogue.list_products,
        params=(*PAGED, Param(name="active", kind="boolean")),
        elapsed_ms=129,
    ),
    Route(method="GET", path="/v1/products/{id}", run=catalogue.get_product, elapsed_ms=119),
    Route(
        method="GET",
        path="/v1/prices",
        run=catalogue.list_prices,
        params=(*PAGED, Param(name="active", kind="boolean"), Param(name="product"), _CURRENCY),
        elapsed_ms=131,
    ),
    Route(
        method="POST",
        path="/v1/prices",
        run=catalogue.create_price,
        params=(
            _required("currency", "currency"),
            _required("product"),
            Param(name="unit_amount", kind="integer", least=0),
            Param(name="nickname", unsets=True),
            Param(
                name="recurring",
                kind="object",
                fields=(_required("interval", members=("day", "month", "week", "year")),),
            ),
            Param(name="active", kind="boolean"),
            _METADATA,
        ),
    ),
    Route(method="GET", path="/v1/prices/{id}", run=catalogue.get_price, elapsed_ms=118),
    Route(
        method="POST",
        path="/v1/checkout/sessions",
        run=catalogue.create_session,
        params=(
            _required("mode", members=_MODES),
            _required("success_url"),
            Param(name="cancel_url"),
            Param(name="client_reference_id"),
            _CUSTOMER,
            Param(name="customer_email", kind="email"),
            Param(name="line_items", kind="list", fields=catalogue.LINE),
            _TYPES,
            _METADATA,
        ),
        elapsed_ms=356,
    ),
    Route(method="GET", path="/v1/checkout/sessions/{id}", run=catalogue.get_session, elapsed_ms=142),
    Route(
        method="POST",
        path="/v1/subscriptions",
        run=catalogue.create_subscription,
        params=(
            _required("customer"),
            _required("items", "list", fields=(_required("price"), catalogue.QUANTITY)),
            Param(name="default_payment_method"),
            _METADATA,
        ),
        elapsed_ms=412,
    ),
    Route(method="GET", path="/v1/subscriptions/{id}", run=catalogue.get_subscription, elapsed_ms=139),
    Route(
        method="GET",
        path="/v1/payment_intents",
        run=payments.list_intents,
        params=(*PAGED, _CUSTOMER),
        elapsed_ms=144,
    ),
    Route(
        method="POST",
        path="/v1/payment_intents",
        run=payments.create_intent,
        params=(
            _required("amount", "integer", least=1, most=99_999_999),
            _required("currency", "currency"),
            Param(name="confirm", kind="boolean"),
            Param(name="off_session", kind="boolean"),
            Param(name="capture_method", members=("automatic", "automatic_async", "manual")),
            *_INTENT,
        ),
        elapsed_ms=318,
    ),
    Route(method="GET", path="/v1/payment_intents/{id}", run=payments.get_intent, elapsed_ms=137),
    Route(
        method="POST",
        path="/v1/payment_intents/{id}",
        run=payments.update_intent,
        params=(_AMOUNT, _CURRENCY, *_INTENT),
    ),
    Route(
        method="POST",
        path="/v1/payment_intents/{id}/confirm",
        run=payments.confirm_intent,
        params=(Param(name="payment_method"), Param(name="off_session", kind="boolean"), Param(name="return_url")),
        elapsed_ms=498,
    ),
    Route(method="POST", path="/v1/payment_intents/{id}/capture", run=payments.capture_intent, elapsed_ms=443),
    Route(method="GET", path="/v1/charges/{id}", run=payments.get_charge, elapsed_ms=126),
    Route(
        method="GET",
        path="/v1/refunds",
        run=payments.list_refunds,
        params=(*PAGED, Param(name="charge"), Param(name="payment_intent")),
        elapsed_ms=141,
    ),
    Route(
        method="POST",
        path="/v1/refunds",
        run=payments.create_refund,
        params=(
            Param(name="charge"),
            Param(name="payment_intent"),
            _AMOUNT,
            Param(name="reason", members=_REASONS),
            _METADATA,
        ),
        elapsed_ms=387,
    ),
    Route(method="GET", path="/v1/refunds/{id}", run=payments.get_refund, elapsed_ms=124),
)


def find_route(call: Call) -> tuple[Route, dict[str, str]] | None:
    """Return the endpoint for a call and its path parameters, or None."""
    for route in ROUTES:
        params = match_path(route.path, call.segments) if route.method == call.method else None
        if params is not None:
            return route, params
    return None

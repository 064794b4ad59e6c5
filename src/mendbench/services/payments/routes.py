"""The endpoints of the API: their paths and parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mendbench.model.json import JsonObject
from mendbench.services.payments import catalogue, customers, payments
from mendbench.services.payments.listing import PAGED, listed
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


def _get(collection: str, *, elapsed_ms: int, param: str = "id") -> Route:
    """Return the endpoint that shows one object. ``param`` is the name of the id in errors."""

    def run(context: Context) -> JsonObject:
        context.named(collection, context.path["id"], param, in_path=True)
        return context.show(collection, context.path["id"])

    return Route(method="GET", path=f"/v1/{collection}/{{id}}", run=run, elapsed_ms=elapsed_ms)


def _list(collection: str, *filters: Param, elapsed_ms: int) -> Route:
    """Return the endpoint that lists a collection. Objects have to match the given ``filters``."""

    def run(context: Context) -> JsonObject:
        return listed(context, collection, *(param.name for param in filters))

    return Route(method="GET", path=f"/v1/{collection}", run=run, params=(*PAGED, *filters), elapsed_ms=elapsed_ms)


ROUTES = (
    _list("customers", Param(name="email"), elapsed_ms=133),
    Route(method="POST", path="/v1/customers", run=customers.create_customer, params=customers.FIELDS),
    _get("customers", elapsed_ms=121),
    Route(method="POST", path="/v1/customers/{id}", run=customers.update_customer, params=customers.FIELDS),
    Route(method="DELETE", path="/v1/customers/{id}", run=customers.delete_customer),
    _get("payment_methods", elapsed_ms=117, param="payment_method"),
    Route(
        method="POST",
        path="/v1/payment_methods/{id}/attach",
        run=customers.attach_method,
        params=(_required("customer"),),
    ),
    _list("products", Param(name="active", kind="boolean"), elapsed_ms=129),
    _get("products", elapsed_ms=119),
    _list("prices", Param(name="active", kind="boolean"), Param(name="product"), _CURRENCY, elapsed_ms=131),
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
    _get("prices", elapsed_ms=118, param="price"),
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
    _get("subscriptions", elapsed_ms=139),
    _list("payment_intents", _CUSTOMER, elapsed_ms=144),
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
    _get("payment_intents", elapsed_ms=137, param="intent"),
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
    _get("charges", elapsed_ms=126),
    _list("refunds", Param(name="charge"), Param(name="payment_intent"), elapsed_ms=141),
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
    _get("refunds", elapsed_ms=124),
)


def find_route(call: Call) -> tuple[Route, dict[str, str]] | None:
    """Return the endpoint for a call and its path parameters, or None."""
    for route in ROUTES:
        params = match_path(route.path, call.segments) if route.method == call.method else None
        if params is not None:
            return route, params
    return None

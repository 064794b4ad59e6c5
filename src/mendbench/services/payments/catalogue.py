"""Products, prices, and sales: checkout sessions and subscriptions.

https://docs.stripe.com/api/prices, https://docs.stripe.com/api/checkout/sessions, https://docs.stripe.com/api/subscriptions
"""

from __future__ import annotations

from mendbench.model.json import Json, JsonObject
from mendbench.services.payments.customers import usable_method
from mendbench.services.payments.errors import StripeError, bad, missing
from mendbench.services.payments.money import check_least
from mendbench.services.payments.schema import Param
from mendbench.services.payments.state import Context

QUANTITY = Param(name="quantity", kind="integer", least=0)
LINE = (
    Param(name="price"),
    QUANTITY,
    Param(
        name="price_data",
        kind="object",
        fields=(
            Param(name="currency", kind="currency", required=True),
            Param(name="unit_amount", kind="integer", required=True, least=0),
            Param(name="product"),
            Param(
                name="product_data",
                kind="object",
                fields=(Param(name="name", required=True), Param(name="description")),
            ),
            Param(name="recurring", kind="object", fields=(Param(name="interval", required=True),)),
        ),
    ),
)
_INACTIVE = "The price specified is inactive. This field only accepts active prices."
_RECURRING = (
    "You specified `payment` mode but passed a recurring price. "
    "Either switch to `subscription` mode or use only one-time prices."
)
_NO_SOURCE = "This customer has no attached payment source or default payment method."


def create_price(context: Context) -> JsonObject:
    """POST /v1/prices."""
    context.named("products", context.values["product"], "product")
    return context.show("prices", context.make("prices", "price", dict(context.values)))


def create_session(context: Context) -> JsonObject:
    """POST /v1/checkout/sessions."""
    values = context.values
    if values.get("customer"):
        context.named("customers", values["customer"], "customer")
    lines = values.get("line_items") or []
    if not lines and values["mode"] != "setup":
        raise missing("line_items")
    sums = [_line(context, line, index, str(values["mode"])) for index, line in enumerate(lines)]
    currency = sums[0][1] if sums else None
    total = sum(amount for amount, _ in sums)
    if currency and values["mode"] == "payment":
        check_least(total, currency, "line_items")
    kept = {name: value for name, value in values.items() if name != "line_items"}
    record: JsonObject = {
        **kept, "amount_subtotal": total, "amount_total": total, "currency": currency, "status": "open",
        "line_items_sent": lines,
    }  # fmt: skip
    made = context.make("checkout_sessions", "cs_test", record)
    context.part("checkout_sessions")[made]["url"] = f"https://checkout.stripe.com/c/pay/{made}"
    return _session(context, made)


def get_session(context: Context) -> JsonObject:
    """GET /v1/checkout/sessions/{id}."""
    context.named("checkout_sessions", context.path["id"], "session", in_path=True)
    return _session(context, context.path["id"])


def create_subscription(context: Context) -> JsonObject:
    """POST /v1/subscriptions."""
    values = context.values
    context.named("customers", values["customer"], "customer")
    items: list[Json] = []
    for index, item in enumerate(values["items"]):
        price = context.named("prices", item["price"], f"items[{index}][price]")
        if price.get("active") is False:
            raise bad(_INACTIVE, f"items[{index}][price]")
        items.append({"price": context.show("prices", item["price"]), "quantity": item.get("quantity", 1)})
    method = values.get("default_payment_method")
    if method:
        context.named("payment_methods", method, "default_payment_method")
    method = method or usable_method(context, values["customer"])
    if not method:
        raise StripeError(400, _NO_SOURCE, code="resource_missing")
    record: JsonObject = {
        "customer": values["customer"],
        "default_payment_method": method,
        "items": {"object": "list", "data": items, "has_more": False},
        "metadata": values.get("metadata", {}),
    }
    return context.show("subscriptions", context.make("subscriptions", "sub", record))


def _line(context: Context, line: JsonObject, index: int, mode: str) -> tuple[int, str]:
    """Return the cost of one line of a session, and its currency."""
    place = f"line_items[{index}]"
    if "quantity" not in line:
        raise missing(f"{place}[quantity]")
    quantity = int(line["quantity"])
    if data := line.get("price_data"):
        if mode == "payment" and data.get("recurring"):
            raise bad(_RECURRING, None)
        return int(data["unit_amount"]) * quantity, str(data["currency"])
    if not line.get("price"):
        raise missing(f"{place}[price]")
    price = context.named("prices", line["price"], f"{place}[price]")
    if price.get("active") is False:
        raise bad(_INACTIVE, f"{place}[price]")
    if mode == "payment" and price.get("recurring"):
        raise bad(_RECURRING, None)
    return int(price.get("unit_amount") or 0) * quantity, str(price.get("currency", "usd"))


def _session(context: Context, made: str) -> JsonObject:
    shown = context.show("checkout_sessions", made)
    shown.pop("line_items_sent", None)
    return shown

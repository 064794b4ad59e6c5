"""Customers and their payment methods (https://docs.stripe.com/api/customers)."""

from __future__ import annotations

from mendbench.model.json import JsonObject
from mendbench.services.payments.schema import Param
from mendbench.services.payments.state import Context, merged

FIELDS = (
    Param(name="email", kind="email", unsets=True),
    Param(name="name", unsets=True),
    Param(name="description", unsets=True),
    Param(name="phone", unsets=True),
    Param(name="metadata", kind="map", unsets=True),
    Param(name="payment_method"),
    Param(name="invoice_settings", kind="object", fields=(Param(name="default_payment_method"),)),
)


def create_customer(context: Context) -> JsonObject:
    """POST /v1/customers."""
    record: JsonObject = {}
    merged(record, _checked(context))
    return context.show("customers", context.make("customers", "cus", record))


def update_customer(context: Context) -> JsonObject:
    """POST /v1/customers/{id}."""
    record = context.named("customers", context.path["id"], "id", in_path=True)
    merged(record, _checked(context))
    return context.show("customers", context.path["id"])


def delete_customer(context: Context) -> JsonObject:
    """DELETE /v1/customers/{id}."""
    context.named("customers", context.path["id"], "id", in_path=True)
    del context.part("customers")[context.path["id"]]
    return {"id": context.path["id"], "object": "customer", "deleted": True}


def attach_method(context: Context) -> JsonObject:
    """POST /v1/payment_methods/{id}/attach."""
    record = context.named("payment_methods", context.path["id"], "payment_method", in_path=True)
    context.named("customers", context.values["customer"], "customer")
    record["customer"] = context.values["customer"]
    return context.show("payment_methods", context.path["id"])


def usable_method(context: Context, customer: str) -> str | None:
    """Return the payment method for charging a customer: the default one, or None."""
    record = context.part("customers").get(customer) or {}
    default = (record.get("invoice_settings") or {}).get("default_payment_method")
    return str(default) if default in context.part("payment_methods") else None


def _checked(context: Context) -> JsonObject:
    values = {name: value for name, value in context.values.items() if name != "payment_method"}
    settings = values.get("invoice_settings") or {}
    if settings.get("default_payment_method"):
        name = "invoice_settings[default_payment_method]"
        context.named("payment_methods", settings["default_payment_method"], name)
    if context.values.get("payment_method"):
        context.named("payment_methods", context.values["payment_method"], "payment_method")
    return values

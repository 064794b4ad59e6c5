"""Payment intents and refunds (https://docs.stripe.com/api/payment_intents, https://docs.stripe.com/api/refunds)."""

from __future__ import annotations

from typing import cast

from mendbench.model.json import JsonObject
from mendbench.services.payments.errors import bad, declined, wrong_state
from mendbench.services.payments.money import check_least, over_refund
from mendbench.services.payments.state import Context, merged

_NO_METHOD = (
    "You cannot confirm this PaymentIntent because it's missing a payment method. You can either update the "
    "PaymentIntent with a payment method and then confirm it again, or confirm it again directly with a payment method."
)
_NEITHER = "One of the following params should be provided for this request: payment_intent or charge."
_DONE = "You cannot confirm this PaymentIntent because it has already succeeded after being previously confirmed."
_NOT_CAPTURABLE = (
    "This PaymentIntent could not be captured because it has a status of {}. "
    "Only a PaymentIntent with one of the following statuses may be captured: requires_capture."
)


def create_intent(context: Context) -> JsonObject:
    """POST /v1/payment_intents."""
    values = context.values
    _check_references(context)
    check_least(values["amount"], values["currency"])
    kept = {name: value for name, value in values.items() if name not in {"confirm", "off_session", "metadata"}}
    record: JsonObject = {"capture_method": "automatic", **kept, "status": _waiting(values)}
    merged(record, {"metadata": values.get("metadata", {})})
    made = context.make("payment_intents", "pi", record)
    if values.get("confirm"):
        _confirm(context, made)
    return context.show("payment_intents", made)


def update_intent(context: Context) -> JsonObject:
    """POST /v1/payment_intents/{id}."""
    record = _intent(context)
    _check_references(context)
    wanted = {**record, **context.values}
    check_least(int(wanted["amount"]), str(wanted["currency"]))
    merged(record, context.values)
    if record.get("payment_method") and record["status"] == "requires_payment_method":
        record["status"] = "requires_confirmation"
    return context.show("payment_intents", context.path["id"])


def confirm_intent(context: Context) -> JsonObject:
    """POST /v1/payment_intents/{id}/confirm."""
    record = _intent(context)
    if record["status"] == "succeeded":
        raise wrong_state(_DONE)
    _check_references(context)
    merged(record, {name: context.values[name] for name in ("payment_method",) if name in context.values})
    _confirm(context, context.path["id"])
    return context.show("payment_intents", context.path["id"])


def capture_intent(context: Context) -> JsonObject:
    """POST /v1/payment_intents/{id}/capture."""
    record = _intent(context)
    if record["status"] != "requires_capture":
        raise wrong_state(_NOT_CAPTURABLE.format(record["status"]))
    _charge(context, context.path["id"])
    return context.show("payment_intents", context.path["id"])


def create_refund(context: Context) -> JsonObject:
    """POST /v1/refunds."""
    values = context.values
    charge_id = _charge_of(context)
    charge = context.named("charges", charge_id, "charge")
    left = int(charge["amount"]) - int(charge.get("amount_refunded", 0))
    if left <= 0:
        raise bad(f"Charge {charge_id} has already been refunded.", None, "charge_already_refunded")
    amount = int(values.get("amount", left))
    if amount > left:
        raise over_refund(amount, left, str(charge["currency"]))
    charge["amount_refunded"] = int(charge.get("amount_refunded", 0)) + amount
    charge["refunded"] = charge["amount_refunded"] == charge["amount"]
    record: JsonObject = {
        "amount": amount, "charge": charge_id, "currency": charge["currency"], "reason": values.get("reason"),
        "payment_intent": charge.get("payment_intent"), "metadata": values.get("metadata", {}),
    }  # fmt: skip
    return context.show("refunds", context.make("refunds", "re", record))


def _intent(context: Context) -> JsonObject:
    return context.named("payment_intents", context.path["id"], "intent", in_path=True)


def _waiting(values: JsonObject) -> str:
    return "requires_confirmation" if values.get("payment_method") else "requires_payment_method"


def _check_references(context: Context) -> None:
    for name, collection in (("customer", "customers"), ("payment_method", "payment_methods")):
        if context.values.get(name):
            context.named(collection, context.values[name], name)


def _confirm(context: Context, intent: str) -> None:
    record = context.part("payment_intents")[intent]
    if not record.get("payment_method"):
        raise wrong_state(_NO_METHOD)
    method = context.named("payment_methods", record["payment_method"], "payment_method")
    if method.get("declines"):
        raise declined(str(method["declines"]))
    if record.get("capture_method") == "manual":
        record |= {"status": "requires_capture", "amount_capturable": record["amount"]}
    else:
        _charge(context, intent)


def _charge(context: Context, intent: str) -> None:
    record = context.part("payment_intents")[intent]
    charge: JsonObject = {
        "amount": record["amount"], "currency": record["currency"], "customer": record.get("customer"),
        "payment_intent": intent, "payment_method": record["payment_method"],
    }  # fmt: skip
    made = context.make("charges", "ch", charge)
    record |= {"status": "succeeded", "latest_charge": made, "amount_received": record["amount"]}
    record.pop("amount_capturable", None)


def _charge_of(context: Context) -> str:
    """Return the charge to refund: the named charge, or the latest of the named payment."""
    values = context.values
    if values.get("charge"):
        return str(values["charge"])
    if not values.get("payment_intent"):
        raise bad(_NEITHER, None)
    intent = context.named("payment_intents", values["payment_intent"], "payment_intent")
    if not intent.get("latest_charge"):
        text = "This PaymentIntent ({}) does not have a successful charge to refund."
        raise bad(text.format(values["payment_intent"]), None)
    return cast("str", intent["latest_charge"])

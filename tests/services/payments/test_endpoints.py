from __future__ import annotations

import pytest

from tests.fakes.services import body_of
from tests.services.payments.client import (
    BAD,
    BERTH,
    CHARGE,
    CLEAT,
    CLUB,
    GOOD,
    OLD,
    OPEN,
    PAID,
    POOR,
    WHARF,
    account,
    error,
    get,
    post,
)

SESSION = {
    "mode": "payment",
    "success_url": "https://x.example/ok",
    "line_items[0][price]": CLEAT,
    "line_items[0][quantity]": "2",
}
INTENT = {"amount": "4490", "currency": "gbp"}


def test_a_customer_is_made_read_changed_and_deleted():
    client = account()
    made = body_of(post(client, "customers", {"name": "Ysolde", "metadata[berth]": "Q-7", "metadata[tier]": "b"}))
    assert made["id"].startswith("cus_")
    assert made["metadata"] == {"berth": "Q-7", "tier": "b"}
    post(client, f"customers/{made['id']}", {"metadata[tier]": "", "name": "Ysolde M"})
    again = get(client, f"customers/{made['id']}")
    assert (again["name"], again["metadata"], again["created"]) == ("Ysolde M", {"berth": "Q-7"}, made["created"])
    assert body_of(client.send("DELETE", f"customers/{made['id']}"))["deleted"] is True
    assert client.send("GET", f"customers/{made['id']}").status == 404


def test_an_unknown_id_in_the_path_is_a_404_and_in_a_parameter_a_400():
    client = account()
    assert error(client.send("GET", "customers/1"), 404) == {
        "code": "resource_missing", "message": "No such customer: '1'", "param": "id", "type": "invalid_request_error",
    }  # fmt: skip
    said = post(client, "subscriptions", {"customer": CLUB, "items[0][price]": "invalid"})
    assert error(said) == {
        "code": "resource_missing", "message": "No such price: 'invalid'", "param": "items[0][price]",
        "type": "invalid_request_error",
    }  # fmt: skip
    assert (
        body_of(said)["error"]["request_log_url"]
        == f"https://dashboard.stripe.com/test/logs/{said.header('request-id')}"
    )


def test_an_unknown_payment_method_may_be_elsewhere():
    said = error(post(account(), "payment_methods/abcd/attach", {"customer": CLUB}), 404)
    assert said["message"].startswith(
        "No such PaymentMethod: 'abcd'; It's possible this PaymentMethod exists on one of"
    )
    assert said["param"] == "payment_method"


def test_a_session_is_made_of_prices_and_sums_them_up_in_the_smallest_unit():
    said = body_of(post(account(), "checkout/sessions", SESSION))
    assert (said["amount_total"], said["currency"], said["status"]) == (8980, "gbp", "open")
    assert said["url"].endswith(said["id"])


@pytest.mark.parametrize(
    ("change", "message", "param"),
    [
        ({"line_items[0][price]": "prod_Qcleat7bronze"}, "No such price: 'prod_Qcleat7bronze'", "line_items[0][price]"),
        ({"line_items[0][price]": OLD}, "The price specified is inactive. This field only accepts active prices.", "line_items[0][price]"),
        (
            {"line_items[0][price]": BERTH},
            ("You specified `payment` mode but passed a recurring price. "
             "Either switch to `subscription` mode or use only one-time prices."),
            None,
        ),
        ({"line_items[0][quantity]": "1.5"}, "Invalid integer: 1.5", "line_items[0][quantity]"),
        ({"line_items[0][amount]": "5"}, "Received unknown parameter: line_items[0][amount]", "line_items[0][amount]"),
        ({"mode": "once"}, "Invalid mode: must be one of payment, setup, or subscription", "mode"),
    ],
)  # fmt: skip
def test_a_session_that_cannot_be_made_says_why(change, message, param):
    said = error(post(account(), "checkout/sessions", {**SESSION, **change}))
    assert (said["message"], said.get("param")) == (message, param)


@pytest.mark.parametrize(
    ("change", "code", "message", "param"),
    [
        ({"amount": "12.5"}, "parameter_invalid_integer", "Invalid integer: 12.5", "amount"),
        ({"amount": "0"}, "parameter_invalid_integer", "This value must be greater than or equal to 1.", "amount"),
        ({"amount": "20"}, "amount_too_small", "Amount must be at least \u00a30.30 gbp", "amount"),
        ({"amount": "49", "currency": "usd"}, "amount_too_small", "Amount must be at least $0.50 usd", "amount"),
        ({"amout": "20"}, "parameter_unknown", "Received unknown parameter: amout", "amout"),
        (
            {"quantity": "1", "trial_end": "2"},
            "parameter_unknown",
            "Received unknown parameters: quantity, trial_end",
            "quantity",
        ),
        ({"customer": ""}, "parameter_invalid_empty", None, "customer"),
        ({"receipt_email": "nobody"}, "email_invalid", "Invalid email address: nobody", "receipt_email"),
    ],
)
def test_a_payment_with_a_wrong_parameter_says_which(change, code, message, param):
    said = error(post(account(), "payment_intents", {**INTENT, **change}))
    assert (said["code"], said["param"], said["type"]) == (code, param, "invalid_request_error")
    assert message is None or said["message"] == message


def test_a_code_is_linked_to_its_page():
    said = body_of(post(account(), "payment_intents", {**INTENT, "amount": "0"}))["error"]
    assert said["doc_url"] == "https://stripe.com/docs/error-codes/parameter-invalid-integer"


def test_an_empty_text_for_what_cannot_be_unset_is_explained():
    said = error(post(account(), "payment_intents", {**INTENT, "customer": ""}))
    assert said["message"] == (
        "You passed an empty string for 'customer'. We assume empty values are an attempt to unset a parameter; however "
        "'customer' cannot be unset. You should remove 'customer' from your request or supply a non-empty value."
    )


def test_a_missing_parameter_is_named():
    said = error(post(account(), "payment_intents", {"amount": "500"}))
    assert (said["code"], said["message"]) == ("parameter_missing", "Missing required param: currency.")


def test_an_unknown_currency_lists_those_there_are():
    said = error(post(account(), "payment_intents", {**INTENT, "currency": "euro"}))
    assert said["message"].startswith(
        "Invalid currency: euro. Stripe currently supports these currencies: usd, aed, afn"
    )
    assert said["param"] == "currency"


def test_a_confirmed_payment_is_charged_and_can_be_refunded_in_parts():
    client = account()
    made = body_of(
        post(client, "payment_intents", {**INTENT, "payment_method": GOOD, "confirm": "true", "customer": CLUB})
    )
    assert (made["status"], made["amount_received"]) == ("succeeded", 4490)
    assert get(client, f"charges/{made['latest_charge']}")["amount"] == 4490
    assert body_of(post(client, "refunds", {"payment_intent": made["id"], "amount": "1000"}))["status"] == "succeeded"
    said = error(post(client, "refunds", {"payment_intent": made["id"], "amount": "4000"}))
    assert said["message"] == "Refund amount (\u00a340.00) is greater than unrefunded amount on charge (\u00a334.90)"
    assert body_of(post(client, "refunds", {"charge": made["latest_charge"]}))["amount"] == 3490
    assert error(post(client, "refunds", {"charge": made["latest_charge"]}))["code"] == "charge_already_refunded"


def test_a_refund_of_nothing_or_of_what_was_not_paid_is_refused():
    client = account()
    assert error(post(client, "refunds"))["message"] == (
        "One of the following params should be provided for this request: payment_intent or charge."
    )
    assert error(post(client, "refunds", {"payment_intent": OPEN}))["message"] == (
        f"This PaymentIntent ({OPEN}) does not have a successful charge to refund."
    )


@pytest.mark.parametrize(
    ("method", "decline", "message"),
    [
        (BAD, "generic_decline", "Your card was declined."),
        (POOR, "insufficient_funds", "Your card has insufficient funds."),
    ],
)
def test_a_card_that_is_declined_is_a_402(method, decline, message):
    response = post(account(), f"payment_intents/{OPEN}/confirm", {"payment_method": method})
    said = error(response, 402)
    assert (said["type"], said["code"], said["decline_code"], said["message"]) == (
        "card_error",
        "card_declined",
        decline,
        message,
    )
    assert response.header("stripe-should-retry") == "false"


def test_a_card_that_has_expired_has_a_code_of_its_own():
    client = account({"payment_methods": {BAD: {"declines": "expired_card"}}})
    assert (
        error(post(client, f"payment_intents/{OPEN}/confirm", {"payment_method": BAD}), 402)["code"] == "expired_card"
    )


def test_a_payment_in_another_status_cannot_be_confirmed_or_captured():
    client = account()
    done, bare = post(client, f"payment_intents/{PAID}/confirm"), post(client, f"payment_intents/{OPEN}/confirm")
    assert error(done)["message"].startswith("You cannot confirm this PaymentIntent because it has already succeeded")
    assert error(bare)["message"].startswith(
        "You cannot confirm this PaymentIntent because it's missing a payment method."
    )
    assert error(post(client, f"payment_intents/{PAID}/capture"))["message"] == (
        "This PaymentIntent could not be captured because it has a status of succeeded. Only a PaymentIntent with one of the "
        "following statuses may be captured: requires_capture."
    )


def test_a_payment_may_be_held_and_captured_later():
    client = account()
    held = body_of(
        post(
            client, "payment_intents", {**INTENT, "payment_method": GOOD, "confirm": "true", "capture_method": "manual"}
        )
    )
    assert held["status"] == "requires_capture"
    assert body_of(post(client, f"payment_intents/{held['id']}/capture"))["status"] == "succeeded"


def test_a_subscription_needs_something_to_pay_with():
    params = {"items[0][price]": BERTH}
    assert body_of(post(account(), "subscriptions", {**params, "customer": CLUB}))["status"] == "active"
    said = error(post(account(), "subscriptions", {**params, "customer": WHARF}))
    assert said == {
        "code": "resource_missing", "type": "invalid_request_error",
        "message": "This customer has no attached payment source or default payment method.",
    }  # fmt: skip


def test_a_list_comes_newest_first_and_page_by_page():
    client = account()
    first = get(client, "customers?limit=2")
    assert (first["object"], first["url"], first["has_more"]) == ("list", "/v1/customers", True)
    rest = get(client, f"customers?limit=2&starting_after={first['data'][-1]['id']}")
    assert [one["id"] for one in [*first["data"], *rest["data"]]] == ["cus_Rz8Perranvale4", WHARF, CLUB]
    assert rest["has_more"] is False
    before = get(client, f"customers?limit=1&ending_before={CLUB}")
    assert [one["id"] for one in before["data"]] == [WHARF]


def test_a_list_is_filtered():
    assert [one["id"] for one in get(account(), "customers?email=imke@perranvale.example")["data"]] == [
        "cus_Rz8Perranvale4"
    ]
    assert OLD not in [one["id"] for one in get(account(), "prices?active=true")["data"]]
    assert [one["charge"] for one in get(account(), f"refunds?payment_intent={PAID}")["data"]] == [CHARGE]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("limit=0", "This value must be greater than or equal to 1."),
        ("limit=101", "This value must be less than or equal to 100."),
        ("limit=abc", "Invalid integer: abc"),
        ("page=2", "Received unknown parameter: page"),
        ("starting_after=cus_no", "No such customer: 'cus_no'"),
    ],
)
def test_a_page_without_figures_says_why(query, message):
    assert error(account().send("GET", f"customers?{query}"))["message"] == message

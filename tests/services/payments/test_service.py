from __future__ import annotations

import base64
import copy
import json
from urllib.parse import urlencode

from hypothesis import given
from hypothesis import strategies as st

from mendbench.api_errors.envelopes import accepted
from mendbench.exchanges.bodies import parse_body
from mendbench.model.exchange import Request
from mendbench.services import hosts_of, simulated
from mendbench.services.payments.routes import ROUTES
from tests.fakes.services import NOW_MS, body_of
from tests.fakes.tables import for_each
from tests.services.payments.client import CLEAT, CLUB, GOOD, OPEN, PAID, account, error, get, post

KEYS = {"tokens": {"key-in-use": {}, "key-of-old": {"status": "expired"}}}


def test_it_answers_for_stripes_host():
    assert hosts_of("payments", {}) == ("api.stripe.com",)


def test_a_key_that_is_missing_wrong_or_old_is_a_401_that_shows_nothing_of_it():
    bare = account(KEYS).send("GET", "customers", headers={"authorization": None})
    assert error(bare, 401)["message"].startswith("You did not provide an API key. You need to provide your API key in")
    assert bare.header("www-authenticate") == 'Bearer realm="Stripe"'
    wrong = error(account(KEYS, key="sk_test_" + "q" * 9).send("GET", "customers"), 401)
    assert wrong == {"message": f"Invalid API Key provided: sk_test_{'*' * 20}", "type": "invalid_request_error"}
    old = error(account(KEYS, key="key-of-old").send("GET", "customers"), 401)
    assert (old["code"], old["message"]) == ("api_key_expired", f"Expired API Key provided: {'*' * 20}")


def test_a_key_may_come_as_the_user_of_basic_authentication():
    basic = "Basic " + base64.b64encode(b"key-in-use:").decode()
    assert account(KEYS).send("GET", "customers", headers={"authorization": basic}).status == 200


def test_an_unknown_url_is_reported():
    assert error(post(account(), f"payment_intents/{OPEN}/void"), 404) == {
        "message": f"Unrecognized request URL (POST: /v1/payment_intents/{OPEN}/void).",
        "type": "invalid_request_error",
    }


def test_a_json_body_is_declared_as_a_form():
    response = account().send("POST", "customers", {"name": "x"}, headers={"content-type": "application/json"})
    assert error(response) == {
        "message": "Invalid request (check that your POST content type is application/x-www-form-urlencoded). "
        "If you have any questions, we can help at https://support.stripe.com/.",
        "type": "invalid_request_error",
    }


@for_each(("limit", "header"), [({"times": 1}, None), ({"times": 1, "retry_after": 7}, "7")])
def test_one_request_too_many_is_a_429_and_then_they_pass(limit, header):
    client = account({"rate_limited": limit})
    first = client.send("GET", "customers")
    assert error(first, 429) == {
        "code": "rate_limit", "type": "invalid_request_error",
        "message": "Request rate limit exceeded. Learn more about rate limits here https://stripe.com/docs/rate-limits.",
    }  # fmt: skip
    assert first.header("retry-after") == header
    assert client.send("GET", "customers").status == 200


def test_the_version_is_the_callers_or_the_accounts():
    assert account().send("GET", "customers").header("stripe-version") == "2024-06-20"
    asked = account().send("GET", "customers", headers={"stripe-version": "2025-03-31.basil"})
    assert asked.header("stripe-version") == "2025-03-31.basil"


def test_a_key_used_again_with_the_same_parameters_gets_the_same_answer_and_does_nothing():
    client = account()
    first = post(client, "customers", {"name": "Ysolde"}, idempotency_key="k-1")
    before = copy.deepcopy(client.state)
    again = post(client, "customers", {"name": "Ysolde"}, idempotency_key="k-1")
    assert (again.body, again.header("idempotent-replayed")) == (first.body, "true")
    assert client.state == before


def test_a_key_used_again_with_other_parameters_is_refused():
    client = account()
    post(client, "customers", {"name": "Ysolde"}, idempotency_key="k-1")
    said = error(post(client, "customers", {"name": "Imke"}, idempotency_key="k-1"))
    assert said == {
        "type": "idempotency_error",
        "message": "Keys for idempotent requests can only be used with the same parameters they were first used with. "
        "Try using a key other than 'k-1' if you meant to execute a different request.",
    }


def test_without_a_key_the_same_is_done_again_under_another_id():
    client = account()
    ids = {body_of(post(client, "customers", {"name": "Ysolde"}))["id"] for _ in range(3)}
    assert len(ids) == 3
    assert len(get(client, "customers")["data"]) == 6


def test_a_failure_that_the_case_plans_comes_first():
    client = account({"failures": {"POST /v1/customers/{id}": [{"status": 503, "body": "down"}]}})
    assert [post(client, f"customers/{CLUB}", {"name": "x"}).status for _ in range(2)] == [503, 200]


def test_a_refused_request_leaves_no_trace():
    client = account()
    before = copy.deepcopy(client.state)
    post(client, "payment_intents", {"amount": "500", "currency": "gbp", "confirm": "true"}, idempotency_key="k")
    assert client.state == before


@for_each("route", ROUTES)
def test_every_endpoint_refuses_what_it_does_not_know(route):
    path = route.path.replace("{id}", PAID).removeprefix("/v1/")
    response = (
        post(account(), path, {"wobble": "1"})
        if route.method == "POST"
        else account().send(route.method, f"{path}?wobble=1")
    )
    assert error(response)["message"] == "Received unknown parameter: wobble"


NAMES = st.sampled_from(
    ["amount", "currency", "customer", "metadata[a]", "metadata", "line_items[0][price]", "line_items[0][quantity]", "items[0][price]",
     "line_items[]", "items", "mode", "success_url", "payment_method", "confirm", "expand[]", "limit", "email", "name", "a[[b", "charge",
     "payment_intent", "invoice_settings[default_payment_method]", "amount[x]", "line_items[0][price_data][currency]", "recurring[interval]"]
)  # fmt: skip
VALUES = st.sampled_from(
    ["", "1", "500", "12.5", "gbp", "GBP", "true", CLUB, CLEAT, GOOD, PAID, "payment", "x@y.example", "٣"]
) | st.text(max_size=5)
PATHS = st.sampled_from([route.path for route in ROUTES]).flatmap(
    lambda path: st.sampled_from([CLUB, PAID, OPEN, GOOD, "no"]).map(lambda thing: path.replace("{id}", thing))
)
BODIES = st.one_of(
    st.lists(st.tuples(NAMES, VALUES), max_size=6).map(lambda pairs: urlencode(pairs).encode()),
    st.just(urlencode({"amount": "500", "currency": "gbp", "payment_method": GOOD, "confirm": "true"}).encode()),
    st.just(urlencode({"payment_intent": PAID}).encode()),
    st.binary(max_size=30),
)


@given(method=st.sampled_from(["GET", "POST", "DELETE"]), path=PATHS, body=BODIES, key=st.sampled_from(["", "k-1"]))
def test_any_request_is_answered_twice_alike_and_only_an_accepted_write_leaves_a_trace(method, path, body, key):
    service = simulated("payments")
    state = service.seed()
    before = copy.deepcopy(state)
    headers = (
        ("authorization", "Bearer x"),
        ("content-type", "application/x-www-form-urlencoded"),
        ("idempotency-key", key),
    )
    request = Request(method=method, url=f"https://api.stripe.com{path}", headers=headers, body=body)
    left, response = service.response(state, request, NOW_MS)
    assert state == before
    assert service.response(state, request, NOW_MS) == (left, response)
    assert json.loads(json.dumps(left)) == left
    if request.safe or not accepted(response, parse_body(response.body, response.header("content-type"))):
        assert left == before
    assert service.response(left, request, NOW_MS)
    meant = service.canonical(request)
    assert meant is None or service.canonical(meant) == meant


def test_parameters_mean_the_same_in_the_query_and_in_the_form_and_in_any_order():
    service, url = simulated("payments"), "https://api.stripe.com/v1/customers"
    headers = (("content-type", "application/x-www-form-urlencoded"),)
    one = Request(method="POST", url=f"{url}?name=a&expand[]=x", headers=headers, body=b"email=b%40c.example")
    other = Request(method="POST", url=url, headers=headers, body=b"name=a&email=b@c.example")
    assert service.canonical(one) == service.canonical(other) is not None
    assert service.canonical(Request(method="POST", url=url, body=b'{"name": "a"}')) is None

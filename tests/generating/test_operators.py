"""Operators: each breaks a working workflow in its own way."""

from dataclasses import replace

import pytest

from mendbench.generating.operators import OPERATORS
from mendbench.generating.seed import Seed
from mendbench.model.execution import Execution
from mendbench.model.trial import CleanRun
from tests.fakes.scoring import make_case

WORKFLOW = {
    "ir_version": "0.1.0",
    "nodes": [
        {"id": "deals", "type": "http", "params": {"url": "https://crm.acme.example/v2/deals?stage=won"}},
        {
            "id": "invoice", "type": "http",
            "params": {
                "method": "POST", "url": "https://pay.acme.example/v1/invoices",
                "body": {
                    "customer": "${deals.response.items[0].customer.id}", "amount": 1250, "due": "2026-12-01",
                    "tags": ["crm", "won"], "collection_method": "send_invoice",
                },
            },
        },
    ],
    "edges": [{"from": "deals", "to": "invoice"}],
}  # fmt: skip
DATA = {"deals": {"response": {"items": [{"customer": {"id": "cus_9", "name": "Acme", "vip": True}}], "total": 1}}}
SENT = {
    "misspelt-field": ("customer", "${deals.response.items[0].customer.identifier}"),
    "misspelt-node": ("customer", "${deal.response.items[0].customer.id}"),
    "wrong-nesting": ("customer", "${deals.response.customer.id}"),
    "wrong-index": ("customer", "${deals.response.items[1].customer.id}"),
    "name-for-id": ("customer", "${deals.response.items[0].customer.name}"),
    "object-for-field": ("customer", "${deals.response.items[0].customer}"),
    "misspelt-param": ("customer_id", "${deals.response.items[0].customer.id}"),
    "extra-param": ("customer_id", "${deals.response.items[0].customer.id}"),
    "string-for-list": ("tags", "crm, won"),
    "list-for-string": ("customer", ["${deals.response.items[0].customer.id}"]),
    "string-for-number": ("amount", "1,250 in all"),
    "wrong-enum": ("collection_method", "send-invoice"),
    "wrong-date-format": ("due", "01.12.2026"),
    "major-units": ("amount", 12.5),
}


def seed(workflow=WORKFLOW):
    case = replace(make_case(), workflow=workflow)
    run = CleanRun(variant=None, execution=Execution(outcome="success", nodes=()), traffic=())
    return Seed(case=case, data=DATA, run=run)


def first(operator):
    return next(iter(OPERATORS[operator](seed())))


def body_of(broken):
    return broken.workflow["nodes"][1]["params"]["body"]


def test_an_operator_changes_one_thing_that_a_node_sends():
    wrong = {}
    for operator, (key, value) in SENT.items():
        found = body_of(first(operator)).get(key)
        if found != value:
            wrong[operator] = found
    assert wrong == {}


def test_a_break_names_the_node_that_must_fail_and_what_the_fix_requires():
    broken = first("misspelt-field")
    assert (broken.node, broken.cause, broken.who) == ("invoice", ("invoice",), "edit")
    assert broken.facts == ("deals.response.items[0].customer.id",)


def test_a_missing_parameter_is_not_sent():
    assert "customer" not in body_of(first("missing-param"))


@pytest.mark.parametrize(
    ("operator", "place", "value"),
    [
        ("wrong-path", (0, "url"), "https://crm.acme.example/deals?stage=won"),
        ("wrong-method", (1, "method"), "PUT"),
    ],
)
def test_an_operator_on_requests_changes_url_or_method(operator, place, value):
    node, param = place
    assert first(operator).workflow["nodes"][node]["params"][param] == value


def test_steps_in_the_wrong_order_run_the_reader_first():
    broken = first("wrong-order")
    assert broken.workflow["edges"] == [{"from": "invoice", "to": "deals"}]
    assert broken.node == "invoice"


def test_an_operator_leaves_the_seed_as_it_was():
    own = seed()
    before = repr(own)
    for operator in OPERATORS.values():
        list(operator(own))
    assert repr(own) == before


def test_a_misspelling_is_no_other_field_of_the_same_record():
    data = {"deals": {"response": {"items": [{"customer": {"id": "cus_9", "identifier": "x", "uid": "y"}}]}}}
    own = replace(seed(), data=data)
    broken = next(iter(OPERATORS["misspelt-field"](own)))
    assert body_of(broken)["customer"] == "${deals.response.items[0].customer.ids}"


def test_the_category_of_a_failure_is_stated_by_the_operator():
    stated = {name: first(name).category for name in ("misspelt-field", "misspelt-node", "name-for-id", "wrong-path")}
    assert stated == {
        "misspelt-field": "template_error", "misspelt-node": "static_validation", "name-for-id": "api_validation",
        "wrong-path": "execution_failure",
    }  # fmt: skip


FORM = {
    "nodes": [
        {
            "id": "charge", "type": "http",
            "params": {
                "method": "POST", "url": "https://pay.acme.example/v1/charges", "params": {"expand_fields": "payer"},
                "body": "amount=${bill.response.cents}&metadata[bill_no]=${bill.response.number}&confirm=yes",
            },
        },
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("operator", "at", "body"),
    [
        ("missing-param", 1, "amount=${bill.response.cents}&confirm=yes"),
        ("wrong-enum", 0, "amount=${bill.response.cents}&metadata[bill_no]=${bill.response.number}&confirm=Yes"),
    ],
)
def test_the_fields_of_a_form_are_broken_like_keys(operator, at, body):
    broken = list(OPERATORS[operator](seed(FORM)))[at]
    assert broken.workflow["nodes"][0]["params"]["body"] == body


def test_no_field_of_a_form_becomes_a_list():
    nodes = [one.workflow["nodes"][0]["params"] for one in OPERATORS["list-for-string"](seed(FORM))]
    assert [params["params"] for params in nodes] == [{"expand_fields": ["payer"]}]


def test_query_parameters_are_broken_like_keys():
    found = [one.workflow["nodes"][0]["params"]["params"] for one in OPERATORS["misspelt-param"](seed(FORM))]
    assert {"expandFields": "payer"} in found

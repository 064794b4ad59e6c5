"""Requests of a source become a workflow that sends them again."""

import json
from dataclasses import replace

from mendbench.importing.interface import FoundExchange
from mendbench.importing.requests_as_workflow import workflow_of_requests
from mendbench.model.exchange import Request, Response
from mendbench.runtime.nodes.http import request_of


def sent(method, url, body=None, **headers):
    data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    request = Request(
        method=method, url=url, headers=tuple((k.replace("_", "-"), v) for k, v in headers.items()), body=data
    )
    return FoundExchange(place=url, request=request, response=None)


def test_each_request_is_a_node_after_the_one_before():
    made = workflow_of_requests([
        sent("GET", "https://shop.example/orders/7"),
        sent("POST", "https://desk.example/v1/tickets", {"subject": "late"}, content_type="application/json", accept="*/*"),
        sent("POST", "mcp://rooms/book_room", {"room": "blue"}),
    ], {})  # fmt: skip
    assert [(node["id"], node["type"], node["params"]) for node in made.workflow["nodes"]] == [
        ("get_7", "http", {"method": "GET", "url": "https://shop.example/orders/7"}),
        (
            "post_tickets",
            "http",
            {"method": "POST", "url": "https://desk.example/v1/tickets", "body": {"subject": "late"}},
        ),
        ("book_room", "mcp", {"server": "rooms", "tool": "book_room", "arguments": {"room": "blue"}}),
    ]
    assert made.workflow["edges"] == [
        {"from": "get_7", "to": "post_tickets"},
        {"from": "post_tickets", "to": "book_room"},
    ]
    assert made.inputs == {}


def test_a_credential_is_an_input_and_one_that_is_used_twice_is_one_input():
    made = workflow_of_requests([
        sent("GET", "https://a.example/x", Authorization="Bearer tok-1"),
        sent("GET", "https://a.example/y", Authorization="Bearer tok-1"),
        sent("GET", "https://b.example/z", Authorization="tok-2", X_API_Key="key-3", X_Tenant="blue"),
    ], {})  # fmt: skip
    assert made.inputs == {"api_token": "tok-1", "api_token_2": "tok-2", "x_api_key": "key-3"}
    assert made.workflow["inputs"].keys() == made.inputs.keys()
    assert [node["params"]["headers"] for node in made.workflow["nodes"]] == [
        {"Authorization": "Bearer ${api_token}"}, {"Authorization": "Bearer ${api_token}"},
        {"Authorization": "${api_token_2}", "X-API-Key": "${x_api_key}", "X-Tenant": "blue"},
    ]  # fmt: skip
    assert "tok-" not in json.dumps(made.workflow)


def test_the_values_of_inputs_become_templates_and_give_them_their_types():
    found = [
        sent("GET", "https://shop.example/orders/77?by=Ada%20L"),
        sent("POST", "https://desk.example/tickets", {"order": 77, "tags": ["Ada L"], "note": "77 is late"}),
    ]
    made = workflow_of_requests(found, {"order_id": "77", "by": "Ada L"})
    assert [node["id"] for node in made.workflow["nodes"]] == ["get_orders", "post_tickets"]
    assert [node["params"].get("url") for node in made.workflow["nodes"]] == [
        "https://shop.example/orders/${order_id}?by=${by}", "https://desk.example/tickets",
    ]  # fmt: skip
    assert made.workflow["nodes"][1]["params"]["body"] == {
        "order": "${order_id}",
        "tags": ["${by}"],
        "note": "77 is late",
    }
    assert made.inputs == {"order_id": 77, "by": "Ada L"}
    assert {name: spec["type"] for name, spec in made.workflow["inputs"].items()} == {
        "order_id": "integer",
        "by": "string",
    }


def test_a_value_that_stands_in_an_earlier_response_is_named_with_its_template():
    order = sent("GET", "https://shop.example/orders/7")
    got = replace(
        order, response=Response(status=200, body=b'{"id": "A-7", "by": [{"mail": "ada@x.example"}], "n": 1}')
    )
    made = workflow_of_requests(
        [got, sent("POST", "https://desk.example/t", {"for": {"mail": "ada@x.example"}, "n": 1, "id": "B-7"})], {}
    )
    assert made.sources == ("post_t sends 'ada@x.example' as for.mail, which is ${get_7.response.by[0].mail}",)


def test_a_content_type_that_names_a_charset_is_kept():
    made = workflow_of_requests(
        [sent("POST", "https://a.example/x", {"a": 1}, content_type="application/json; charset=utf-8")], {}
    )
    assert made.workflow["nodes"][0]["params"]["headers"] == {"content-type": "application/json; charset=utf-8"}


def test_a_retry_has_no_node_of_its_own_and_names_are_unique():
    again = sent("GET", "https://a.example/x")
    made = workflow_of_requests(
        [again, again, sent("GET", "https://b.example/x"), sent("GET", "https://a.example")], {}
    )
    assert [node["id"] for node in made.workflow["nodes"]] == ["get_x", "get_x_2", "get_a_example"]


def test_forms_and_texts_are_sent_as_they_were():
    form = sent("POST", "https://a.example/f", b"a=1&b=2", content_type="application/x-www-form-urlencoded")
    text = sent("PUT", "https://a.example/t", b"plain words")
    made = workflow_of_requests([form, text], {})
    for node, found in zip(made.workflow["nodes"], (form, text), strict=True):
        assert request_of(node["params"]).body == found.request.body
    assert made.workflow["nodes"][0]["params"]["headers"] == {"content-type": "application/x-www-form-urlencoded"}


def test_without_a_request_that_a_node_sends_there_is_no_workflow():
    assert (
        workflow_of_requests(
            [sent("POST", "model://gpt/chat", {"messages": []}), FoundExchange(place="a", response=None)], {}
        )
        is None
    )

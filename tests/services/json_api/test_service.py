"""An invented API. Row ids are those of the catalogue of API errors."""

from __future__ import annotations

import copy

import pytest

from mendbench.services import simulated
from tests.fakes.services import Client, body_of
from tests.services.json_api.states import LEDGER

NOTE = {"name": "Buoy", "qty": 2}


def ledger(**changes):
    state = copy.deepcopy(LEDGER)
    state["apis"]["ledger"] |= changes
    return Client(simulated("json_api"), state, base="https://api.tide-ledger.example", headers={})


def seen(response):
    return response.status, body_of(response)


def test_a_thing_is_read_by_its_id():
    assert body_of(ledger().send("GET", "/v2/people/p-17"))["email"] == "ada@ledger.example"


@pytest.mark.parametrize(
    ("query", "ids"),
    [("", ["p-17", "p-18", "p-19"]), ("?active=true", ["p-17", "p-19"]), ("?team.code=S", ["p-18"]), ("?limit=1&offset=1", ["p-18"]),
     ("?email=nobody", []), ("?unheard=1", ["p-17", "p-18", "p-19"])],
)  # fmt: skip
def test_a_list_is_filtered_by_equality(query, ids):
    assert [item["id"] for item in body_of(ledger().send("GET", f"/v2/people{query}"))] == ids


def test_a_lookup_finds_by_another_field():
    assert body_of(ledger().send("GET", "/v2/find?email=bo@ledger.example"))["id"] == "p-18"
    assert seen(ledger().send("GET", "/v2/find?mail=bo@ledger.example")) == (404, {"detail": "Person not found"})


def test_a_thing_is_created_with_id_defaults_and_stamp():
    client = ledger()
    assert seen(client.send("POST", "/v2/notes", {**NOTE, "id": "mine"})) == (
        201, {"id": "n-41", "state": "open", "name": "Buoy", "qty": 2, "created_at": "2026-01-01T00:00:00Z"},
    )  # fmt: skip
    assert body_of(client.send("POST", "/v2/notes", NOTE))["id"] == "n-42"


def test_a_patch_merges_and_a_put_replaces():
    client = ledger()
    assert body_of(client.send("PATCH", "/v2/people/p-17", {"team": {"code": "E"}}))["email"] == "ada@ledger.example"
    assert body_of(client.send("PUT", "/v2/people/p-17", {"email": "x"})) == {"id": "p-17", "email": "x"}


def test_a_deleted_thing_is_gone():
    client = ledger()
    assert [client.send("DELETE", "/v2/notes/n-40").status for _ in range(2)] == [204, 404]


def test_a_static_route_always_says_the_same():
    response = ledger().send("GET", "/health")
    assert (*seen(response), response.header("x-build")) == (200, {"up": True}, "7")
    motd = ledger().send("GET", "/motd")
    assert (motd.status, motd.body, motd.header("content-type")) == (203, b"low water", "text/markdown")


FASTAPI = [
    ("F1", {}, [
        {"type": "missing", "loc": ["body", "name"], "msg": "Field required", "input": {}},
        {"type": "missing", "loc": ["body", "qty"], "msg": "Field required", "input": {}},
    ]),
    ("F2", {"name": "", "qty": "two", "kind": "z", "tags": "a"}, [
        {"type": "string_too_short", "loc": ["body", "name"], "msg": "String should have at least 1 character", "input": "", "ctx": {"min_length": 1}},
        {"type": "int_parsing", "loc": ["body", "qty"],
         "msg": "Input should be a valid integer, unable to parse string as an integer", "input": "two"},
        {"type": "literal_error", "loc": ["body", "kind"], "msg": "Input should be 'a' or 'b'", "input": "z", "ctx": {"expected": "'a' or 'b'"}},
        {"type": "list_type", "loc": ["body", "tags"], "msg": "Input should be a valid list", "input": "a"},
    ]),
    ("F5", '{"name":1}', [{
        "type": "model_attributes_type", "loc": ["body"],
        "msg": "Input should be a valid dictionary or object to extract fields from", "input": '{"name":1}',
    }]),
]  # fmt: skip


@pytest.mark.parametrize(("body", "detail"), [row[1:] for row in FASTAPI], ids=[row[0] for row in FASTAPI])
def test_a_body_is_refused_in_fastapis_way(body, detail):
    assert seen(ledger().send("POST", "/v2/notes", body)) == (422, {"detail": detail})


def test_f3_a_template_left_in_the_path():
    assert seen(ledger().send("GET", "/v2/items/%7B%7Bitem.id%7D%7D")) == (422, {"detail": [{
        "type": "int_parsing", "loc": ["path", "item_id"],
        "msg": "Input should be a valid integer, unable to parse string as an integer", "input": "{{item.id}}",
    }]})  # fmt: skip


def test_f3_the_query_is_checked_too():
    assert body_of(ledger().send("GET", "/v2/people?limit=0"))["detail"] == [
        {
            "type": "greater_than_equal",
            "loc": ["query", "limit"],
            "msg": "Input should be greater than or equal to 1",
            "input": "0",
            "ctx": {"ge": 1},
        }
    ]


def test_f4_broken_json_says_where():
    response = ledger().send("POST", "/v2/notes", raw=b'{"name": "a",}', headers={"content-type": "application/json"})
    status, body = seen(response)
    assert (status, body["detail"][0]["type"], body["detail"][0]["loc"][0]) == (422, "json_invalid", "body")
    assert body["detail"][0]["msg"] == "JSON decode error"


def test_f5_a_form_is_no_object():
    sent = {"content-type": "application/x-www-form-urlencoded"}
    body = body_of(ledger().send("POST", "/v2/notes", raw=b"name=x", headers=sent))
    assert (body["detail"][0]["type"], body["detail"][0]["input"]) == ("model_attributes_type", "name=x")


def test_f6_the_wording_distinguishes_a_wrong_url_from_a_missing_thing():
    assert seen(ledger().send("GET", "/v2/peolpe")) == (404, {"detail": "Not Found"})
    assert seen(ledger().send("GET", "/v2/items/7")) == (404, {"detail": "Item not found"})


def test_f7_another_verb_is_not_allowed():
    response = ledger().send("POST", "/v2/people/p-17", {})
    assert (*seen(response), response.header("allow")) == (405, {"detail": "Method Not Allowed"}, "GET, PATCH, PUT")


def test_pydantic_takes_a_number_in_a_text():
    assert body_of(ledger().send("POST", "/v2/notes", {"name": "x", "qty": "2"}))["qty"] == 2


def test_other_styles_do_not():
    assert ledger(error_style="problem").send("POST", "/v2/notes", {"name": "x", "qty": "2"}).status == 422


def test_references_unique_fields_and_rules_are_checked_in_this_order():
    client = ledger()
    assert seen(client.send("POST", "/v2/notes", {**NOTE, "person_id": "p-99", "slug": "first"})) == (
        404,
        {"detail": "Person not found"},
    )
    assert seen(client.send("POST", "/v2/notes", {"name": "x", "qty": 101, "slug": "first"})) == (
        409,
        {"detail": "Note with slug 'first' already exists"},
    )
    assert seen(client.send("POST", "/v2/notes", {"name": "x", "qty": 101})) == (403, {"detail": "Too many"})
    assert client.send("POST", "/v2/notes", {"name": "x", "qty": 100, "person_id": "p-17"}).status == 201


def test_f10_a_business_limit_is_a_problem_of_its_own():
    body = {
        "type": "https://example.com/probs/out-of-credit", "title": "You do not have enough credit.",
        "detail": "Your current balance is 30, but that costs 50.", "instance": "/account/12345/msgs/abc",
        "balance": 30, "accounts": ["/account/12345", "/account/67890"],
    }  # fmt: skip
    rule = {
        "when": {"body": {"price": {"$above": 30}}},
        "status": 403,
        "body": body,
        "headers": {"Content-Type": "application/problem+json"},
    }
    client = ledger(
        routes={"POST /msgs": {"collection": "msgs", "action": "create", "rules": [rule]}}, error_style="problem"
    )
    response = client.send("POST", "/msgs", {"price": 50})
    assert seen(response) == (403, body)
    assert response.header("content-type") == "application/problem+json"


def test_f11_a_problem_points_into_the_body():
    schema = {
        "properties": {
            "age": {"type": "integer", "minimum": 1},
            "profile": {"type": "object", "properties": {"color": {"enum": ["green", "red", "blue"]}}},
        }
    }
    client = ledger(
        routes={"POST /v1/x": {"collection": "xs", "action": "create", "schema": schema}}, error_style="problem"
    )
    response = client.send("POST", "/v1/x", {"age": 0, "profile": {"color": "teal"}})
    assert seen(response) == (422, {
        "type": "https://api.tide-ledger.example/validation-error", "title": "Your request is not valid.",
        "errors": [
            {"detail": "must be a positive integer", "pointer": "#/age"},
            {"detail": "must be 'green', 'red' or 'blue'", "pointer": "#/profile/color"},
        ],
    })  # fmt: skip
    assert response.header("content-type") == "application/problem+json"


def test_a_problem_without_a_type_of_its_own():
    assert seen(ledger(error_style="problem").send("GET", "/v2/people/p-1")) == (
        404, {"type": "about:blank", "title": "Not Found", "status": 404, "detail": "Person not found"},
    )  # fmt: skip


def test_plain_errors_are_texts():
    response = ledger(error_style="plain").send("POST", "/v2/notes", {"qty": 1})
    assert (response.status, response.body, response.header("content-type")) == (
        400,
        b"name: is required",
        "text/plain; charset=utf-8",
    )


@pytest.mark.parametrize(("http_status", "status"), [(False, 200), (True, 404)])
def test_ok_false_comes_with_200_unless_set_otherwise(http_status, status):
    client = ledger(error_style="ok_false", http_status=http_status)
    assert seen(client.send("GET", "/v2/people/p-1")) == (status, {"ok": False, "error": "Person not found"})


def test_answers_can_be_wrapped():
    client = ledger(wrap={"one": "data", "many": "items", "total": "count", "extra": {"ok": True}})
    assert list(body_of(client.send("GET", "/v2/people/p-17"))) == ["data", "ok"]
    listed = body_of(client.send("GET", "/v2/people?limit=1"))
    assert (len(listed["items"]), listed["count"], listed["ok"]) == (1, 3, True)


AUTH = {
    "header": "Authorization",
    "tokens": {"good": {}, "narrow": {"routes": ["GET /health"]}, "old": {"expired": True}},
}


@pytest.mark.parametrize(
    ("value", "status", "detail"),
    [(None, 401, "Not authenticated"), ("good", 401, "Not authenticated"), ("Bearer wrong", 401, "Invalid authentication credentials"),
     ("Bearer old", 401, "Invalid authentication credentials"), ("Bearer Bearer good", 401, "Invalid authentication credentials"),
     ("Bearer narrow", 403, "Not enough permissions")],
)  # fmt: skip
def test_a_request_without_rights_is_refused_before_its_body(value, status, detail):
    response = ledger(auth=AUTH).send("POST", "/v2/notes", {}, headers={"authorization": value})
    assert seen(response) == (status, {"detail": detail})


def test_a_good_token_passes_and_a_narrow_one_where_it_may():
    client = ledger(auth=AUTH)
    assert client.send("GET", "/v2/people", headers={"authorization": "Bearer good"}).status == 200
    assert client.send("GET", "/health", headers={"authorization": "Bearer narrow"}).status == 200


def test_a_key_may_come_bare_in_a_header_of_its_own_or_in_the_query():
    client = ledger(auth={"header": "X-Api-Key", "query": "key", "tokens": {"good": {}}})
    assert client.send("GET", "/health", headers={"x-api-key": "good"}).status == 200
    assert client.send("GET", "/health?key=good").status == 200
    assert client.send("GET", "/health?key=bad").status == 401


def test_without_declared_tokens_any_is_good():
    assert ledger(auth={"header": "X-Api-Key"}).send("GET", "/health", headers={"x-api-key": "what"}).status == 200


def test_failures_are_answered_in_their_order_and_then_the_route():
    planned = {
        "GET /v2/people": [
            {"status": 503, "body": "busy", "headers": {"Retry-After": "20"}, "times": 2},
            {"status": 500, "body": {"e": 1}},
        ]
    }
    client = ledger(failures=planned)
    responses = [client.send("GET", "/v2/people") for _ in range(4)]
    assert [response.status for response in responses] == [503, 503, 500, 200]
    assert responses[0].header("retry-after") == "20"
    assert body_of(responses[2]) == {"e": 1}


def test_two_apis_keep_their_data_apart():
    other = {"host": "b.example", "routes": {"GET /v2/people": {"collection": "people", "action": "list"}}}
    state = {"apis": {**LEDGER["apis"], "b": other}}
    client = Client(simulated("json_api"), state, base="https://b.example", headers={})
    assert body_of(client.send("GET", "/v2/people")) == []


def test_a_single_api_may_stand_at_the_top():
    state = {"host": "solo.example", "routes": {"GET /x": {"action": "static", "body": 1}}}
    assert (
        body_of(Client(simulated("json_api"), state, base="http://solo.example:8080", headers={}).send("GET", "/x"))
        == 1
    )


def test_a_form_body_is_read_where_the_route_says_so():
    route = {
        "collection": "xs",
        "action": "create",
        "body_format": "form",
        "schema": {"properties": {"qty": {"type": "integer"}}},
    }
    client = ledger(routes={"POST /x": route})
    response = client.send(
        "POST", "/x", raw=b"qty=4&name=a+b", headers={"content-type": "application/x-www-form-urlencoded"}
    )
    assert body_of(response) == {"id": 1, "qty": 4, "name": "a b"}

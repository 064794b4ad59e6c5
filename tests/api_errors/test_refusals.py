from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.api_errors.envelopes import failure_in
from mendbench.api_errors.refusals import failed_parts, holds_done, refusal_in, well


@pytest.mark.parametrize(
    ("layer", "says"),
    [
        ({"errcode": 47001, "errmsg": "data format error"}, "data format error"),
        ({"code": 40001, "msg": "token expired", "data": None}, "token expired"),
        ({"status": "error", "message": "no such city"}, "no such city"),
        ({"status": "fail", "data": {"title": "A title is required"}}, "A title is required"),
        ({"result": "error", "reason": "Parameter 'city' is missing"}, "Parameter 'city' is missing"),
        ({"error_message": "no key", "results": [], "status": "REQUEST_DENIED"}, "no key"),
        ({"cod": "404", "message": "city not found"}, "city not found"),
        ({"status": False, "message": "no"}, "no"),
        ({"error": True, "message": "no", "extra": 1}, "no"),
        ({"errors": {"name": ["is blank"]}}, "is blank"),
        ({"statusCode": 500, "headers": {"a": "b"}, "body": "broken"}, "broken"),
        ({"Error Message": "Invalid call"}, "Invalid call"),
    ],
)
def test_an_answer_that_is_nothing_but_a_refusal_says_what_was_refused(layer, says):
    assert refusal_in(layer) == says


@pytest.mark.parametrize(
    "layer",
    [
        {},
        {"errcode": 0, "errmsg": "ok"},
        {"code": 0, "msg": "success", "data": {}},
        {"code": 200, "message": "fetched", "data": []},
        {"status": "success", "message": "Invalid entries were removed"},
        {"success": True, "errors": [], "messages": ["deprecated"]},
        {"id": 7, "status": "failed", "message": "card declined"},
        {"state": "failure", "description": "testing"},
        {"valid": False, "errors": [{"message": "profanity"}]},
        {"url": "https://a.example", "status_code": 500, "message": "down"},
        {"file": "a.py", "errorCount": 2, "messages": [{"message": "x is not defined"}]},
        {"error": "None"},
    ],
)
def test_data_and_codes_of_success_are_no_refusal(layer):
    assert refusal_in(layer) is None


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ({"responses": [{"id": "1", "status": 200, "body": {}}, {"id": "2", "status": 403, "body": {}}]}, 1),
        (
            {"errors": True, "items": [{"index": {"status": 201}}, {"index": {"status": 400, "error": {"type": "x"}}}]},
            1,
        ),
        ([{"id": "1", "success": True, "errors": []}, {"success": False, "errors": [{"message": "no"}]}], 1),
        ([{"ErrorCode": 0, "Message": "OK"}, {"ErrorCode": 406, "Message": "inactive"}], 1),
        ({"Successful": [], "Failed": [{"Id": "2", "Code": "x"}, {"Id": "3", "Code": "x"}]}, 2),
        ({"FailedRecordCount": 1, "Records": [{"ErrorCode": None}, {"ErrorCode": "x"}]}, 1),
        ({"success": 1, "failure": 1, "results": [{"message_id": "m"}, {"error": "NotRegistered"}]}, 1),
        ({"status": "COMPLETE", "results": [], "numErrors": 1, "errors": [{"message": "no such id"}]}, 1),
    ],
)
def test_the_refused_part_of_a_batch_is_found(body, count):
    refused = failed_parts(body)
    assert refused is not None
    assert len(refused.refused) == count
    embedded = failure_in(body)
    assert embedded is not None
    assert embedded.body == refused.refused


@pytest.mark.parametrize(
    "body",
    [
        [],
        [{"id": 47, "status": "failed"}, {"id": 46, "status": "success"}],
        {"results": [{"test": "login", "success": False}, {"test": "logout", "success": True}]},
        {"monitors": [{"name": "api", "status_code": 500, "last_error": "HTTP 500"}]},
        {"data": [{"id": 1, "error": "insufficient funds"}, {"id": 2, "error": None}]},
        {"FailedRecordCount": 0, "Records": [{"ErrorCode": None}]},
        {"errors": False, "items": [{"index": {"status": 201}}]},
        {"passed": 10, "failed": 1, "results": [{"error": "assertion"}]},
        {"succeeded": 10, "failed": 2, "items": [{"job": "a", "error": "boom"}, {"job": "b"}]},
        {"failedCount": 7, "items": [{"run": 1, "errorCode": "E1"}, {"run": 2}]},
        {"failed": [{"name": "t1"}], "success": [{"name": "t2"}], "total": 2},
        [
            {"url": "https://a.example", "status": 503, "body": "Service Unavailable"},
            {"url": "https://b.example", "status": 200, "body": "ok"},
        ],
        {"checks": [{"name": "login", "status": 500, "response": "boom"}, {"name": "home", "status": 200, "body": ""}]},
    ],
)
def test_a_list_of_things_that_failed_elsewhere_is_no_refused_batch(body):
    assert failed_parts(body) is None
    assert failure_in(body) is None


@pytest.mark.parametrize(
    ("body", "some_done"),
    [
        ([{"status": 200, "body": {}}, {"status": 403, "body": {}}], True),
        ([{"status": 403, "body": {}}, {"status": 404, "body": {}}], False),
        ({"Successful": [], "Failed": [{"Id": "2", "Code": "x"}]}, False),
        ({"Successful": [{"Id": "1"}], "Failed": [{"Id": "2", "Code": "x"}]}, True),
        ({"created": ["a"], "failed": ["b"]}, True),
        ({"results": [], "errors": [{"message": "no such id"}]}, False),
        ({"success": 0, "failure": 1, "results": [{"error": "NotRegistered"}]}, False),
        ({"succeeded": 9, "failed": 2, "items": [{"error": "a"}]}, True),
    ],
)
def test_whether_a_part_of_a_batch_was_done_is_reported(body, some_done):
    parts = failed_parts(body)
    assert parts is not None
    assert parts.some_done is some_done


@pytest.mark.parametrize(
    ("value", "done"),
    [
        ({"issueCreate": {"success": False, "issue": {"id": 1}}}, False),
        ({"a": {"__typename": "A", "clientMutationId": "7", "b": [None, {}]}}, False),
        ({"a": None, "b": {"c": [{"d": 0}]}}, True),
        ({"a": {"id": "1", "userErrors": [{"message": "no"}]}}, False),
        ({"delete": True}, True),
        ({"delete": False}, False),
    ],
)
def test_data_that_holds_nothing_but_refused_payloads_and_empty_slots_was_not_done(value, done):
    assert holds_done(value) is done


@pytest.mark.parametrize(
    ("text", "is_well"), [("OK", True), ("no error", True), ("none", True), ("not ok", False), ("", False)]
)
def test_words_of_success_in_an_error_slot_are_kept(text, is_well):
    assert well(text) is is_well


SLOTS = st.sampled_from(
    ["ok", "error", "errors", "code", "errcode", "message", "status", "body", "data", "results", "Failed", "failure"]
)
VALUES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from(["403", "fail", "false"])
)
JSON = st.recursive(
    VALUES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(SLOTS, inner, max_size=5), max_leaves=15
)


@given(JSON)
def test_no_value_makes_the_reading_raise_and_no_failure_is_empty(body):
    found = failure_in(body)
    assert found is None or isinstance(found.message, str)
    refused = failed_parts(body)
    assert refused is None or refused.refused

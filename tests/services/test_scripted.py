from __future__ import annotations

from mendbench.services.scripted import next_failure


def statuses(draft, routes, count):
    planned = [next_failure(draft, routes) for _ in range(count)]
    return [found.response.status if found else None for found in planned]


def test_entries_are_used_in_order_and_as_often_as_they_say():
    draft = {"failures": {"a": [{"status": 500, "times": 2}, {"status": 429}]}}
    assert statuses(draft, ("a",), 4) == [500, 500, 429, None]


def test_null_times_is_for_ever():
    assert statuses({"failures": {"a": [{"status": 500, "times": None}]}}, ("a",), 3) == [500, 500, 500]


def test_a_star_stands_for_every_route_after_the_routes_own():
    draft = {"failures": {"*": [{"status": 503}], "a": [{"status": 500}]}}
    assert statuses(draft, ("a",), 3) == [500, 503, None]


def test_a_fault_has_no_status_and_keeps_what_had_come():
    found = next_failure({"failures": {"a": [{"fault": "truncated", "body": '{"ok"'}]}}, ("a",))
    assert (found.response.status, found.response.fault, found.response.body, found.applied) == (
        0,
        "truncated",
        b'{"ok"',
        False,
    )


def test_json_and_text_get_their_content_type():
    draft = {"failures": {"a": [{"status": 500, "body": {"e": 1}}, {"status": 500, "body": "x"}, {"status": 500}]}}
    found = [next_failure(draft, ("a",)).response.header("content-type") for _ in range(3)]
    assert found == ["application/json; charset=utf-8", "text/plain; charset=utf-8", None]

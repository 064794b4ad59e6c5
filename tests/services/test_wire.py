from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.model.exchange import Request, Response
from mendbench.services.wire import accepted_writes, iso_time, left_by, match_path, parse_json, read_call, same_data


@pytest.mark.parametrize(
    ("pattern", "path", "found"),
    [
        ("/people/{id}", ("people", "p-1"), {"id": "p-1"}),
        ("/people/{id}", ("people", ""), None),
        ("/people/{id}", ("people",), None),
        ("/people/{id}", ("people", "p-1", "x"), None),
        ("/files/{path*}", ("files", "a", "b.md"), {"path": "a/b.md"}),
        ("/people", ("people", ""), None),
        ("/people", ("people",), {}),
    ],
)
def test_a_path_is_matched(pattern, path, found):
    assert match_path(pattern, path) == found


def test_a_call_is_taken_apart():
    call = read_call(Request(method="get", url="https://x.example/a%20b/c?q=1&q=2&e=", headers=(("X-A", " v "),)))
    assert (call.method, call.segments, call.parameter("q"), call.parameter("e"), call.header("x-a")) == (
        "GET",
        ("a b", "c"),
        "2",
        "",
        "v",
    )


def test_a_url_that_cannot_be_read_is_the_root():
    assert read_call(Request(method="GET", url="http://[broken")).path == "/"


@pytest.mark.parametrize("text", ["[" * 100_000, "[" * 65 + "]" * 65, "NaN", "[1e999]", "{", ""])
def test_odd_json_is_a_value_error(text):
    with pytest.raises(ValueError):
        parse_json(text)


@given(st.integers(0, 60))
def test_reasonable_depths_are_read(depth):
    assert parse_json("[" * depth + "1" + "]" * depth) is not None


def test_time_is_written_as_apis_do():
    assert iso_time(1_767_225_600_999) == "2026-01-01T00:00:00Z"


DATA = st.recursive(
    st.integers(0, 2) | st.text("ab", max_size=2) | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abc"), inner, max_size=2),
    max_leaves=5,
)
STATES = st.dictionaries(st.sampled_from(["channels", "users", "messages"]), DATA, max_size=3)


@given(state=STATES, counted=STATES)
def test_what_counts_requests_and_what_is_empty_make_no_other_state(state, counted):
    assert same_data(state, {**state, "failures": counted, "rate_limits": counted, "tries": counted})
    assert same_data(state, {**state, "more": {}, "members": {"C1": {}}, "list": [], "none": None})


@given(state=STATES, value=st.integers(1, 3) | st.just([0]) | st.just({"C1": {"U1": True}}) | st.just(False))
def test_what_is_there_and_was_not_makes_another_state(state, value):
    assert not same_data(state, {**state, "more": value})


@pytest.mark.parametrize(
    ("method", "status", "after", "writes"),
    [
        ("POST", 200, {"a": 2}, 1),
        ("GET", 200, {"a": 2}, 1),
        ("HEAD", 200, {"a": 2}, 0),
        ("OPTIONS", 200, {"a": 2}, 0),
        ("POST", 422, {"a": 2}, 0),
        ("POST", 200, {"a": 1, "seen": {}}, 0),
    ],
)
def test_only_what_was_accepted_and_changed_something_leaves_a_trace(method, status, after, writes):
    before = {"a": 1}
    left = left_by(Request(method=method, url="https://x.example/"), Response(status=status), before, dict(after))
    assert accepted_writes(left) == writes
    assert (left == before) is (writes == 0)

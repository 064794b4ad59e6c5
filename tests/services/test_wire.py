from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.model.exchange import Request
from mendbench.services.wire import iso_time, match_path, parse_json, read_call


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

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.services.json_api.schema import checked

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


def kinds(value, schema, *, lax=False):
    return [violation.kind for violation in checked(value, schema, lax=lax)[1]]


@pytest.mark.parametrize(
    ("value", "schema", "expected"),
    [
        (True, {"type": "integer"}, ["type"]),
        (1.0, {"type": "integer"}, []),
        (1.5, {"type": "integer"}, ["type"]),
        (None, {"type": ["string", "null"]}, []),
        (5, {"type": ["string", "null"]}, ["type"]),
        ("abc", {"maxLength": 2, "pattern": "^x"}, ["too_long"]),
        ([1], {"minItems": 2}, ["few"]),
        ([1, 2, 3], {"maxItems": 2}, ["many"]),
        ({"a": 1, "b": 2}, {"properties": {"a": {}}, "additionalProperties": False}, ["extra"]),
        ({}, {"required": ["unlisted"]}, ["missing"]),
        (7, {"maximum": 6}, ["maximum"]),
        ([{"n": "x"}], {"items": {"properties": {"n": {"type": "number"}}}}, ["type"]),
    ],
)
def test_a_value_is_checked(value, schema, expected):
    assert kinds(value, schema) == expected


def test_a_violation_says_where():
    assert checked(
        {"a": [{"n": "x"}]}, {"properties": {"a": {"items": {"properties": {"n": {"type": "number"}}}}}}, lax=False
    )[1][0].path == ("a", 0, "n")


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [("12", "integer", 12), (" -3 ", "integer", -3), ("1.5", "number", 1.5), ("yes", "boolean", True)],
)
def test_texts_are_read_where_the_style_is_lax(text, kind, value):
    assert checked(text, {"type": kind}, lax=True) == (value, [])
    assert kinds(text, {"type": kind}) == ["type"]


@given(value=JSON, lax=st.booleans())
def test_whatever_the_value_an_empty_schema_takes_it_unchanged(value, lax):
    assert checked(value, {}, lax=lax) == (value, [])


@given(value=JSON, kind=st.sampled_from(["string", "integer", "number", "boolean", "array", "object", "null"]))
def test_exactly_the_values_of_a_type_fit_it(value, kind):
    python = {
        "string": str,
        "integer": int,
        "number": (int, float),
        "boolean": bool,
        "array": list,
        "object": dict,
        "null": type(None),
    }[kind]
    fits = isinstance(value, python) and (kind == "boolean" or not isinstance(value, bool))
    fits = fits or (kind == "integer" and isinstance(value, float) and value.is_integer())
    assert (kinds(value, {"type": kind}) == []) is fits


def test_of_very_many_violations_the_first_thousand_are_reported():
    names = [f"name-{number}" for number in range(3000)]
    assert [one.path for one in checked({}, {"required": names}, lax=False)[1]] == [(name,) for name in names[:1000]]

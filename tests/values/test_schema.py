"""Where a document is not as its readers need it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.values.schema import (
    COUNT,
    FLAG,
    MAYBE_TEXT,
    TEXT,
    TEXTS,
    among,
    fields,
    many,
    matching,
    maybe,
    misfit,
    named,
    text_or,
)

SHAPE = fields(
    {"name": TEXT, "times": COUNT, "flags": many(FLAG), "by": named(MAYBE_TEXT), "kind": maybe(among(("a", "b")))},
    {"more": text_or(TEXTS), "pair": matching("[a-z]+:[a-z]+", "KEY:VALUE")},
)  # fmt: skip
RIGHT = {"name": "n", "times": 0, "flags": [True], "by": {"x": None}, "kind": None, "other": object}


def test_what_fits_fits_whatever_else_it_has():
    assert misfit(RIGHT, SHAPE) is None
    assert misfit({**RIGHT, "more": ["a"], "kind": "b", "pair": "a:b"}, SHAPE) is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": 5}, "name: 5, where a text is due"),
        ({"times": True}, "times: True, where a whole number is due"),
        ({"times": -1}, "times: -1, which is below 0"),
        ({"flags": [True, 1]}, "flags[1]: 1, where true or false is due"),
        ({"flags": {}}, "flags: {}, where a list is due"),
        ({"by": {"x": []}}, "by.x: [], where a text is due"),
        ({"by": 1}, "by: 1, where an object is due"),
        ({"kind": []}, "kind: [], where one of a, b is due"),
        ({"more": [1]}, "more[0]: 1, where a text is due"),
        ({"pair": "a:b:c"}, "pair: 'a:b:c', where KEY:VALUE is due"),
        ({"pair": 1}, "pair: 1, where KEY:VALUE is due"),
    ],
)
def test_the_first_place_that_does_not_fit_is_reported(change, message):
    assert misfit({**RIGHT, **change}, SHAPE) == message


def test_what_is_missing_and_what_is_no_object_are_reported():
    assert misfit({}, SHAPE) == "name: missing"
    assert misfit([], SHAPE) == "[], where an object is due"


@given(
    st.recursive(
        st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_whatever_is_checked_nothing_is_raised(value):
    assert misfit(value, SHAPE) is not None


def test_a_credential_in_what_is_quoted_is_not_shown_in_part_either():
    password = "".join(f"{at:x}Q{at * 7:x}z" for at in range(20))
    message = str(misfit({**RIGHT, "flags": {"a": f"redis://:{password}@cache.example:6379/0"}}, SHAPE))
    assert message.startswith("flags: {'a': 'redis://")
    assert password[:8] not in message

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.io.canonical_json import canonical_json, digest, pretty_json

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


def reordered(value):
    if isinstance(value, dict):
        return {key: reordered(value[key]) for key in reversed(value)}
    return [reordered(item) for item in value] if isinstance(value, list) else value


@given(value=values)
def test_the_order_of_keys_does_not_matter(value):
    assert canonical_json(value) == canonical_json(reordered(value))
    assert digest(value) == digest(reordered(value))


@given(value=values)
def test_the_value_is_kept(value):
    assert json.loads(canonical_json(value)) == value


def test_whole_floats_are_integers():
    assert canonical_json({"b": 1.0, "a": [2.5]}) == '{"a":[2.5],"b":1}'


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1e16, "10000000000000000"), (-3.0, "-3"), ([0.5, -0.0], "[0.5,0]"), ({"v": "1.0"}, '{"v":"1.0"}'),
        (["[1.0]", 1.0], '["[1.0]",1]'), (1e-07, "1e-07"), (10.05, "10.05"), (1.5e300, f"{int(1.5e300)}"),
    ],
)  # fmt: skip
def test_a_number_has_one_spelling(value, text):
    assert canonical_json(value) == text


@given(value=values)
def test_no_number_keeps_a_point_that_it_does_not_need(value):
    def whole(item):
        if isinstance(item, float) and item.is_integer():
            return int(item)
        if isinstance(item, dict):
            return {key: whole(each) for key, each in item.items()}
        return [whole(each) for each in item] if isinstance(item, list) else item

    plain = json.dumps(whole(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert canonical_json(value) == plain


@given(value=values)
def test_json_for_people_keeps_order_and_spelling(value):
    for _ in range(2):
        assert pretty_json(value) == json.dumps(value, indent=1, ensure_ascii=False)


def test_what_is_not_json_is_refused():
    with pytest.raises(TypeError):
        canonical_json({"a": object()})


def test_a_digest_has_the_length_asked_for_and_takes_bytes_as_they_are():
    assert len(digest({"a": 1}, 40)) == 40
    assert digest(b'"a"') == digest("a")
    assert digest("\ud800")

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mendbench.model.case import NoRequestCheck, RequestCheck
from mendbench.scoring.judging.matching import carries, contains, is_forbidden, is_wanted, same
from tests.fakes.scoring import POST, exchange

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
FORM = (("content-type", "application/x-www-form-urlencoded"),)


@settings(deadline=None)
@given(VALUES)
def test_every_value_contains_itself(value):
    assert contains(value, value)
    assert same(value, value)


@settings(deadline=None)
@given(st.dictionaries(st.text(), VALUES, max_size=4), st.text(), VALUES)
def test_an_object_contains_what_is_left_of_it_when_a_key_goes(whole, key, value):
    assert contains({**whole, key: value}, {name: item for name, item in whole.items() if name != key})


@pytest.mark.parametrize(
    ("actual", "expected", "held"),
    [
        ({"a": 1, "b": 2}, {"a": 1.0}, True),
        ({"a": 1}, {"a": True}, False),
        ({"a": 1}, {"a": 1, "b": None}, False),
        ({"a": None}, {"a": None}, True),
        ([1, 2], [1], False),
        ([2, 1], [1, 2], False),
        ([{"a": 1, "b": 2}], [{"a": 1}], True),
        ({"a": [1]}, {"a": {}}, False),
        ("1", 1, False),
        ({}, "x", False),
        ("{}", {}, False),
    ],
)
def test_objects_are_subsets_lists_are_exact_and_whole_floats_are_integers(actual, expected, held):
    assert contains(actual, expected) is held


@pytest.mark.parametrize(
    ("expected", "held"),
    [({"count": 3}, True), ({"count": "3"}, True), ({"blocks": [{"type": "x"}]}, True), ({"count": 4}, False), ({"text": True}, False), ([], False)],
)  # fmt: skip
def test_a_form_compares_as_an_object_whose_fields_may_be_json(expected, held):
    body = b"count=3&text=hi&blocks=%5B%7B%22type%22%3A%22x%22%7D%5D"
    assert carries(exchange(body, headers=FORM).request, expected) is held


@settings(deadline=None)
@given(st.dictionaries(st.text(), VALUES, max_size=4), st.text(), VALUES)
def test_only_takes_no_key_beside_at_any_depth(whole, key, value):
    assert contains(whole, whole, only=True)
    assert contains([{"in": whole}], [{"in": whole}], only=True)
    if key not in whole:
        assert not contains({**whole, key: value}, whole, only=True)
        assert not contains([{"in": {**whole, key: value}}], [{"in": whole}], only=True)
        assert not contains(whole, {**whole, key: value}, only=True)


@pytest.mark.parametrize(
    ("body", "held"), [(b"text=hi&count=3", True), (b"text=hi&count=3&blocks=%5B%5D", False), (b"text=hi", False)]
)
def test_only_goes_for_the_fields_of_a_form_too(body, held):
    assert carries(exchange(body, headers=FORM).request, {"text": "hi", "count": 3}, only=True) is held


@given(st.booleans(), st.booleans())
def test_what_was_sent_and_what_it_means_are_both_looked_at(sent_so, meant_so):
    right, other = exchange({"text": "hi"}).request, exchange(method="GET", url="https://else.example/").request
    one = exchange({"text": "hi"}) if sent_so else exchange(method="GET", url="https://else.example/")
    one = dataclasses.replace(one, meaning=right if meant_so else other)
    assert is_wanted(one, RequestCheck(method="POST", url=POST, json={"text": "hi"})) is (sent_so or meant_so)
    assert is_forbidden(one, NoRequestCheck(method="POST", url=r"chat\.postMessage$")) is (sent_so or meant_so)


def test_urls_compare_normalised_and_headers_without_case():
    sent = exchange(
        {"text": "x"}, url="https://SLACK.com:443/api/chat.postMessage?b=2&a=1", headers=(("X-Team", "core"),)
    )
    wanted = RequestCheck(method="post", url=f"{POST}?a=1&b=2", headers={"x-team": "core"}, text="te.t")
    assert is_wanted(sent, wanted)
    assert not is_wanted(sent, RequestCheck(method="POST", url=POST))
    assert not is_wanted(sent, RequestCheck(method="POST", url=wanted.url, headers={"x-team": "other"}))
    assert not is_wanted(sent, RequestCheck(method="POST", url=wanted.url, text="^te.t"))


def test_a_forbidden_request_is_found_anywhere_in_the_url_and_by_its_body():
    sent = exchange({"channel": "C9"}, url="https://slack.com/api/chat.delete")
    assert is_forbidden(sent, NoRequestCheck(url=r"chat\.delete$"))
    assert is_forbidden(sent, NoRequestCheck(method="POST", json={"channel": "C9"}))
    assert not is_forbidden(sent, NoRequestCheck(method="DELETE", url=r"chat\.delete"))
    assert not is_forbidden(sent, NoRequestCheck(json={"channel": "C1"}))

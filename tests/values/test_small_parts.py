"""The clock, the merge patch, token estimates and URLs."""

from __future__ import annotations

import copy
from urllib.parse import parse_qsl, quote, quote_plus, urlencode, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.exchanges.urls import host_of, normalise_url
from mendbench.io.virtual_clock import START_MS, VirtualClock
from mendbench.strategies.tokens import estimate
from mendbench.values.merge_patch import merge_patch
from tests.fakes.tables import for_each


def test_a_clock_moves_only_on_request_and_never_back():
    clock = VirtualClock()
    assert clock.now_ms() == START_MS
    clock.advance(1500)
    clock.advance(0)
    assert clock.now_ms() == START_MS + 1500
    with pytest.raises(ValueError, match="-1"):
        clock.advance(-1)


@for_each(
    ("target", "patch", "expected"),
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": "foo"}, None, None),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_a_merge_patch_follows_the_examples_of_its_rfc(target, patch, expected):
    before = copy.deepcopy((target, patch))
    assert merge_patch(target, patch) == expected
    assert (target, patch) == before


def test_only_an_empty_text_has_no_tokens():
    assert estimate("") == 0
    assert estimate("a") == 1
    assert estimate("x" * 3200) == 1000
    assert estimate("\ud800") == 1


@for_each(
    ("url", "expected"),
    [
        ("HTTPS://API.Test:443/a?b=2&a=1#frag", "https://api.test/a?a=1&b=2"),
        ("http://a.test", "http://a.test/"),
        ("http://a.test:8080/x%7Ey/%2e", "http://a.test:8080/x~y/."),
        ("https://a.test/?a=2&a=1&c", "https://a.test/?a=2&a=1&c="),
        ("https://me:pw@a.test/", "https://me:pw@a.test/"),
        ("http://[::1]:80/", "http://[::1]/"),
        ("mcp://Server/tool", "mcp://server/tool"),
        ("no url", "no url"),
        ("http://a.test:port/", "http://a.test:port/"),
        ("http://[bad", "http://[bad"),
        ("https://a.test/a%2fb", "https://a.test/a%2Fb"),
        ("https://a.test/%c3%a9/\u00e9", "https://a.test/%C3%A9/%C3%A9"),
        ("https://a.test/100%", "https://a.test/100%25"),
        ("https://a.test/a b", "https://a.test/a%20b"),
        ("https://a.test/?q=a+b&p=%7e", "https://a.test/?p=~&q=a%20b"),
        ("https://a.test/?q=a%2fb", "https://a.test/?q=a%2Fb"),
        ("https://a.test/?a=1&&b", "https://a.test/?a=1&b="),
        ("https://a.test/?q=%ff", "https://a.test/?q=%FF"),
        ("https://a.test/\ud800?q=\ud800", "https://a.test/%ED%A0%80?q=%ED%A0%80"),
    ],
)
def test_a_url_has_one_spelling(url, expected):
    assert normalise_url(url) == expected


@given(path=st.text(max_size=12), query=st.dictionaries(st.text(max_size=4), st.text(max_size=4), max_size=3))
def test_normalising_a_url_twice_changes_nothing_more(path, query):
    once = normalise_url(f"https://a.test/{quote(path)}?{urlencode(query)}")
    assert normalise_url(once) == once


@given(rest=st.text(alphabet="ab/%2fFe7E&=+?#:@ \u00e9;,", max_size=20))
def test_normalising_any_spelling_twice_changes_nothing_more(rest):
    once = normalise_url(f"https://a.test/{rest}")
    assert normalise_url(once) == once


@for_each("reserved", list("/:?#[]@!$&'()*+,;=%"))
def test_a_reserved_character_in_a_path_is_not_its_encoding(reserved):
    encoded = normalise_url(f"https://a.test/x{quote(reserved, safe='')}y")
    assert encoded == normalise_url(f"https://a.test/x{quote(reserved, safe='').lower()}y")
    if reserved not in "[]%":
        assert encoded != normalise_url(f"https://a.test/x{reserved}y")


@given(name=st.text(max_size=4), value=st.text(max_size=4))
def test_a_query_is_one_whether_spaces_are_plus_or_percent_20_and_keeps_what_it_says(name, value):
    plus, percent = (f"https://a.test/?{urlencode([(name, value)], quote_via=how)}" for how in (quote_plus, quote))
    assert normalise_url(plus) == normalise_url(percent)
    assert parse_qsl(urlsplit(normalise_url(plus)).query, keep_blank_values=True) == [(name, value)]


def test_an_encoded_ampersand_in_a_query_parts_nothing():
    assert normalise_url("https://a.test/?q=a%26b=1") != normalise_url("https://a.test/?q=a&b=1")
    assert normalise_url("https://a.test/?q=%ff") != normalise_url("https://a.test/?q=%fe")


@for_each(("url", "host"), [("https://A.test:8/x", "a.test"), ("mcp://Git/tool", "git"), ("shell://sandbox/", "sandbox"), ("nothing", ""), ("http://[bad", "")])  # fmt: skip
def test_the_host_of_a_url(url, host):
    assert host_of(url) == host

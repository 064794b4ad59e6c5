"""URLs for the loopback server, and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.engines.url_mapping import Spelling, hosts_in

SPELLING = Spelling(base="http://127.0.0.1:40123", hosts=frozenset({"api.inn.example", "old.example"}))


@pytest.mark.parametrize(
    ("text", "served"),
    [
        ("https://api.inn.example/a?b=1", "http://127.0.0.1:40123/api.inn.example/a?b=1"),
        ("http://old.example", "http://127.0.0.1:40123/http:old.example"),
        ("https://api.inn.example:8443/a", "http://127.0.0.1:40123/api.inn.example:8443/a"),
        (r"\"https:\/\/api.inn.example\/a\"", r"\"http:\/\/127.0.0.1:40123\/api.inn.example\/a\""),
        ("u=https%3A%2F%2Fapi.inn.example%2Fa", "u=http%3A%2F%2F127.0.0.1%3A40123%2Fapi.inn.example%2Fa"),
        ("https://${host}/a", "http://127.0.0.1:40123/${host}/a"),
        ("go to https://api.inn.example.", "go to http://127.0.0.1:40123/api.inn.example."),
        ("https://api.inn.example.evil.example/a", "https://api.inn.example.evil.example/a"),
        ("https://docs.example/a", "https://docs.example/a"),
        ("api.inn.example", "api.inn.example"),
    ],
)
def test_urls_of_known_hosts_are_rewritten_in_each_spelling_and_come_back(text, served):
    assert SPELLING.to_world(text) == served
    assert SPELLING.back(served) == text


@given(
    st.text(),
    st.sampled_from(["https://api.inn.example", "http://old.example:81", r"https:\/\/api.inn.example", "x"]),
    st.text(),
)
def test_there_and_back_changes_nothing(before, url, after):
    text = f"{before} {url} {after}"
    assert SPELLING.back(SPELLING.to_world(text)) == text


@given(st.text())
def test_nothing_that_comes_back_names_the_port(text):
    assert "127.0.0.1:40123" not in SPELLING.back(f"{text} http://127.0.0.1:40123/-/last 127.0.0.1:40123 {text}")


@pytest.mark.parametrize(
    ("target", "url"),
    [
        ("/api.inn.example/a/b?c=d", "https://api.inn.example/a/b?c=d"),
        ("/http:old.example:8080/", "http://old.example:8080/"),
        ("/api.inn.example?c=d", "https://api.inn.example?c=d"),
        ("http://old.example/a", "http://old.example/a"),
        ("http://127.0.0.1:40123/api.inn.example/a", "https://api.inn.example/a"),
        ("/-/exchange", None),
        ("*", None),
        ("/", None),
        ("/a b/", None),
    ],
)
def test_a_request_target_says_what_is_asked_for(target, url):
    assert SPELLING.asked(target) == url


def test_hosts_are_found_wherever_they_stand():
    assert hosts_in({"a": ["https://One.example:8/x", {"b": "see http://two.example"}], "n": 3}) == {
        "one.example",
        "two.example",
    }


def test_what_is_of_the_moment_is_hidden():
    own = Spelling(base="http://127.0.0.1:1", hidden=(("/var/folders/ab", "<folder>"),))
    assert own.back("cannot read /var/folders/ab/x") == "cannot read <folder>/x"

"""Addresses in one spelling."""

from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.exchanges.urls import effective_method, model_url, split_url


@pytest.mark.parametrize(
    ("model", "url"), [("tiny", "model://tiny/chat"), ("org/small:1", "model://org%2Fsmall%3A1/chat")]
)
def test_a_models_name_is_quoted_in_its_address(model, url):
    assert model_url(model) == url


@given(model=st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_an_address_gives_the_models_name_back(model):
    assert unquote(urlsplit(model_url(model)).netloc) == model


@pytest.mark.parametrize("text", ["http://[", "http://[::1", "//[a]b"])
def test_what_is_no_url_has_empty_parts(text):
    assert split_url(text) == ("", "", "", "", "")


@pytest.mark.parametrize(
    ("method", "url", "meant"),
    [
        ("post", "https://api.example/v1/orders/search?page=2", "GET"),
        ("POST", "https://db.example/druid/v2/sql", "GET"),
        ("POST", "https://db.example/v1/documents:runQuery", "GET"),
        ("POST", "https://api.example/v1/orders", "POST"),
        ("DELETE", "https://api.example/v1/search", "DELETE"),
        ("POST", "https://[", "POST"),
    ],
)
def test_a_query_that_is_sent_by_post_is_a_read(method, url, meant):
    assert effective_method(method, url) == meant

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.cassettes.keys import (
    canonical_body,
    differences,
    first_difference,
    fold,
    identity,
    nearest,
    world_key,
)
from mendbench.model.exchange import Request
from tests.fakes.worlds import get, post

URL = "https://api.test/things"
json_objects = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=10,
)


def form(text, kind="application/x-www-form-urlencoded"):
    return Request(method="POST", url=URL, headers=(("Content-Type", kind),), body=text.encode())


def shuffled(value, rng):
    if isinstance(value, dict):
        keys = list(value)
        rng.shuffle(keys)
        return {key: shuffled(value[key], rng) for key in keys}
    return [shuffled(item, rng) for item in value] if isinstance(value, list) else value


@given(value=json_objects, seed=st.integers())
def test_the_order_of_json_keys_does_not_matter(value, seed):
    other = shuffled(value, random.Random(seed))
    assert world_key(post(URL, value), "", 0) == world_key(post(URL, other), "", 0)
    assert differences(post(URL, value), post(URL, other)) == ()


@given(a=json_objects, b=json_objects)
def test_requests_differ_somewhere_exactly_when_their_identities_do(a, b):
    one, other = post(URL, a), post(URL, b)
    assert (identity(one) == identity(other)) == (differences(one, other) == ())


def test_one_equals_one_point_nought():
    assert identity(post(URL, {"n": 1})) == identity(post(URL, {"n": 1.0}))
    assert identity(post(URL, {"n": 1})) != identity(post(URL, {"n": 1.5}))


def test_form_fields_may_come_in_any_order_but_values_of_one_name_may_not():
    assert identity(form("a=1&b=2")) == identity(form("b=2&a=1"))
    assert identity(form("a=1&a=2")) != identity(form("a=2&a=1"))


def test_multipart_boundaries_do_not_matter_even_around_binary_parts():
    def upload(boundary, data):
        body = f"--{boundary}\r\n\r\n".encode() + data + f"\r\n--{boundary}--".encode()
        return Request(
            method="POST", url=URL, headers=(("Content-Type", f"multipart/form-data; boundary={boundary}"),), body=body
        )

    assert identity(upload("aaa", b"text")) == identity(upload("bbb", b"text"))
    assert identity(upload("aaa", b"\xff\x00")) == identity(upload("bbb", b"\xff\x00"))
    assert identity(upload("aaa", b"\xff\x00")) != identity(upload("aaa", b"\xfe\x00"))


def test_url_spelling_and_method_case_do_not_matter():
    assert identity(Request(method="get", url="HTTPS://API.test:443/things?b=1&a=2")) == identity(get(URL + "?a=2&b=1"))


def test_the_place_in_the_scope_is_part_of_the_key():
    request = get(URL)
    after = fold("", post(URL, {"a": 1}))
    assert len({world_key(request, "", 0), world_key(request, "", 1), world_key(request, after, 0)}) == 3
    assert fold("", post(URL, {"a": 1})) != fold("", post(URL, {"a": 2}))


@pytest.mark.parametrize(
    ("headers", "same"),
    [
        ((("User-Agent", "x"), ("X-Request-Id", "7")), True),
        ((("Accept", "application/json"),), True),
        ((("Accept", "*/*"),), True),
        ((("accept", "Application/JSON"),), True),
        ((("Traceparent", "00-1"), ("Accept-Encoding", "gzip"), ("Content-Length", "0"), ("Date", "now")), True),
        ((("Accept", "text/csv"),), False),
        ((("Accept", "application/vnd.github.raw+json"),), False),
        ((("Accept", "application/json"), ("Accept", "text/csv")), False),
        ((("X-Tenant", "a"),), False),
        ((("Idempotency-Key", "a"),), False),
        ((("X-Auth-Token", "<secret:slack>"),), False),
        ((("Authorization", "<secret:slack>"),), False),
        ((("Notion-Version", "2022-06-28"),), False),
    ],
)
def test_all_headers_but_those_that_decide_nothing_are_part_of_the_key(headers, same):
    assert (identity(get(URL)) == identity(get(URL, headers=headers))) is same
    assert (differences(get(URL), get(URL, headers=headers)) == ()) is same


def test_the_charset_of_a_content_type_does_not_matter():
    plain = Request(method="POST", url=URL, headers=(("content-type", "application/json"),), body=b"{}")
    charset = Request(
        method="POST", url=URL, headers=(("Content-Type", "application/JSON; charset=utf-8"),), body=b"{}"
    )
    assert identity(plain) == identity(charset)


def test_other_parameters_of_a_content_type_matter():
    one, other = (form("x", f"application/vnd.api+json; version={n}") for n in (1, 2))
    assert identity(one) != identity(other)


@pytest.mark.parametrize(
    ("a", "b"),
    [(b"", b"null"), (b"a", b'"a"'), (b"null", b'"null"'), (b"null", b"[]"), (b"7", b'"7"'), (b"1", b"true")],
)
def test_bodies_that_only_look_alike_have_different_keys_and_the_body_is_named(a, b):
    one, other = (Request(method="POST", url=URL, headers=(("Content-Type", "a/b"),), body=body) for body in (a, b))
    assert identity(one) != identity(other)
    assert fold("", one) != fold("", other)
    assert differences(one, other)[0].startswith("body")


def test_a_multipart_text_that_holds_the_boundary_word_is_not_rewritten():
    def upload(text):
        kind = (("Content-Type", "multipart/form-data; boundary=ab"),)
        return Request(method="POST", url=URL, headers=kind, body=f"--ab\r\n\r\n{text}\r\n--ab--".encode())

    assert identity(upload("cab")) != identity(upload("cboundary"))


def test_form_bytes_that_are_no_text_still_differ():
    assert identity(form("a=%ff")) != identity(form("a=%fe"))


def test_where_an_accepted_write_went_is_part_of_what_follows_and_who_wrote_is_not():
    plain = post(URL, {"a": 1})
    assert fold("", plain) == fold("", post(URL, {"a": 1}, headers=(("Authorization", "<secret:x>"),)))
    assert fold("", plain) != fold("", post(URL, {"a": 1}, headers=(("X-Tenant", "b"),)))


DECISIVE = {
    "method": st.sampled_from(["GET", "POST", "PUT"]),
    "path": st.sampled_from(["a/b", "a%2Fb", "a%252Fb", "A/b", "a/b/"]),
    "query": st.sampled_from(["", "q=1", "q=2", "q=1%262", "q=1&q=2", "r=1"]),
    "accept": st.sampled_from(["text/csv", "application/vnd.github.raw+json", "application/json;q=0.5"]),
    "auth": st.sampled_from(
        ["Bearer <secret:a>", "Bearer Bearer <secret:a>", "<secret:a>", "<secret:a><secret:a>", ""]
    ),
    "tenant": st.sampled_from(["a", "b", "A"]),
    "body": st.sampled_from([b"", b"null", b'"null"', b"{}", b"[]", b"0", b"false", b"x", b"\xff", b'""']),
}


def built(parts):
    headers = (("Accept", parts["accept"]), ("Authorization", parts["auth"]), ("X-Tenant", parts["tenant"]))
    url = f"https://api.test/{parts['path']}?{parts['query']}"
    return Request(method=parts["method"], url=url, headers=headers, body=parts["body"])


@given(
    a=st.fixed_dictionaries(DECISIVE), b=st.fixed_dictionaries(DECISIVE), taken=st.sets(st.sampled_from([*DECISIVE]))
)
def test_requests_that_differ_in_a_decisive_part_have_different_keys(a, b, taken):
    other = a | {name: b[name] for name in taken}
    same = a == other
    assert (identity(built(a)) == identity(built(other))) is same
    assert (differences(built(a), built(other)) == ()) is same


def test_a_body_nested_too_deeply_still_has_a_key():
    deep = b"[" * 900 + b"]" * 900
    assert identity(Request(method="POST", url=URL, body=deep)) == identity(Request(method="POST", url=URL, body=deep))


@pytest.mark.parametrize(
    ("a", "b", "names"),
    [
        (get(URL), Request(method="DELETE", url=URL), ("method",)),
        (get(URL + "?limit=1&page=2"), get(URL + "?limit=2&page=2"), ("url.query.limit",)),
        (get("https://api.test/a"), get("http://other.test/b"), ("url.scheme", "url.host", "url.path")),
        (post(URL, {"channel": "C1", "text": "x"}), post(URL, {"channel": "C2", "text": "x"}), ("body.channel",)),
        (post(URL, {"a": {"b": [1, {"c": 2}]}}), post(URL, {"a": {"b": [1, {"c": 3}]}}), ("body.a.b[1].c",)),
        (post(URL, {"a": 1}), post(URL, {"b": 1}), ("body.a", "body.b")),
        (post(URL, {"a": [1]}), post(URL, {"a": [1, 2]}), ("body.a",)),
        (form("a=1&b=2"), form("a=1&b=3"), ("body.b",)),
        (form("hello world", "text/plain"), form("hello there", "text/plain"), ("body at character 6",)),
        (
            post(URL, {"a": 1}),
            Request(method="POST", url=URL, headers=(("Content-Type", "application/json"),)),
            ("body",),
        ),
    ],
)
def test_differing_fields_are_named(a, b, names):
    assert differences(a, b) == names


def test_the_nearest_request_is_on_the_same_host_and_differs_least():
    asked = post("https://api.test/chat.post", {"channel": "C1", "text": "hi"})
    right = post("https://api.test/chat.post", {"channel": "C2", "text": "hi"})
    others = [
        get("https://api.test/chat.post"),
        post("https://api.test/users", {}),
        post("https://other.test/chat.post", {"channel": "C1", "text": "hi"}),
    ]
    assert nearest(asked, [*others, right]) is right
    assert nearest(asked, [others[2]]) is None
    assert nearest(asked, []) is None


def test_where_two_texts_part():
    assert first_difference("abc", "abd") == 2
    assert first_difference("abc", "abcd") == 3
    assert first_difference("abc", "abc") == 3


def test_json_is_known_by_its_content_whatever_the_type_says():
    request = Request(
        method="POST", url=URL, headers=(("Content-Type", "text/plain"),), body=json.dumps({"a": 1}).encode()
    )
    assert canonical_body(request) == {"a": 1}

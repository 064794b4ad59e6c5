"""Wrong names lead to the names that were meant."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mendbench.runtime.suggest import closest, closest_path


@pytest.mark.parametrize(
    ("name", "known", "meant"),
    [
        ("fetch-user", {"fetch_user", "fetch_users"}, "fetch_user"),
        ("Repo", {"repo", "report"}, "repo"),
        ("userId", {"user_id", "userid2"}, "user_id"),
        ("tilte", {"title", "tile_set"}, "title"),
        ("fetchh", {"fetch", "post"}, "fetch"),
        ("shel", {"shell", "http", "llm"}, "shell"),
        ("urll", {"url", "method", "body"}, "url"),
        ("from_node", {"from", "to", "action"}, "from"),
        ("to_node", {"from", "to", "action"}, "to"),
        ("username", {"id", "name", "real_name"}, "name"),
        ("name_user", {"user_name", "name"}, "user_name"),
        ("post", {"post", "posts"}, "post"),
    ],
)
def test_a_slip_leads_to_the_name_that_was_meant(name: str, known: set[str], meant: str) -> None:
    assert closest(name, known) == meant


@pytest.mark.parametrize(
    ("name", "known"), [("body", {"response", "status_code"}), ("x", {"a", "b"}), ("", {"a"}), ("a", set())]
)
def test_nothing_is_suggested_where_nothing_is_like_it(name: str, known: set[str]) -> None:
    assert closest(name, known) is None


def test_of_equally_good_names_the_first_in_the_alphabet_is_taken() -> None:
    assert closest("node_3", ["node_2", "node_1"]) == closest("node_3", ["node_1", "node_2"]) == "node_1"


USER = (
    "f.response",
    "f.response.ok",
    "f.response.user",
    "f.response.user.id",
    "f.response.user.name",
    "f.response.user.profile.email",
)


@pytest.mark.parametrize(
    ("wanted", "available", "meant"),
    [
        ("f.response.user.username", USER, "f.response.user.name"),
        ("f.response.user.nmae", USER, "f.response.user.name"),
        ("f.response.user.email", USER, "f.response.user.profile.email"),
        ("f.response.name", USER, "f.response.user.name"),
        ("f.result.user.name", USER, "f.response.user.name"),
        ("f.response.user.id", USER, "f.response.user.id"),
        ("g.issues.title", ("g.issues", "g.issues[0]", "g.issues[0].title", "g.issues[0].id"), "g.issues[0].title"),
        (
            "g.response.channel",
            ("g.response.channels", "g.response.channels[0]", "g.response.ok"),
            "g.response.channels",
        ),
        ("a.data.title", ("a.data.subtitle", "a.result.list[0].title"), "a.result.list[0].title"),
        ("a.data.messages", ("a.result", "a.result.data", "a.result.data.messages"), "a.result.data.messages"),
    ],
)
def test_a_wrong_path_leads_to_the_closest_one(wanted: str, available: tuple[str, ...], meant: str) -> None:
    assert closest_path(wanted, available) == meant


def test_a_path_whose_last_segment_is_like_none_has_no_suggestion() -> None:
    assert closest_path("f.response.login", USER) is None
    assert closest_path("f.x", ()) is None


@settings(deadline=None)
@given(name=st.text(), known=st.sets(st.text(), max_size=6))
def test_a_suggestion_is_always_a_known_name(name: str, known: set[str]) -> None:
    assert closest(name, known) in known | {None}
    assert closest_path(name, known) in known | {None}


@settings(deadline=None)
@given(known=st.sets(st.from_regex(r"[a-z]{2,8}(_[a-z]{2,8})?", fullmatch=True), min_size=1, max_size=6))
def test_a_known_name_in_capitals_with_hyphens_is_found(known: set[str]) -> None:
    for name in known:
        found = closest(name.upper().replace("_", "-"), known)
        assert found is not None
        assert found.replace("_", "") == name.replace("_", "")

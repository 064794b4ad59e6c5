"""Wrong names lead to the names that were meant."""

from __future__ import annotations

from difflib import SequenceMatcher

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mendbench.runtime import suggest
from mendbench.runtime.suggest import MAX_COMPARED, MAX_NAME, Guesses


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
    assert Guesses().closest(name, known) == meant


@pytest.mark.parametrize(
    ("name", "known"), [("body", {"response", "status_code"}), ("x", {"a", "b"}), ("", {"a"}), ("a", set())]
)
def test_nothing_is_suggested_where_nothing_is_like_it(name: str, known: set[str]) -> None:
    assert Guesses().closest(name, known) is None


def test_of_equally_good_names_the_first_in_the_alphabet_is_taken() -> None:
    assert (
        Guesses().closest("node_3", ["node_2", "node_1"])
        == Guesses().closest("node_3", ["node_1", "node_2"])
        == "node_1"
    )


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
    assert Guesses().closest_path(wanted, available) == meant


def test_a_path_whose_last_segment_is_like_none_has_no_suggestion() -> None:
    assert Guesses().closest_path("f.response.login", USER) is None
    assert Guesses().closest_path("f.x", ()) is None


@settings(deadline=None)
@given(name=st.text(), known=st.sets(st.text(), max_size=6))
def test_a_suggestion_is_always_a_known_name(name: str, known: set[str]) -> None:
    assert Guesses().closest(name, known) in known | {None}
    assert Guesses().closest_path(name, known) in known | {None}


@settings(deadline=None)
@given(known=st.sets(st.from_regex(r"[a-z]{2,8}(_[a-z]{2,8})?", fullmatch=True), min_size=1, max_size=6))
def test_a_known_name_in_capitals_with_hyphens_is_found(known: set[str]) -> None:
    for name in known:
        found = Guesses().closest(name.upper().replace("_", "-"), known)
        assert found is not None
        assert found.replace("_", "") == name.replace("_", "")


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return how many pairs of characters are compared from now on, pair by pair."""
    pairs: list[int] = []

    class Counting(SequenceMatcher):  # type: ignore[type-arg]
        def ratio(self) -> float:
            pairs.append(len(self.a) * len(self.b))
            return super().ratio()

    monkeypatch.setattr(suggest, "SequenceMatcher", Counting)
    return pairs


def test_names_that_are_too_long_are_not_compared(compared: list[int]) -> None:
    long = "ab" * MAX_NAME
    assert Guesses().closest(f"{long}c", {f"{long}d"}) is None
    assert compared == []


def test_names_with_too_few_letters_in_common_are_not_compared(compared: list[int]) -> None:
    assert Guesses().closest("status_code", {"body", "message", "xyzxyzxyzxy"}) is None
    assert compared == []


def test_the_guesses_of_one_document_compare_so_much_together_and_no_more(compared: list[int]) -> None:
    guesses = Guesses()
    known = {f"{'a' * 30}{number:030}" for number in range(300)}
    found = [guesses.closest("a" * 30 + "x" * 3 + "0" * 27, known) for _ in range(5)]
    assert found[0] is not None
    assert found[-1] is None
    assert sum(compared) <= MAX_COMPARED
    assert guesses.closest_path("a.b", {"a.c", "a.bb"}) is None


def test_names_that_are_quickly_distinguished_count_too() -> None:
    guesses = Guesses(room=1_000)
    assert [guesses.closest("urll", {"url", "body", "method"}) for _ in range(4)] == ["url", "url", "url", None]

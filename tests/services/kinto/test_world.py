from __future__ import annotations

import json
from importlib import util

import pytest

from mendbench.errors import BadInput
from mendbench.services.kinto.world import Kinto, objects_of
from tests.fakes.behind import Said, behind, started

POSTS = {
    "data": {"schema": {}},
    "permissions": {"write": ["oidc:editor"]},
    "records": {"welcome": {"title": "Hi"}, "empty": {}, "gone": None},
}
STATE = {
    "tokens": {"secret": "editor"},
    "buckets": {"website": {"collections": {"posts": POSTS}}, "attic": {}, "cellar": None},
}


@pytest.fixture
def server():
    with behind() as served:
        yield served


@pytest.fixture
def world(server, monkeypatch):
    with started(Kinto(), server, monkeypatch) as world:
        yield world


def test_objects_come_after_their_parents_and_null_is_none():
    posts = "buckets/website/collections/posts"
    assert list(objects_of(STATE)) == [
        ("buckets/website", {}),
        (posts, {"data": {"schema": {}}, "permissions": {"write": ["oidc:editor"]}}),
        (f"{posts}/records/welcome", {"data": {"title": "Hi"}}),
        (f"{posts}/records/empty", {"data": {}}),
        ("buckets/attic", {}),
    ]


def test_a_reset_removes_everything_and_creates_the_state_as_the_administrator(world, server):
    world.reset(STATE)
    assert [asked.line for asked in server.asked] == [
        "POST /v1/__flush__",
        *(f"PUT /v1/{path}" for path, _ in objects_of(STATE)),
    ]
    users = json.loads((world._folder / "tokens.json").read_text())
    assert users["secret"] == "editor"
    assert {users[asked.headers["authorization"].removeprefix("Bearer ")] for asked in server.asked} == {
        "administrator"
    }


def test_the_seeds_of_a_scope_begin_again(world, server):
    world.reset(STATE)
    first = [asked.headers["x-mendbench-seed"] for asked in server.asked[1:]]
    server.asked.clear()
    world.reset(STATE)
    assert [asked.headers["x-mendbench-seed"] for asked in server.asked[1:]] == first
    assert len(set(first)) == len(first)


def test_a_refused_part_of_the_state_is_named(world, server):
    server.responses = lambda asked: Said(400 if "welcome" in asked.line else 200, body=b'{"message": "title: no"}')
    with pytest.raises(BadInput) as caught:
        world.reset(STATE)
    assert str(caught.value) == (
        "state of kinto: buckets/website/collections/posts/records/welcome: "
        'refused with 400: {"message": "title: no"}; mend the state'
    )


def test_reset_before_start_is_refused():
    with pytest.raises(BadInput, match="reset before start"):
        Kinto().reset({})


def test_without_kinto_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(util, "find_spec", lambda name: None)
    with pytest.raises(BadInput, match="the package kinto is not installed; run `make record-world`"):
        Kinto().start()

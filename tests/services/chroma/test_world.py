from __future__ import annotations

import json
from importlib import util

import pytest

from mendbench.errors import BadInput
from mendbench.model.exchange import Request
from mendbench.services.chroma.world import COLLECTIONS, HOST, Chroma, ordered, shown_id
from mendbench.services.real_server import json_request
from tests.fakes.behind import Said, behind, started

REAL = "11111111-2222-4333-8444-555555555555"
HELP = {
    "records": {
        "kb-1": {"embedding": [0.5], "metadata": {"lang": "en"}},
        "kb-2": {"embedding": [0.25], "document": "x"},
    }
}


def collection(name, real=REAL):
    return {"id": real, "name": name, "schema": {"keys": {"b": 1, "a": 2}}, "metadata": {"z": 1, "y": 2}}


@pytest.fixture
def server():
    with behind() as served:
        served.responses = lambda asked: Said(body=json.dumps(collection("help")).encode())
        yield served


@pytest.fixture
def world(server, monkeypatch):
    with started(Chroma(), server, monkeypatch) as world:
        yield world


def sent(world, method, target):
    return world._front.response(json_request(method, HOST, target, None))[3].decode()


def test_a_reset_removes_everything_and_creates_collections_with_their_records(world, server):
    world.reset({"collections": {"help": HELP, "empty": {"metadata": {"owner": "a"}}, "gone": None}})
    assert [(asked.line, json.loads(asked.body or b"null")) for asked in server.asked] == [
        ("POST /api/v2/reset", None),
        (f"POST {COLLECTIONS}", {"name": "help"}),
        (
            f"POST {COLLECTIONS}/{REAL}/add",
            {"ids": ["kb-1", "kb-2"], "embeddings": [[0.5], [0.25]], "documents": [None, "x"], "metadatas": [{"lang": "en"}, None]},
        ),
        (f"POST {COLLECTIONS}", {"name": "empty", "metadata": {"owner": "a"}}),
    ]  # fmt: skip


def test_a_collection_has_an_id_by_its_first_name_which_requests_are_translated_from(world, server):
    assert json.loads(sent(world, "GET", f"{COLLECTIONS}/help"))["id"] == shown_id("help") != REAL
    server.responses = lambda asked: Said(body=json.dumps(collection("renamed")).encode())
    assert json.loads(sent(world, "GET", f"{COLLECTIONS}/renamed"))["id"] == shown_id("help")
    server.responses = lambda asked: Said(404, body=json.dumps({"message": f"{REAL} does not exist"}).encode())
    assert json.loads(sent(world, "POST", f"{COLLECTIONS}/{shown_id('help')}/get")) == {
        "message": f"{shown_id('help')} does not exist"
    }
    assert server.asked[-1].line == f"POST {COLLECTIONS}/{REAL}/get"


def test_collections_are_listed_by_name(world, server):
    server.responses = lambda asked: Said(body=json.dumps([collection("b"), collection("a", "another")]).encode())
    assert [each["name"] for each in json.loads(sent(world, "GET", COLLECTIONS))] == ["a", "b"]


def test_only_entries_whose_order_is_random_are_sorted():
    value = {"ids": ["b", "a"], "documents": None, "metadatas": [[{"z": {"y": 1, "x": 2}, "a": 1}]]}
    assert json.dumps(ordered(value)) == (
        '{"ids": ["b", "a"], "documents": null, "metadatas": [[{"a": 1, "z": {"x": 2, "y": 1}}]]}'
    )


def test_a_body_that_is_no_json_is_unchanged(world, server):
    server.responses = lambda asked: Said(body=b"Not {found")
    assert sent(world, "GET", "/") == "Not {found"


def test_a_refused_part_of_the_state_is_named(world, server):
    server.responses = lambda asked: Said(
        400 if asked.line.endswith("/add") else 200, body=json.dumps(collection("help")).encode()
    )
    with pytest.raises(BadInput, match=r"^state of chroma: collections\.help\.records: refused with 400: "):
        world.reset({"collections": {"help": HELP}})


def test_queries_only_read():
    for operation, reads in (("get", True), ("query", True), ("count", True), ("upsert", None), ("target", None)):
        assert Chroma().reads(Request(method="POST", url=f"http://{HOST}{COLLECTIONS}/{REAL}/{operation}")) is reads


def test_reset_before_start_is_refused():
    with pytest.raises(BadInput, match="reset before start"):
        Chroma().reset({})


def test_without_chroma_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(util, "find_spec", lambda name: None)
    with pytest.raises(BadInput, match="the package chromadb is not installed; run `make record-world`"):
        Chroma().start()

from __future__ import annotations

import contextlib
import json
import sqlite3
from importlib import util

import pytest

from mendbench.errors import BadInput
from mendbench.model.exchange import Request
from mendbench.services.prefect.world import HOST, Prefect
from tests.fakes.behind import Said, behind, started

PROD = {"body": {"work_pool_name": "k8s"}, "runs": {"monday": {"parameters": {"day": 1}}, "gone": None}}
STATE = {
    "flows": {"load": {"tags": ["sales"], "deployments": {"prod": PROD, "bare": {}}}},
    "work_pools": {"k8s": {"body": {"type": "process"}, "queues": {"nightly": {"priority": 2}}}},
    "variables": {"freeze": {"value": None}},
    "concurrency_limits": {"warehouse": {"limit": 4}},
}


def created(asked):
    return Said(201, body=json.dumps({"id": f"id-of-{json.loads(asked.body)['name']}"}).encode())


@pytest.fixture
def server():
    with behind() as served:
        served.responses = created
        yield served


@pytest.fixture
def world(server, monkeypatch):
    with started(Prefect(), server, monkeypatch) as world:
        yield world


def test_a_reset_creates_objects_after_those_that_they_name(world, server):
    world.reset(STATE)
    assert [(asked.line.removeprefix("POST /api/"), json.loads(asked.body)) for asked in server.asked] == [
        ("v2/concurrency_limits/", {"name": "warehouse", "limit": 4}),
        ("variables/", {"name": "freeze", "value": None, "tags": []}),
        ("work_pools/", {"name": "k8s", "type": "process"}),
        ("work_pools/k8s/queues", {"name": "nightly", "priority": 2}),
        ("flows/", {"name": "load", "tags": ["sales"]}),
        ("deployments/", {"name": "prod", "flow_id": "id-of-load", "work_pool_name": "k8s"}),
        ("deployments/id-of-prod/create_flow_run", {"name": "monday", "parameters": {"day": 1}}),
        ("deployments/", {"name": "bare", "flow_id": "id-of-load"}),
    ]


def test_the_state_is_older_than_what_a_run_creates(world, server):
    world.reset(STATE)
    assert {asked.headers["x-mendbench-day"] for asked in server.asked} == {"2025-12-31"}


def test_the_seeds_of_a_scope_begin_again(world, server):
    world.reset(STATE)
    first = [asked.headers["x-mendbench-seed"] for asked in server.asked]
    server.asked.clear()
    world.reset(STATE)
    assert [asked.headers["x-mendbench-seed"] for asked in server.asked] == first
    assert len(set(first)) == len(first)


def test_a_reset_brings_back_the_database_of_the_start(world):
    with contextlib.closing(sqlite3.connect(world._folder / "prefect.db")) as database:
        database.execute("CREATE TABLE stray (a)")
        database.commit()
        world.reset({})
        assert database.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)


def test_a_refused_part_of_the_state_is_named(world, server):
    server.responses = lambda asked: Said(422, body=b"no") if "queues" in asked.line else created(asked)
    with pytest.raises(BadInput) as caught:
        world.reset(STATE)
    assert str(caught.value) == "state of prefect: work_pools.k8s.queues.nightly: refused with 422: no; mend the state"


def test_queries_only_read():
    for operation, reads in (
        ("flow_runs/filter", True),
        ("deployments/paginate", True),
        ("flow_runs/count", True),
        ("flow_runs/id/set_state", None),
        ("deployments/id/create_flow_run", None),
        ("variables/", None),
    ):
        assert Prefect().reads(Request(method="POST", url=f"https://{HOST}/api/{operation}?a=b")) is reads, operation


def test_reset_before_start_is_refused():
    with pytest.raises(BadInput, match="reset before start"):
        Prefect().reset({})


def test_without_prefect_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(util, "find_spec", lambda name: None)
    with pytest.raises(BadInput, match="the package prefect is not installed; run `make record-world`"):
        Prefect().start()

from __future__ import annotations

import contextlib
import json
import sqlite3
from importlib import util

import pytest

from mendbench.errors import BadInput
from mendbench.model.exchange import Request
from mendbench.services.mlflow.world import API, HOST, PINS, Mlflow
from mendbench.services.pinning_proxy import pinned_body
from tests.fakes.behind import Said, behind, started

RUN = {
    "status": "FAILED",
    "start_time": 5,
    "end_time": 9,
    "params": {"depth": 6},
    "metrics": {"auc": 0.5},
    "tags": {"a": "b"},
}
STATE = {
    "experiments": {"churn": {"tags": {"team": "growth"}, "runs": {"gbm": RUN, "open": {}, "gone": None}}},
    "registered_models": {"scorer": {"versions": [{"run": "gbm", "tags": {"c": "d"}}], "aliases": {"champion": 1}}},
}


def created(asked):
    run = {"info": {"run_id": f"id-of-{json.loads(asked.body).get('run_name')}", "artifact_uri": "store:/1"}}
    return Said(body=json.dumps({"experiment_id": "1", "run": run}).encode())


@pytest.fixture
def server():
    with behind() as served:
        served.responses = created
        yield served


@pytest.fixture
def world(server, monkeypatch):
    with started(Mlflow(), server, monkeypatch) as world:
        yield world


def test_a_reset_creates_experiments_runs_and_models_in_order(world, server):
    world.reset(STATE)
    lines = [asked.line.removeprefix(f"POST {API}/") for asked in server.asked]
    assert lines == [
        "experiments/create", "runs/create", "runs/log-batch", "runs/update", "runs/create", "runs/log-batch",
        "registered-models/create", "model-versions/create", "registered-models/alias",
    ]  # fmt: skip
    bodies = [json.loads(asked.body) for asked in server.asked]
    assert bodies[0] == {"name": "churn", "tags": [{"key": "team", "value": "growth"}]}
    assert bodies[1] == {"experiment_id": "1", "run_name": "gbm", "start_time": 5, "tags": [{"key": "a", "value": "b"}]}
    assert bodies[2] == {
        "run_id": "id-of-gbm", "metrics": [{"key": "auc", "value": 0.5, "timestamp": 9, "step": 0}], "params": [{"key": "depth", "value": "6"}],
    }  # fmt: skip
    assert bodies[3] == {"run_id": "id-of-gbm", "status": "FAILED", "end_time": 9}
    assert bodies[7] == {
        "name": "scorer", "run_id": "id-of-gbm", "source": "store:/1/model", "description": "", "tags": [{"key": "c", "value": "d"}],
    }  # fmt: skip
    assert bodies[8] == {"name": "scorer", "alias": "champion", "version": "1"}


def test_a_reset_brings_back_the_database_of_the_start(world):
    with contextlib.closing(sqlite3.connect(world._folder / "tracking.db")) as database:
        database.execute("CREATE TABLE stray (a)")
        database.commit()
        world.reset({})
        assert database.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)


def test_a_version_of_an_unknown_run_is_refused(world):
    model = {"versions": [{"run": "gmb"}]}
    with pytest.raises(BadInput) as caught:
        world.reset({**STATE, "registered_models": {"scorer": model}})
    assert str(caught.value) == (
        "state of mlflow: registered_models.scorer: version 1 names no run of the experiments; name one under run"
    )


def test_times_of_creation_and_change_are_pinned_and_those_of_runs_are_not():
    body = b'{"creation_time": 1, "last_update_time": 2, "creation_timestamp": 3, "last_updated_timestamp": 4, "start_time": 5, "timestamp": 6}'
    assert list(json.loads(pinned_body(body, PINS)).values()) == [*[1_767_225_600_000] * 4, 5, 6]


def test_searches_only_read():
    for operation, reads in (
        ("runs/search", True),
        ("experiments/get-by-name", True),
        ("runs/create", None),
        ("runs/set-tag", None),
    ):
        assert Mlflow().reads(Request(method="POST", url=f"https://{HOST}{API}/{operation}?a=b")) is reads


def test_reset_before_start_is_refused():
    with pytest.raises(BadInput, match="reset before start"):
        Mlflow().reset({})


def test_without_mlflow_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(util, "find_spec", lambda name: None)
    with pytest.raises(BadInput, match="the package mlflow is not installed; run `make record-world`"):
        Mlflow().start()

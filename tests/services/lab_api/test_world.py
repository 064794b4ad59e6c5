from __future__ import annotations

import json

import pytest

from mendbench.errors import BadInput
from mendbench.services.lab_api.world import LabApi
from mendbench.services.local_server import util
from tests.fakes.behind import Program


@pytest.fixture
def world(monkeypatch):
    monkeypatch.setattr(util, "find_spec", lambda name: object())
    made = LabApi()
    made._server = Program("http://127.0.0.1:1")
    made.start()
    yield made
    made.stop()


def data(world):
    return json.loads(world._file().read_text("utf-8"))


def test_the_state_is_merged_over_the_seed(world):
    world.reset({"phials": {"PX-0417": {"dwell_min": 30}, "PX-0533": None}})
    phials = data(world)["phials"]
    assert (phials["PX-0417"]["dwell_min"], phials["PX-0417"]["rack"]) == (30, "K7")
    assert "PX-0533" not in phials


def test_a_reset_forgets_the_state_before_it_and_what_was_entered(world):
    world._file().write_text('{"dryings": [1]}', "utf-8")
    world.reset({})
    assert "dryings" not in data(world)
    assert "PX-0533" in data(world)["phials"]


def test_reset_before_start_is_refused():
    with pytest.raises(BadInput, match="reset before start; start it first"):
        LabApi().reset({})


def test_stopping_removes_its_files(world):
    folder = world._folder
    world.stop()
    assert not folder.exists()


def test_without_fastapi_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(util, "find_spec", lambda name: None if name == "fastapi" else object())
    with pytest.raises(BadInput, match="the package fastapi is not installed; run `make record-world`"):
        LabApi().start()

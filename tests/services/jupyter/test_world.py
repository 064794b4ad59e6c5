from __future__ import annotations

import json
import secrets
from pathlib import Path

import pytest

from mendbench.errors import BadInput
from mendbench.services.jupyter.world import Jupyter, files_of, ordered, pins
from mendbench.services.local_server import util
from mendbench.services.pinning_proxy import pinned_body, pinned_headers
from tests.fakes.behind import Program

TOKEN = secrets.token_hex(8)


@pytest.fixture
def world(monkeypatch):
    monkeypatch.setattr(util, "find_spec", lambda name: object())
    made = Jupyter()
    made._server = Program("http://127.0.0.1:1")
    made.start()
    yield made
    made.stop()


def tokens(world):
    return [start["JUPYTER_TOKEN"] for start in world._server.starts]


def test_a_notebook_may_be_written_as_an_object_and_null_takes_a_file_away():
    files = files_of({"files": {"a.ipynb": {"cells": []}, "b.txt": "text", "notes/crew.txt": None}})
    assert (json.loads(files["a.ipynb"]), files["b.txt"]) == ({"cells": []}, "text")
    assert "notes/crew.txt" not in files
    assert "archive/read-me.txt" in files


def test_a_file_outside_the_folder_is_refused():
    with pytest.raises(BadInput, match=r"state of jupyter: no file can be at '\.\./up\.txt'"):
        files_of({"files": {"../up.txt": "x"}})


def test_the_folder_is_laid_out_again_each_time(world):
    root = world._folder / "root"
    world.reset({"files": {"deep/er/a.txt": "1"}})
    (root / "stray.txt").write_text("x")
    world.reset({})
    assert not (root / "stray.txt").exists()
    assert not (root / "deep").exists()
    assert (root / "notes" / "crew.txt").read_text() == "Maren: dawn. Olu: dusk."


def test_the_server_is_started_again_only_where_the_token_is_another(world):
    world.reset({"token": TOKEN})
    world.reset({"token": TOKEN, "files": {"a.txt": "1"}})
    assert tokens(world)[1:] == [TOKEN]
    world.reset({})
    assert tokens(world)[2] == tokens(world)[0] != TOKEN  # one that nobody knows


def test_two_servers_never_share_the_token_that_nobody_knows():
    assert Jupyter()._unknown_token != Jupyter()._unknown_token


def test_reset_before_start_is_refused():
    with pytest.raises(BadInput, match="reset before start"):
        Jupyter().reset({})


def test_without_jupyter_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(util, "find_spec", lambda name: None)
    with pytest.raises(BadInput, match="the package jupyter-server is not installed; run `make record-world`"):
        Jupyter().start()


def test_a_folder_s_entries_are_sorted_by_path():
    body = json.dumps({"type": "directory", "content": [{"path": "b"}, {"path": "a"}]})
    assert json.loads(ordered(body))["content"] == [{"path": "a"}, {"path": "b"}]


@pytest.mark.parametrize(
    "body", ["", "text", "[1]", '{"type": "directory", "content": null}', '{"type": "file", "content": "b a"}']
)
def test_any_other_body_keeps_its_bytes(body):
    assert ordered(body) == body


def test_no_path_time_or_guest_is_left_in_an_answer():
    mine = pins(Path("/elsewhere/made"))
    body = b'{"message": "no /elsewhere/made/a.txt", "last_modified": "2026-11-22T01:54:50.885387Z", "content": "created at noon"}'
    assert pinned_body(body, mine) == (
        b'{"message": "no /srv/notebooks/a.txt", "last_modified": "2026-01-01T00:00:00.000000Z", "content": "created at noon"}'
    )
    sent = (("Server", "TornadoServer/6"), ("Etag", "x"), ("Set-Cookie", "username=…"), ("Location", "/api/contents/a"))
    assert pinned_headers(sent, mine) == (("Server", "TornadoServer"), ("Location", "/api/contents/a"))

"""The real Datasette, started for real on the loopback interface."""

from __future__ import annotations

import json
import sqlite3
from importlib import resources, util
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest

from mendbench.errors import BadInput
from mendbench.services import real_world
from mendbench.services.datasette.world import HOST

needs_datasette = pytest.mark.skipif(
    util.find_spec("datasette") is None, reason="the extra real-worlds (datasette) is not installed"
)


@pytest.fixture(scope="module")
def server():
    world = real_world("datasette")
    base = world.start()
    yield world, base
    world.stop()


@pytest.fixture
def get(server):
    world, base = server
    world.reset({})

    def fetch(path):
        request = Request(f"{base}{path}", headers={"Host": HOST})
        try:
            with urlopen(request, timeout=20) as response:
                return response.status, json.load(response)
        except HTTPError as response:
            with response:
                return response.code, json.load(response)

    return fetch


def test_the_seed_has_three_tables_of_ten_to_twenty_rows():
    with sqlite3.connect(":memory:") as connection:
        connection.executescript(
            resources.files("mendbench.services.datasette").joinpath("seed.sql").read_text("utf-8")
        )
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        counts = {table: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables}
    connection.close()
    assert len(counts) == 3
    assert all(10 <= count <= 20 for count in counts.values())


@needs_datasette
def test_rows_come_as_objects_where_one_asks_for_them(get):
    status, body = get("/germbank/accessions.json?_shape=objects&_size=2")
    assert status == 200
    assert [row["taxon"] for row in body["rows"]] == ["Agrostemma githago", "Adonis flammea"]


@needs_datasette
def test_rows_come_as_lists_by_default(get):
    _, body = get("/germbank/accessions.json?_size=2")
    assert body["columns"][:2] == ["acc_no", "taxon"]
    assert body["rows"][0][:2] == [4101, "Agrostemma githago"]


@needs_datasette
def test_an_array_is_bare(get):
    assert get("/germbank/vaults.json?_shape=array&_size=1") == (
        200, [{"vault_code": "CR-5", "hall": "Cryo room", "setpoint_c": -196.0, "steward_email": "hanneke.bao@germbank.example"}],
    )  # fmt: skip


@needs_datasette
def test_links_name_the_case_s_host_and_no_port(get):
    _, body = get("/germbank/accessions.json?_size=2")
    assert body["next_url"] == f"http://{HOST}/germbank/accessions.json?_size=2&_next=4102"


@needs_datasette
def test_an_unknown_column_is_ok_false(get):
    status, body = get(f"/germbank.json?sql={quote('select taxon_name from accessions')}")
    assert (status, body["ok"], body["error"]) == (400, False, "no such column: taxon_name")


@needs_datasette
@pytest.mark.parametrize(
    ("path", "status", "error"),
    [("/germbank/accesions.json", 404, "Table not found"), ("/seedbank.json", 404, "Database not found"),
     ("/germbank/vaults/XX-1.json", 404, "Record not found"), ("/germbank/vaults.json?_shape=rows", 400, "Invalid _shape: rows")],
)  # fmt: skip
def test_what_is_not_there_is_ok_false(get, path, status, error):
    assert get(path) == (status, {"ok": False, "error": error, "status": status, "title": None})


@needs_datasette
def test_a_reset_is_seen_by_the_running_server_and_undone_by_the_next(server, get):
    world, _ = server
    world.reset({"sql": "DELETE FROM vaults WHERE vault_code = 'CR-5'; ALTER TABLE vaults ADD COLUMN key_holder TEXT;"})
    assert get("/germbank/vaults/CR-5.json")[0] == 404
    assert "key_holder" in get("/germbank/vaults.json")[1]["columns"]
    world.reset({})
    assert get("/germbank/vaults/CR-5.json")[0] == 200
    assert "key_holder" not in get("/germbank/vaults.json")[1]["columns"]


@needs_datasette
def test_a_state_that_does_not_run_is_refused_in_one_line(server):
    with pytest.raises(BadInput) as caught:
        server[0].reset({"sql": "DELETE FROM nothing"})
    assert "\n" not in str(caught.value)


def test_a_reset_needs_a_running_server():
    with pytest.raises(BadInput, match="reset before start"):
        real_world("datasette").reset({})


@needs_datasette
def test_a_stopped_server_leaves_nothing_behind():
    world = real_world("datasette")
    world.start()
    folder = world._folder
    world.stop()
    world.stop()
    assert not folder.exists()


@pytest.mark.slow
@needs_datasette
def test_the_server_does_not_outlive_who_started_it():
    world = real_world("datasette")
    world.start()
    folder, process = world._folder, world._server._process
    process.stdin.close()
    assert process.wait(20) == 0
    assert not folder.exists()
    world.stop()

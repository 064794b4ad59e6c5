"""Imports of files that other tools made: what is kept and dropped, that no credential comes through, that it replays.

``made_by/README.md`` says which tool made each, and what was rewritten in them: a port, and the folder of a file.
"""

import json
import re
import shutil
from pathlib import Path

import pytest

from mendbench import api
from mendbench.cassettes import cassette
from mendbench.corpus.labels import missing_labels
from mendbench.importing.engine.trace import read_engine_trace
from mendbench.importing.har import read_har
from mendbench.importing.vcr_cassette import read_cassette

MADE_BY = Path(__file__).parent / "made_by"
LEDGER = "http://ledger.kelp.example"
BED = {
    "bed": "b-7", "warden": "Orla Søvik", "holds": {"amount": 12, "unit": "crate"}, "marks": ["ærlig", "🌊"],
}  # fmt: skip
UNIT = "unit: must be one of kilogram, tonne"

HARS = ("playwright.har", "playwright-attached/playwright.har", "mitmproxy.har")
TAPES = ("pytest-recording.yaml", "vcrpy.json")
TRACES = ("engine-0.8.0.json", "engine-0.11.0.json", "engine-0.16.0.jsonl")
CUT_SHORT = ("engine-0.8.0-template.json", "engine-0.16.0-template.jsonl")
SECRET = re.compile(
    r"(?:Bearer |kelp_session=|\"token\": \"|token \(str\): |\"access_token\\?\": \\?\"|key=)([A-Za-z0-9_-]{16,})"
)
"""What stands in the files where the ledger, or who asked it, put a credential."""


def of(name):
    """Return the workflow that a file was recorded of."""
    text = (MADE_BY / f"{'tide' if name in (*HARS, *TAPES) else 'name'}.workflow.json").read_text(encoding="utf-8")
    return json.loads(text.replace("holds.unit", "holds.measure") if name in CUT_SHORT else text)


def imported(tmp_path, name, document):
    return api.import_case(
        "http/kelp", tmp_path / "cases", tmp_path / "cassettes",
        workflow=document, inputs={"bed": "b-7"}, provenance="live", recording=MADE_BY / name,
    )  # fmt: skip


def world(tmp_path):
    return cassette.load(tmp_path / "cassettes/http/kelp/world.yaml")


def bodies(tmp_path):
    return [json.loads(one.response.body) for one in world(tmp_path)]


def credentials(name):
    """Return the credentials that stand in a file, in its gzip bodies too."""
    source = (read_har if name in HARS else read_cassette if name in TAPES else read_engine_trace)(MADE_BY / name)
    responses = " ".join(one.response.body.decode() for one in source.found)
    return set(SECRET.findall((MADE_BY / name).read_text(encoding="utf-8") + responses))


@pytest.mark.parametrize("name", [*HARS, *TAPES])
def test_of_a_recording_what_the_workflow_asks_for_is_kept_each_answer_in_its_turn(tmp_path, name):
    imported(tmp_path, name, of(name))
    assert [(one.request.method, one.request.url, one.response.status) for one in world(tmp_path)] == [
        ("GET", f"{LEDGER}/beds/b-7?with=holds", 200),
        ("GET", f"{LEDGER}/tide", 200),
        ("GET", f"{LEDGER}/tide", 200),
        ("POST", f"{LEDGER}/harvests", 422),
    ]
    bed, ebb, flood, refused = bodies(tmp_path)
    assert bed == BED
    assert flood["turn"] == ebb["turn"] + 1
    assert refused["detail"] == UNIT


@pytest.mark.parametrize("name", TRACES)
def test_of_an_engines_trace_every_node_has_its_answer(tmp_path, name):
    done = imported(tmp_path, name, of(name))
    bed, named, refused = bodies(tmp_path)
    assert (bed, named["stdout"], refused["detail"]) == (BED, "ORLA SøVIK", UNIT)
    assert [one.service for one in world(tmp_path)] == ["json_api", "shell", "json_api"]
    assert (len(done.kept), done.dropped) == (3, ())


@pytest.mark.parametrize("name", CUT_SHORT)
def test_a_node_that_a_template_stopped_sent_nothing_and_its_words_are_reported(tmp_path, name):
    done = imported(tmp_path, name, of(name))
    assert [json.loads(one.response.body).get("exit_code") for one in world(tmp_path)] == [None, 0]
    assert [one.why for one in done.dropped] == ["it sent nothing: it failed before"]
    text = (tmp_path / "cases/http/kelp/case.yaml").read_text(encoding="utf-8")
    assert "${read.response.holds.measure}" in text
    assert "/home/orla" not in text


@pytest.mark.parametrize(
    ("name", "dropped"),
    [
        (HARS[0], ["GET / ", "POST /sessions ", "GET http://gone.kelp.example/x "]),
        (HARS[1], ["GET / ", "POST /sessions ", "GET http://gone.kelp.example/x "]),
        (HARS[2], ["POST /scans ", "POST /sessions "]),
        *((name, []) for name in TAPES),
    ],
)
def test_what_the_workflow_does_not_ask_for_is_dropped_and_named(tmp_path, name, dropped):
    done = imported(tmp_path, name, of(name))
    dropped = [one.what.partition(" ")[2].replace(LEDGER, "") + " " for one in done.dropped]
    assert (dropped, {one.why for one in done.dropped}) == (
        dropped,
        {"the workflow did not ask for it"} if dropped else set(),
    )


@pytest.mark.parametrize("name", [*HARS, *TAPES, *TRACES, *CUT_SHORT])
def test_no_credential_of_the_file_comes_through_and_it_replays(tmp_path, name):
    found = credentials(name)
    assert len(found) >= (2 if name not in CUT_SHORT else 1)
    done = imported(tmp_path, name, of(name))
    written = "".join(path.read_text(encoding="utf-8") for path in tmp_path.rglob("*") if path.is_file())
    said = " ".join([*done.notes, *(one.what for one in done.dropped)])
    assert [one for one in found if one in written + said] == []
    assert world(tmp_path)[0].request.header("authorization") == "Bearer <secret:token>"
    assert not any("does not replay" in note or "no response" in note for note in done.notes)


@pytest.mark.parametrize("name", [HARS[0], TAPES[0], TRACES[2]])
def test_the_proof_of_an_imported_case_asks_for_its_labels_and_for_nothing_else(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    done = imported(tmp_path, name, of(name))
    missing = missing_labels(tmp_path / "cases/http/kelp")
    assert len(missing) == done.labels > 0
    checked = api.check_cases(
        ("http/kelp",), tmp_path / "cases", tmp_path / "cassettes", workers=1, on_progress=lambda *_: None
    )
    problems = [str(one) for case in checked.cases for one in case.problems]
    assert len(problems) == done.labels
    assert all("is not labelled" in one for one in problems)


@pytest.mark.parametrize("name", HARS[:2])
def test_a_request_that_a_browser_could_not_send_is_a_fault_of_its_own_kind(name):
    gone = read_har(MADE_BY / name).found[-1]
    assert (gone.request.url, gone.response.fault) == ("http://gone.kelp.example/x", "refused")


def test_an_upload_that_the_server_cut_off_is_recorded_whole_by_the_proxy():
    cut = read_har(MADE_BY / "mitmproxy.har").found[3]
    assert (cut.response.status, cut.response.fault) == (0, "reset")
    assert b'filename="wf.json"' in cut.request.body


def test_bodies_that_were_left_beside_a_har_are_missed_where_they_are_gone(tmp_path):
    shutil.copy(MADE_BY / HARS[1], tmp_path / "alone.har")
    source = read_har(tmp_path / "alone.har")
    assert [one.request.url for one in source.found if one.response is not None] == ["http://gone.kelp.example/x"]
    assert {one.why for one in source.dropped} == {"the file does not hold the body that it sent"}


def test_the_gzip_bodies_of_a_filtered_cassette_are_read_without_its_credentials():
    first, *_, last = read_cassette(MADE_BY / "pytest-recording.yaml").found
    assert json.loads(first.response.body) == BED
    assert first.request.header("authorization") is None
    assert first.response.header("content-encoding") is None
    assert json.loads(last.response.body)["asked_as"].startswith("Bearer ")


def test_a_cassette_in_json_keeps_its_letters():
    assert json.loads(read_cassette(MADE_BY / "vcrpy.json").found[0].response.body) == BED


def test_the_inputs_are_read_from_the_traces_that_have_them():
    inputs = {name: sorted(read_engine_trace(MADE_BY / name).inputs) for name in TRACES}
    assert inputs == {TRACES[0]: ["bed", "token"], TRACES[1]: [], TRACES[2]: ["bed", "token"]}


@pytest.mark.parametrize("path", [one for one in sorted(MADE_BY.rglob("*")) if one.is_file()], ids=lambda one: one.name)
def test_no_place_of_the_machine_that_made_it_is_in_a_file(path):
    text = path.read_text(encoding="utf-8")
    hosts = set(re.findall(r"https?://([^/\"\s\\]+)", text))
    assert hosts <= {"ledger.kelp.example", "gone.kelp.example"}
    assert not re.search(r"/(?:tmp|root|work)\b|127\.0\.0\.1:|_serverPort\": ?(?!80\b)\d", text)

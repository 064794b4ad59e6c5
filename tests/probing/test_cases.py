import json

import pytest
import yaml

from mendbench import api
from mendbench.errors import BadInput
from mendbench.probing.calls import Call
from tests.fakes import probed


@pytest.fixture(scope="module")
def emitted(tmp_path_factory):
    """The library's probe, its cases and their folder. Nobody may change it."""
    folder = tmp_path_factory.mktemp("emitted")
    found = probed.probed(folder)
    return found, api.emit_cases(found, folder / "cases", on_progress=probed.silence)


def test_each_refusal_becomes_a_proved_case(emitted):
    found, made = emitted
    refused = [one for one in found.broken if one.findings.heed == "refused"]
    assert len(made.cases) == len(refused)
    assert "library/find-book-enum-sort-by" in made.cases
    assert made.left == ()
    assert api.check_cases((), made.cases_dir, made.cassettes_dir, on_progress=probed.silence).held


def test_a_case_sends_the_broken_call_and_its_truth_is_the_right_one(emitted):
    _, made = emitted
    folder = made.cases_dir / "library" / "find-book-renamed-shelf-id"
    (node,) = json.loads((folder / "workflow.json").read_text("utf-8"))["nodes"]
    assert node["params"]["arguments"] == {"shelfId": "s-17", "sort_by": "year", "limit": 3}
    case = yaml.safe_load((folder / "case.yaml").read_text("utf-8"))
    assert case["request"] == probed.CALLS[0].request
    assert case["fix"] == [{"op": "replace", "path": "/nodes/call/params/arguments", "value": probed.FIND}]
    assert case["checks"][0]["request"]["json"] == probed.FIND
    assert case["source"] == "mendbench tools probe of library 7: find_book/renamed/shelf_id"


def test_the_recorded_refusal_is_the_servers(emitted):
    _, made = emitted
    recording = made.cassettes_dir / "library" / "find-book-renamed-shelf-id" / "world.yaml"
    assert "KeyError" in recording.read_text("utf-8")


def test_a_call_that_no_workflow_can_send_or_nobody_asked_for_becomes_no_case(tmp_path):
    unasked = Call(tool="find_book", arguments=probed.FIND, place="line 1")
    template = Call(
        tool="lend_book", arguments={**probed.LEND, "title": "${Bread}"}, request="Lend it.", place="line 2"
    )
    made = api.emit_cases(
        probed.probed(tmp_path, calls=(unasked, template)), tmp_path / "cases", on_progress=probed.silence
    )
    assert made.cases == ()
    assert {one.why for one in made.left} == {
        "no case: its right call has no request: give it in --calls",
        "no case: its arguments hold ${, which a workflow reads as a template",
    }
    assert not (tmp_path / "cases").exists()


def test_a_case_that_exists_is_kept_and_nothing_is_written(emitted, tmp_path):
    found, made = emitted
    own = tmp_path / "cases" / made.cases[0]
    own.mkdir(parents=True)
    with pytest.raises(BadInput, match="it is there already"):
        api.emit_cases(found, tmp_path / "cases", on_progress=probed.silence)
    assert list(tmp_path.rglob("*.yaml")) == []

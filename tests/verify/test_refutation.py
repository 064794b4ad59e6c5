"""Whether a wrong fix is wrong whatever a live API answers: each rule, and what it leaves open."""

import copy
import shutil

import pytest

from mendbench.cassettes import cassette
from mendbench.recording.recorder import Recorder
from mendbench.trial.components import build_engine
from mendbench.values.json_patch import apply_patch
from mendbench.verify.bench import ProofParts
from mendbench.verify.proof import prove
from mendbench.verify.refutation import refutation
from tests.fakes.cases import (
    CLOSED,
    HOST,
    RENAMED,
    RIGHT_TEXT,
    LiveRecorder,
    change_case,
    context_of,
    copy_of,
    make_live,
    set_text,
)

ASKS_MORE = [{"op": "replace", "path": "/nodes/person/params/url", "value": f"{HOST}/people/${{person_id}}?full=1"}]
"""A request that is not recorded, before the note."""
TOWN = set_text("Hello ${person.response.town}!")


@pytest.fixture(scope="module")
def live(built, tmp_path_factory):
    """Return the corpus with two cases whose world was recorded of a live one."""
    root = copy_of(built, tmp_path_factory.mktemp("live"))
    for case_id in (RENAMED, CLOSED):
        make_live(root, case_id)
        prove(context_of(root), case_id, LiveRecorder(trajectory=False))
    return root


@pytest.fixture
def refuted(live, tmp_path):
    """Return why a patch is wrong, after a change of the case, with a record of all reads and of each known note once."""

    def why(patch, change=None, case_id=RENAMED, known=("Runa", "Leif")):
        shutil.rmtree(tmp_path / "live", ignore_errors=True)
        root = copy_of(live, tmp_path / "live")
        path = root / "cassettes" / case_id / "world.yaml"
        entries = cassette.load(path)
        texts = [text for text in (f"Hello {name}!" for name in known) if case_id == RENAMED]
        writes = [next(one for one in entries if text in one.request.body.decode()) for text in texts]
        cassette.rewrite(path, [*(one for one in entries if not one.request.body), *writes])
        if change is not None:
            change_case(root, case_id, change)
        context, recorder = context_of(root), Recorder()
        case = context.corpus.case(case_id)
        recordings = recorder.recordings(context.corpus.cassettes(case))
        bench = ProofParts(case=case, engine=build_engine("mendbench", case), recordings=recordings, recorder=recorder)
        before = path.read_bytes()
        found = refutation(bench, apply_patch(case.workflow, patch))
        assert path.read_bytes() == before
        return found

    return why


def checks(*given):
    """Return the change that gives the case and its variant these checks alone."""

    def change(truth):
        truth["checks"] = list(given)
        truth["variants"][0]["checks"] = list(given)

    return change


def test_a_request_that_only_one_node_can_send_and_that_it_sends_otherwise_is_refuted(refuted):
    assert refuted(TOWN) == (
        f'request POST {HOST}/notes {{"tag":"hello","text":"Hello Runa!"}}: only note can send it, and it sends another body or header'
    )


def test_another_node_that_might_still_send_the_wanted_request_leaves_it_open(refuted):
    later = {
        "id": "later",
        "type": "http",
        "params": {"method": "POST", "url": f"{HOST}/notes", "body": {"text": "${note.response.id}"}},
    }
    more = [
        *TOWN,
        {"op": "add", "path": "/nodes/-", "value": later},
        {"op": "add", "path": "/edges/-", "value": {"from": "note", "to": "later"}},
    ]
    assert refuted(more) is None
    for key, value in (("url", f"{HOST}/other"), ("method", "PUT"), ("url", f"{HOST}/people/${{person_id}}")):
        other = copy.deepcopy(more)
        other[1]["value"]["params"][key] = value
        assert "only note can send it" in refuted(other), (key, value)
    for url in ("${person.response.link}", f"{HOST}/${{person.response.id}}"):
        other = copy.deepcopy(more)
        other[1]["value"]["params"]["url"] = url
        assert refuted(other) is None, url


def test_a_check_that_is_short_of_nothing_leaves_it_open(refuted):
    none = checks({"request": {"method": "POST", "url": f"{HOST}/notes", "json": {"text": "Hello Runa!"}, "times": 0}})
    assert refuted(TOWN, none) is None


def test_a_batch_might_send_the_wanted_request_with_another_item(refuted):
    batch = {"op": "add", "path": "/nodes/note/batch", "value": {"items": ["Hello Vik!", "Hello Runa!"], "as": "line"}}
    assert refuted([batch, *set_text("${line}")]) is None


def test_a_check_that_only_bounds_the_keys_refutes_by_what_it_accepts(refuted):
    more = [*set_text(RIGHT_TEXT), {"op": "add", "path": "/nodes/note/params/body/remark", "value": "x"}]
    loose = checks({"request": {"method": "POST", "url": f"{HOST}/notes", "json": {"tag": "hello"}}})
    strict = checks({"request": {"method": "POST", "url": f"{HOST}/notes", "json": {"tag": "hello"}, "only": True}})
    assert refuted(more, loose) is None
    assert "only note can send it" in refuted(more, strict)


def test_a_request_beyond_the_times_of_a_check_might_be_refused_and_leaves_it_open(refuted):
    again = {
        "id": "again",
        "type": "http",
        "params": {
            "method": "POST",
            "url": f"{HOST}/notes",
            "auth_token": "${token}",
            "body": {"text": RIGHT_TEXT, "tag": "hello"},
        },
    }
    patch = [
        *set_text(RIGHT_TEXT),
        {"op": "add", "path": "/nodes/-", "value": again},
        {"op": "add", "path": "/edges/-", "value": {"from": "note", "to": "again", "action": "default"}},
    ]
    assert refuted(patch) is None


def test_a_forbidden_request_is_refuted_whatever_the_answer(refuted):
    forbidden = checks({"no_request": {"method": "GET", "url": "full=1"}})
    assert refuted([*ASKS_MORE, *set_text(RIGHT_TEXT)], forbidden) == (
        f"no_request GET /full=1/: it sends GET {HOST}/people/p-1?full=1"
    )
    assert refuted([*ASKS_MORE, *set_text(RIGHT_TEXT)], checks({"no_request": {"method": "PUT"}})) is None


def test_a_changed_parameter_and_a_node_that_is_gone_are_refuted_without_a_run(refuted):
    kept = checks({"kept": ["note"]}, {"unchanged": {"node": "person", "path": "/params/url"}})
    assert refuted([*ASKS_MORE, *set_text(RIGHT_TEXT)], kept).startswith("unchanged person/params/url: it was ")
    assert refuted([*ASKS_MORE, {"op": "remove", "path": "/nodes/note"}], checks({"kept": ["note"]})) == (
        "kept note: note is gone"
    )
    assert refuted([*ASKS_MORE, *set_text(RIGHT_TEXT)], checks({"kept": ["note"]})) is None


def test_a_whole_run_on_other_data_refutes_what_the_first_data_leaves_open(refuted):
    def open_itself(truth):
        truth["checks"] = [{"kept": ["note"]}]

    assert "(variant 'another person'): accepted 0 times; sent there: " in refuted(
        TOWN, open_itself, known=("Runa", "Leif", "Bo")
    )
    assert "(variant 'another person'): only note can send it" in refuted(TOWN, open_itself)


def test_any_edit_of_a_case_for_the_user_is_refuted(refuted):
    patch = [{"op": "replace", "path": "/nodes/person/params/url", "value": f"{HOST}/people/${{person_id}}?full=1"}]
    assert refuted(patch, case_id=CLOSED) == "no edit of a needs_user case is right"


def test_a_workflow_without_an_edit_is_not_refuted(refuted):
    assert refuted([]) is None

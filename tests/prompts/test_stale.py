"""Recorded responses that nothing asks for any more: found, counted and deleted."""

import pytest

from mendbench.cassettes import cassette
from mendbench.cassettes.recordings import TRAJECTORIES, WORLD
from mendbench.model.exchange import Request
from mendbench.prompts.stale import counted, drop_stale, stale_files
from mendbench.strategies.frame import SYSTEM
from tests.fakes.scoring import make_case
from tests.fakes.worlds import json_response

CASE = make_case(name="one")


def entry(key, system=SYSTEM):
    request = Request(method="POST", url="model://tiny/chat")
    model_request = {"model": "tiny", "messages": [{"role": "system", "content": system}]}
    return cassette.settled(
        cassette.Entry(key=key, request=request, response=json_response({"v": 1}), model_request=model_request)
    )


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / CASE.family / CASE.name
    folder.mkdir(parents=True)
    for name, keys in ((WORLD, "12"), (TRAJECTORIES, "34"), ("tiny.yaml", "56")):
        for key in keys:
            cassette.append(folder / name, entry(key * 16))
    return folder


def row(*used, verdict="correct", case=CASE.id):
    return {"case": case, "verdict": verdict, "used": " ".join(key * 16 for key in used)}


def proved_with(*keys):
    return lambda case_id: {key * 16 for key in keys}


def found(tmp_path, *rows, texts=None, models=("tiny",), proved=()):
    return {
        one.path.name: "".join(sorted(key[0] for key in one.keys))
        for one in stale_files(tmp_path, [CASE], rows, texts or {}, models, proved_with(*proved))
    }


def test_what_no_trial_used_is_stale_whatever_the_world_itself_holds(tmp_path, folder):
    assert found(tmp_path, row("3", "5")) == {TRAJECTORIES: "4", "tiny.yaml": "6"}


def test_what_any_trial_of_the_case_used_is_not(tmp_path, folder):
    assert found(tmp_path, row("3", "5"), row("4"), row("6")) == {}
    assert found(tmp_path, row("3", "4", "5"), row("6", case="slack/other")) == {"tiny.yaml": "6"}


def test_a_long_list_of_keys_is_read_from_the_texts(tmp_path, folder):
    long = {"case": CASE.id, "verdict": "incorrect", "used": {"$text": "d"}}
    assert found(tmp_path, long, texts={"d": " ".join(key * 16 for key in "3456")}) == {}


@pytest.mark.parametrize("verdict", ["unjudged", "crashed"])
def test_of_a_case_with_an_open_trial_it_is_not_known_and_nothing_is_deleted(tmp_path, folder, verdict):
    rows = [row("5"), row(verdict=verdict)]
    unsure = stale_files(tmp_path, [CASE], rows, {}, ["tiny"], proved_with())
    assert [(one.path.name, one.known, sorted(one.keys)) for one in unsure] == [("tiny.yaml", False, ["6" * 16])]
    assert counted(unsure) == {"responses": 0, "cassettes": 0, "open": 1}
    assert drop_stale(unsure) == 0
    assert [one.key for one in cassette.load(folder / "tiny.yaml")] == ["5" * 16, "6" * 16]


def test_deleting_leaves_what_is_used_and_takes_an_empty_cassette_away(tmp_path, folder):
    stale = stale_files(tmp_path, [CASE], [row("3")], {}, ["tiny"], proved_with())
    assert counted(stale) == {"responses": 3, "cassettes": 2, "open": 0}
    assert drop_stale(stale) == 3
    assert [one.key for one in cassette.load(folder / TRAJECTORIES)] == ["3" * 16]
    assert not (folder / "tiny.yaml").exists()
    assert len(cassette.load(folder / WORLD)) == 2
    assert stale_files(tmp_path, [CASE], [row("3")], {}, ["tiny"], proved_with()) == ()


def test_what_another_model_answered_is_left_alone_and_what_it_led_to(tmp_path, folder):
    assert found(tmp_path, row("5"), models=("other",)) == {}
    cassette.append(folder / "other.yaml", entry("7" * 16))
    assert found(tmp_path, row("5")) == {"tiny.yaml": "6"}


def test_what_a_node_asked_is_left_alone_since_a_proof_may_ask_it_too(tmp_path, folder):
    cassette.append(folder / "tiny.yaml", entry("7" * 16, "You sum up."))
    assert found(tmp_path, row("3", "4", "5")) == {"tiny.yaml": "6"}


def test_what_a_proof_uses_of_the_world_is_left_alone_wherever_it_was_recorded(tmp_path, folder):
    assert found(tmp_path, row("5", "6"), proved="4") == {TRAJECTORIES: "3"}
    assert found(tmp_path, row("5", "6"), proved="34") == {}


def test_a_case_is_not_proved_for_nothing(tmp_path, folder):
    def refused(case_id):
        raise AssertionError(case_id)

    assert stale_files(tmp_path, [CASE], [row("3", "4", "5", "6")], {}, ["tiny"], refused) == ()
    assert stale_files(tmp_path, [CASE], [row("3", "4")], {}, ["tiny"], refused)

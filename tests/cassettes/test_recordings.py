from __future__ import annotations

import hashlib
import os
from dataclasses import replace

import pytest

from mendbench.cassettes import cassette
from mendbench.cassettes.cassette import Entry
from mendbench.cassettes.recordings import TRAJECTORIES, WORLD, Recordings, model_file
from mendbench.errors import BadInput
from mendbench.model.exchange import Request
from tests.fakes.worlds import completion, json_response


def world_entry(name, value=1):
    key = hashlib.sha256(name.encode()).hexdigest()[:16]
    request = Request(method="GET", url=f"https://a.test/{name}")
    return cassette.settled(Entry(key=key, request=request, response=json_response({"v": value}), service="a"))


def ask_entry(text):
    model_request = {
        "model": "m/x",
        "messages": [{"role": "user", "content": text}],
        "params": {},
        "response_format": None,
        "draw": 0,
    }
    key = hashlib.sha256(text.encode()).hexdigest()[:16]
    request = Request(method="POST", url="model://m%2Fx/chat")
    return Entry(key=key, request=request, response=completion("hi"), model_request=model_request)


def test_an_absent_folder_holds_nothing_and_opening_makes_none(tmp_path):
    recordings = Recordings.open(tmp_path / "none")
    assert recordings.world("0" * 16) is None
    assert recordings.model_entry("m", "0" * 16) is None
    assert not (tmp_path / "none").exists()


def test_what_was_stored_is_found_by_a_second_instance(tmp_path):
    one = Recordings.open(tmp_path)
    one.append_world(world_entry("a"), trajectory=False)
    one.append_world(world_entry("b"), trajectory=True)
    stored = one.append_model_entry("m/x", ask_entry("hello"))
    two = Recordings.open(tmp_path)
    assert two.world(world_entry("a").key) == world_entry("a")
    assert two.world(world_entry("b").key) == world_entry("b")
    assert two.model_entry("m/x", stored.key) == stored
    assert sorted(each.name for each in tmp_path.iterdir()) == ["m-x.yaml", TRAJECTORIES, WORLD]


def test_a_key_that_stands_already_is_not_stored_again_and_the_old_answer_stands(tmp_path):
    one, two = Recordings.open(tmp_path), Recordings.open(tmp_path)
    one.append_world(world_entry("a", 1), trajectory=False)
    assert two.append_world(world_entry("a", 2), trajectory=False) == world_entry("a", 1)
    assert cassette.load(tmp_path / WORLD) == (world_entry("a", 1),)


def test_replacing_keeps_the_place_in_the_file_and_happens_once(tmp_path):
    old = Recordings.open(tmp_path)
    for name in "abc":
        old.append_world(world_entry(name), trajectory=False)
    journal = Recordings.open(tmp_path)
    assert journal.append_world(world_entry("b", 2), trajectory=False, replace=True) == world_entry("b", 2)
    assert journal.append_world(world_entry("b", 3), trajectory=False, replace=True) == world_entry("b", 2)
    assert cassette.load(tmp_path / WORLD) == (world_entry("a"), world_entry("b", 2), world_entry("c"))
    assert journal.world(world_entry("a").key, fresh=True) is None
    assert journal.world(world_entry("b").key, fresh=True) == world_entry("b", 2)


def test_a_replaced_trajectory_stays_a_trajectory(tmp_path):
    Recordings.open(tmp_path).append_world(world_entry("a"), trajectory=True)
    Recordings.open(tmp_path).append_world(world_entry("a", 2), trajectory=False, replace=True)
    assert not (tmp_path / WORLD).exists()
    assert cassette.load(tmp_path / TRAJECTORIES) == (world_entry("a", 2),)


def test_unused_entries_are_reported_and_pruned(tmp_path):
    recordings = Recordings.open(tmp_path)
    for name in "ab":
        recordings.append_world(world_entry(name), trajectory=False)
    recordings.append_world(world_entry("c"), trajectory=True)
    recordings.served(world_entry("a").key)
    assert recordings.unused() == (world_entry("b"),)
    assert recordings.unused(trajectories=True) == (world_entry("c"),)
    assert recordings.prune() == (world_entry("b"),)
    assert recordings.prune(trajectories=True) == (world_entry("c"),)
    assert cassette.load(tmp_path / WORLD) == (world_entry("a"),)
    assert not (tmp_path / TRAJECTORIES).exists()
    assert Recordings.open(tmp_path).world_entries() == (world_entry("a"),)


def test_an_unchanged_file_is_read_once_per_process_and_a_changed_one_again(tmp_path, monkeypatch):
    Recordings.open(tmp_path).append_world(world_entry("a"), trajectory=False)
    reads = []
    load = cassette.load
    monkeypatch.setattr(cassette, "load", lambda path: reads.append(path.name) or load(path))
    for _ in range(3):
        Recordings.open(tmp_path)
    assert reads == [WORLD]
    cassette.append(tmp_path / WORLD, world_entry("b"))
    os.utime(tmp_path / WORLD, ns=(1, 1))
    assert Recordings.open(tmp_path).world(world_entry("b").key) == world_entry("b")
    assert reads == [WORLD, WORLD]


def test_one_key_in_both_world_files_is_refused(tmp_path):
    cassette.append(tmp_path / WORLD, world_entry("a"))
    cassette.append(tmp_path / TRAJECTORIES, world_entry("a"))
    with pytest.raises(BadInput, match=r"world\.trajectories\.yaml: key .* stands in world\.yaml too"):
        Recordings.open(tmp_path)


def test_what_another_recorder_put_into_the_other_file_meanwhile_stands_there_alone(tmp_path):
    proof, run = Recordings.open(tmp_path), Recordings.open(tmp_path)
    proof.append_world(world_entry("a"), trajectory=False)
    assert run.append_world(world_entry("a", 2), trajectory=True) == world_entry("a")
    run.append_world(world_entry("b"), trajectory=True)
    assert proof.append_world(world_entry("b", 2), trajectory=False) == world_entry("b")
    assert len(Recordings.open(tmp_path).world_entries()) == 2


def test_a_disk_that_refuses_is_one_line_and_what_was_recorded_stays(tmp_path, monkeypatch):
    recordings = Recordings.open(tmp_path)
    recordings.append_world(world_entry("a"), trajectory=False)
    before = (tmp_path / WORLD).read_bytes()

    def full(_handle, _data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    for name, trajectory in (("b", False), ("c", True)):
        with pytest.raises(
            BadInput, match="No space left on device; make room, or make it writable, and do the same again"
        ):
            recordings.append_world(world_entry(name), trajectory=trajectory)
    assert (tmp_path / WORLD).read_bytes() == before
    assert not (tmp_path / TRAJECTORIES).exists()
    assert recordings.world(world_entry("b").key) is None


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("qwen2.5-coder:1.5b", "qwen2.5-coder-1.5b.yaml"),
        ("org/Model v1", "org-Model-v1.yaml"),
        ("../../etc/passwd", "etc-passwd.yaml"),
        ("world", "model-world.yaml"),
        ("world.trajectories", "model-world.trajectories.yaml"),
        ("…", "model.yaml"),
    ],
)
def test_a_models_file_has_a_safe_name_that_is_not_the_worlds(model, name):
    assert model_file(model) == name


def test_answers_are_put_in_order_among_themselves_and_others_stay_where_they_are(tmp_path):
    recordings = Recordings.open(tmp_path)
    one, two, old, three = (ask_entry(text) for text in ("one", "two", "old", "three"))
    for entry in (three, old, one, two):
        recordings.append_model_entry("m/x", entry)
    recordings.arrange("m/x", [one.key, two.key, "0" * 16, three.key, one.key])
    assert [entry.key for entry in recordings.model_entries("m/x")] == [one.key, old.key, two.key, three.key]
    assert cassette.load(tmp_path / model_file("m/x")) == recordings.model_entries("m/x")


def test_what_is_in_order_is_not_written_again_and_what_is_not_there_is_not_made(tmp_path):
    recordings = Recordings.open(tmp_path / "none")
    recordings.arrange("m/x", [ask_entry("one").key])
    assert not (tmp_path / "none").exists()
    one, two = ask_entry("one"), ask_entry("two")
    recordings.append_model_entry("m/x", one)
    recordings.append_model_entry("m/x", two)
    before = (tmp_path / "none" / model_file("m/x")).stat().st_ino
    recordings.arrange("m/x", [one.key, two.key])
    assert (tmp_path / "none" / model_file("m/x")).stat().st_ino == before


def layered(tmp_path):
    return Recordings.open(tmp_path / "shipped", private=tmp_path / "own")


def test_a_private_layer_is_read_after_the_shipped_one_and_written_alone(tmp_path):
    shipped = Recordings.open(tmp_path / "shipped")
    shipped.append_world(world_entry("a"), trajectory=False)
    kept = shipped.append_model_entry("m", ask_entry("hello"))
    before = {path: path.read_bytes() for path in (tmp_path / "shipped").iterdir()}
    both = layered(tmp_path)
    both.append_world(world_entry("b"), trajectory=True)
    own = both.append_model_entry("m", ask_entry("private"))
    assert {path: path.read_bytes() for path in (tmp_path / "shipped").iterdir()} == before
    again = layered(tmp_path)
    assert again.world(world_entry("a").key) == world_entry("a")
    assert again.world(world_entry("b").key) == world_entry("b")
    assert again.trajectory_keys() == {world_entry("b").key}
    assert again.model_entries("m") == (kept, own)
    assert Recordings.open(tmp_path / "shipped").model_entry("m", own.key) is None


def test_a_shipped_entry_is_never_replaced_from_a_private_layer(tmp_path):
    shipped = Recordings.open(tmp_path / "shipped")
    shipped.append_world(world_entry("a", 1), trajectory=False)
    kept = shipped.append_model_entry("m", ask_entry("hello"))
    both = layered(tmp_path)
    assert both.append_world(world_entry("a", 2), trajectory=True, replace=True) == world_entry("a", 1)
    assert both.append_model_entry("m", replace(ask_entry("hello"), response=completion("other")), replace=True) == kept
    assert both.world(world_entry("a").key, fresh=True) == world_entry("a", 1), (
        "recording everything again asks for no shipped one"
    )
    assert both.model_entry("m", kept.key, fresh=True) == kept
    assert not (tmp_path / "own" / WORLD).exists()


def test_unused_entries_are_those_of_the_shipped_layer(tmp_path):
    Recordings.open(tmp_path / "shipped").append_world(world_entry("a"), trajectory=False)
    both = layered(tmp_path)
    both.append_world(world_entry("b"), trajectory=False)
    assert both.unused() == (world_entry("a"),)
    both.prune()
    assert layered(tmp_path).world_entries() == (world_entry("b"),)


def test_a_change_in_either_layer_changes_the_stamps(tmp_path):
    both = layered(tmp_path)
    stamps = [both.stamps()]
    both.append_world(world_entry("b"), trajectory=False)
    stamps.append(both.stamps())
    Recordings.open(tmp_path / "shipped").append_world(world_entry("a"), trajectory=False)
    stamps.append(both.stamps())
    assert len(set(stamps)) == 3

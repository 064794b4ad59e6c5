"""A few strikes of each kind; `make torture` tries more of them, on more commands."""

import shutil
from dataclasses import replace

import pytest

from qa.torture.crashes import struck
from qa.torture.crashing import disks
from qa.torture.crashing.commands import COMMANDS, staged
from qa.torture.crashing.meetings import (
    MIDDLE,
    NotMet,
    together,
    two_imports_of_one_case,
    two_recorders_of_one_case,
    two_runs_into_one_folder,
)
from qa.torture.crashing.striking import STEPS, TERMINATED, attempt, known_as
from qa.torture.tally import failures
from tests.fakes import cases


@pytest.fixture(scope="module")
def parent(tmp_path_factory):
    return tmp_path_factory.mktemp("crashes")


def one_case(root):
    """Write one case of the corpus, with the recording of its world."""
    cases.write_corpus(root)
    for case in (cases.CLOSED, cases.QUIET):
        shutil.rmtree(root / "cases" / case)
    cases.record_worlds(root)
    cases.record_responses(root, [key for key in cases.MATRIX if key.case == cases.RENAMED])
    return root


@pytest.fixture(scope="module")
def stage(parent):
    with staged(parent, one_case) as stage:
        yield stage


def test_what_was_killed_or_had_no_room_is_whole_and_goes_on(stage, parent):
    by_name = {command.name: command for command in COMMANDS}
    record = by_name["run --record"]
    small = replace(record, words=(*record.words, cases.RENAMED, "--strategy", "none"))
    known = known_as(stage, parent, [small, by_name["case new"], by_name["workflow run"]])
    assert failures(struck(stage, known, 2, seed=0)) == []


@pytest.mark.parametrize(
    ("name", "kind", "bare"), [("run --record", STEPS, True), ("run --record all", TERMINATED, False)]
)
def test_a_recording_that_ended_in_its_middle_goes_on(stage, tmp_path, name, kind, bare):
    command = next(command for command in COMMANDS if command.name == name)
    small = replace(command, words=(*command.words, cases.RENAMED, "--strategy", "none"))
    (one,) = known_as(stage, tmp_path, [small])
    assert failures([attempt(stage, one, kind, 1 + len(one.steps) // 2, bare=bare)]) == []


@pytest.mark.parametrize("name", ["gate --update", "prompts import", "case import"])
def test_what_was_killed_in_its_middle_is_whole_and_goes_on(stage, parent, name):
    command = next(command for command in COMMANDS if command.name == name)
    (one,) = known_as(stage, parent, [command])
    assert failures([attempt(stage, one, STEPS, 1 + len(one.steps) // 2)]) == []


@pytest.mark.parametrize("meeting", [two_runs_into_one_folder, two_recorders_of_one_case])
def test_two_that_write_one_folder_leave_what_one_alone_does(stage, parent, meeting):
    desk = parent / meeting.__name__ / "desk"
    shutil.copytree(stage.built, desk)
    assert meeting(stage, desk, MIDDLE) is None


def test_disks_that_cannot_be_mounted_are_reported_as_not_tried(monkeypatch):
    monkeypatch.setattr(disks, "MOUNTS", ("false",))
    reported = list(disks.on_real_disks())
    assert {one.kind for one in reported} == {disks.REALLY_FULL, disks.REALLY_READ_ONLY}
    assert all("so it was not tried" in one.failure for one in reported)


def test_two_that_write_one_case_do_not_mix(stage, parent):
    desk = parent / "together" / "desk"
    shutil.copytree(stage.built, desk)
    assert two_imports_of_one_case(stage, desk, 0.9) is None


def test_two_processes_that_do_not_meet_are_reported(stage, parent):
    desk = parent / "apart" / "desk"
    shutil.copytree(stage.built, desk)
    words = ("case", "new", "http/fresh", "--workflow", "workflow.json")
    with pytest.raises(NotMet, match="never came to step"):
        together(stage, desk, words, words, 2.0)

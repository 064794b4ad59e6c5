"""A few strikes of each kind; `make torture` tries more of them, on more commands."""

import shutil
from dataclasses import replace

import pytest

from tests.fakes import cases
from tests.torture.crashes import struck
from tests.torture.crashing.commands import COMMANDS, staged
from tests.torture.crashing.meetings import NotMet, together, two_imports_of_one_case
from tests.torture.crashing.striking import known_as
from tests.torture.tally import failures


@pytest.fixture(scope="module")
def parent(tmp_path_factory):
    return tmp_path_factory.mktemp("crashes")


def one_case(root):
    """Write one case of the corpus, with the recording of its world."""
    cases.write_corpus(root)
    for case in (cases.CLOSED, cases.QUIET):
        shutil.rmtree(root / "cases" / case)
    cases.record_worlds(root)
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


def test_two_that_write_one_case_do_not_mix(stage, parent):
    desk = parent / "together" / "desk"
    shutil.copytree(stage.built, desk)
    assert two_imports_of_one_case(stage, desk, 0.9) is None


def test_two_that_do_not_meet_are_told(stage, parent):
    desk = parent / "apart" / "desk"
    shutil.copytree(stage.built, desk)
    words = ("case", "new", "http/fresh", "--workflow", "workflow.json")
    with pytest.raises(NotMet, match="never came to step"):
        together(stage, desk, words, words, 2.0)

"""Two replays of the same files are the same bytes, whoever makes them, where, when, and on how many workers."""

import shutil

import pytest

from qa.torture.determinism import MADE, as_another, replayed
from tests.fakes import cases

OTHERWISE = {
    "hash seed": {"PYTHONHASHSEED": "4711"},
    "time zone": {"TZ": "Asia/Kathmandu"},
    "locale": {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0"},
    "user": {"HOME": "/nonexistent", "USER": "somebody", "LOGNAME": "somebody"},
    "terminal": {"COLUMNS": "40", "TERM": "dumb", "NO_COLOR": "1"},
}


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    return cases.build(tmp_path_factory.mktemp("determinism") / "desk")


@pytest.fixture(scope="module")
def once(desk):
    return replayed(desk)


@pytest.mark.slow
@pytest.mark.parametrize("environment", OTHERWISE.values(), ids=OTHERWISE)
def test_the_environment_changes_no_byte(desk, once, environment):
    assert replayed(desk, **environment) == once


def test_the_environment_the_number_of_workers_and_the_folder_together_change_no_byte(desk, tmp_path):
    other = tmp_path / "elsewhere, with a space" / "bürö"
    shutil.copytree(desk, other, ignore=shutil.ignore_patterns("out", "made"))
    environment = {name: value for each in OTHERWISE.values() for name, value in each.items()}
    by = as_another()
    again = replayed(other, workers=2, made=MADE, by=by, **environment)
    assert again == replayed(desk, made=MADE)
    assert {
        "out/trials.jsonl",
        "made/junit.xml",
        "made/report.md",
        "made/baseline.tsv",
        "made/prompts.jsonl",
    } <= again.keys()
    if not by:
        pytest.skip("all of it holds but for another user: this machine lets no process become one")

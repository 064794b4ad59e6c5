"""The options of an interrupted run: stored in its plan, and compared with those that are given to resume it."""

import json
from dataclasses import fields, replace
from pathlib import Path

import pytest
import typer

from mendbench.api import RunOptions
from mendbench.api.resuming import FREE, resumed, stored_options, words
from mendbench.cli.main import app
from mendbench.errors import BadInput
from mendbench.runs.shards import Shard

NAMES = tuple(field.name for field in fields(RunOptions))
TYPES = {"cases": Path("c"), "cassettes": Path("r"), "samples": 3, "shard": Shard(number=1, of=2)}


def other(field):
    """Return a value that the option does not have by default."""
    if isinstance(field.default, tuple):
        return ("one", "two words")
    return not field.default if isinstance(field.default, bool) else TYPES.get(field.name, "other")


EVERY = RunOptions(**{field.name: other(field) for field in fields(RunOptions) if field.name not in FREE})


@pytest.fixture
def place(tmp_path):
    (tmp_path / ".run.partial").mkdir()
    plan = json.dumps({"options": stored_options(EVERY)})
    (tmp_path / ".run.partial" / "plan.json").write_text(plan, encoding="utf-8")
    return tmp_path / "run"


def test_a_resumed_run_has_every_option_that_it_began_with_and_the_free_ones_that_are_given(place):
    assert resumed(RunOptions(resume=True, workers=2), place) == replace(EVERY, resume=True, workers=2)
    assert resumed(EVERY, place) == EVERY


def test_options_that_differ_are_named_with_both_values(place):
    given = RunOptions(strategies=("mend",), shard=Shard(number=2, of=2), part="other")
    with pytest.raises(BadInput) as raised:
        resumed(given, place, given=("record", "detector"))
    assert str(raised.value).removeprefix(f"--resume {place}: ") == (
        "--strategy mend (it began with --strategy one --strategy 'two words'), no --detector (it began with --detector other), "
        "--record none (it began with --record other), --shard 2/2 (it began with --shard 1/2); "
        "leave out what differs, or give the command without --resume to begin again"
    )


def test_the_words_of_options_are_those_that_the_command_has():
    run = typer.main.get_command(app).get_command(None, "run")
    known = {name for parameter in run.params for name in parameter.opts}
    flags = [word for word in words(EVERY, NAMES) if word.startswith("--")]
    assert set(flags) <= known
    assert len(set(flags)) == len(NAMES) - len(FREE) - 1
    assert words(EVERY, ["names", "allow_shell"]) == ["one", "two words", "--allow-shell"]


@pytest.mark.parametrize("plan", [{}, {"options": 7}, {"options": {"samples": "many"}}])
def test_a_plan_without_options_that_can_be_read_is_one_line(place, plan):
    (place.parent / ".run.partial" / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
    with pytest.raises(BadInput, match="its plan stores no options that can be read; run it without --resume"):
        resumed(RunOptions(), place)

"""The folders that a scope's files and shell commands find, made from the case's state."""

from __future__ import annotations

import json
import os

import pytest

from mendbench.cassettes.recordings import Recordings
from mendbench.errors import BadInput, ReplayMiss
from mendbench.model.case import Variant
from mendbench.recording.recorder import Recorder
from mendbench.runtime.engine import MendbenchEngine
from mendbench.trial.scope import open_scope
from tests.fakes.engine import chain
from tests.fakes.sandbox import IN_ITS_HOME, open_to_all, stand_in
from tests.fakes.scoring import make_case
from tests.fakes.worlds import post

STATE = {
    "files": {"a.txt": "mine\n", "data/b.json": {"n": 1}, "gone.txt": None},
    "setup": "sort -r data/b.json > made.txt",
}
CASE = make_case(recorded_from={"shell": "real"}, state={"shell": STATE})


@pytest.fixture(autouse=True)
def bwrap(monkeypatch):
    """Stands for bubblewrap: runs the command in the folder that is bound as the home."""
    with open_to_all() as programs:
        stand_in(programs / "bwrap", IN_ITS_HOME)
        monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
        yield


def live_of(recorder, case=CASE, variant=None):
    return recorder.for_trial(case, variant).live


def shell(**options):
    return Recorder("new_episodes", allow_shell=options.pop("allow_shell", True))


def command(text):
    return post("shell://sandbox/", {"command": text, "stdin": None, "cwd": None, "env": []})


def said(live, text):
    return json.loads(live.send(command(text)).body)


def state_with(**state):
    return make_case(recorded_from={"shell": "real"}, state={"shell": state})


def test_the_home_has_the_files_of_the_state_and_what_its_script_made():
    with shell() as recorder:
        live = live_of(recorder)
        assert (
            said(live, "cat a.txt data/b.json made.txt; ls")["stdout"]
            == 'mine\n{"n":1}{"n":1}\na.txt\ndata\nmade.txt\n'
        )


def test_what_a_command_does_stays_for_the_next_one_and_never_for_another_scope():
    with shell() as recorder:
        one, other = live_of(recorder), live_of(recorder)
        said(one, "echo new > a.txt")
        assert said(one, "cat a.txt")["stdout"] == "new\n"
        assert said(other, "cat a.txt")["stdout"] == "mine\n"


def test_a_variant_changes_and_takes_away_files():
    variant = Variant(
        name="other", inputs={}, state={"shell": {"files": {"a.txt": "theirs", "data/b.json": None}, "setup": "true"}}, checks=()
    )  # fmt: skip
    with shell() as recorder:
        live = live_of(recorder, variant=variant)
        assert said(live, "cat a.txt; find . -type f")["stdout"] == "theirs./a.txt\n"


def test_a_command_that_only_reads_is_known_for_it_and_the_script_is_no_command_of_the_scope():
    with shell() as recorder:
        live = live_of(recorder)
        said(live, "cat a.txt")
        assert live.reads(command("cat a.txt"))
        said(live, "rm a.txt")
        assert not live.reads(command("rm a.txt"))


def test_a_script_that_fails_is_reported_with_what_it_said():
    with (
        shell() as recorder,
        pytest.raises(BadInput, match=r"case\.yaml: state\.shell\.setup: no good; mend the script"),
    ):
        said(live_of(recorder, state_with(setup="echo no good >&2; exit 3")), "true")


def test_a_script_that_says_nothing_is_reported_by_its_exit_code():
    with shell() as recorder, pytest.raises(BadInput, match=r"state\.shell\.setup: exit code 7"):
        said(live_of(recorder, state_with(setup="exit 7")), "true")


def test_a_file_outside_the_home_is_refused():
    with shell() as recorder, pytest.raises(BadInput, match=r"state\.shell: no file can be at \.\./a"):
        said(live_of(recorder, state_with(files={"../a": "x"})), "true")


def test_neither_script_nor_command_runs_unless_it_is_allowed(tmp_path):
    with shell(allow_shell=False) as recorder, pytest.raises(BadInput, match="--allow-shell"):
        said(live_of(recorder, state_with(setup=f"touch {tmp_path}/made")), "true")
    assert not (tmp_path / "made").exists()


COMMANDS = chain(
    {"id": "put", "type": "shell", "params": {"command": "cat >> a.txt", "stdin": "more"}},
    {"id": "back", "type": "shell", "params": {"command": "cat a.txt"}},
)
FILES = chain(
    {"id": "put", "type": "write-file", "params": {"file_path": "a.txt", "content": "more"}},
    {"id": "back", "type": "read-file", "params": {"file_path": "a.txt"}},
)


def ended(recorder, folder, case=CASE, document=COMMANDS):
    scope = open_scope(case, None, Recordings.open(folder), recorder.for_trial(case, None), "record it")
    run = MendbenchEngine().execute(document, {}, scope.world, checkpoint=None, detector=None, clock=scope.clock)
    return run, scope.world.traffic()


def test_a_workflow_of_commands_replays_without_a_shell(tmp_path, monkeypatch):
    with shell() as recorder:
        recorded, live = ended(recorder, tmp_path / "recorded")
    monkeypatch.setenv("PATH", "/nowhere")
    replayed, exchanges = ended(Recorder(), tmp_path / "recorded")
    assert recorded.nodes[1].outputs["stdout"] == "mine\nmore"
    assert replayed == recorded
    assert [exchange.changed for exchange in live] == [exchange.changed for exchange in exchanges] == [True, False]


@pytest.mark.parametrize(
    ("document", "service", "output", "wrote"),
    [(COMMANDS, "shell", "stdout", "more"), (FILES, "file", "content", "1: more")],
)
def test_a_case_that_declares_neither_shell_nor_files_has_both_and_they_are_empty(
    tmp_path, document, service, output, wrote
):
    undeclared = make_case(recorded_from={"json_api": "simulator"}, state={"json_api": {"host": "a.example"}})
    with shell() as recorder:
        recorded, _ = ended(recorder, tmp_path, undeclared, document)
    assert recorded.nodes[1].outputs[output] == wrote
    assert ended(Recorder(), tmp_path, undeclared, document)[0] == recorded
    assert [entry.service for entry in Recordings.open(tmp_path).world_entries()] == [service, service]


def test_a_command_in_a_case_without_a_shell_is_missing_until_shells_are_allowed_and_ends_no_recording(tmp_path):
    undeclared = make_case(recorded_from={"json_api": "simulator"}, state={"json_api": {"host": "a.example"}})
    for recorder in (Recorder(), shell(allow_shell=False)):
        with pytest.raises(ReplayMiss, match=r"the shell command `cat >> a.txt`.* record it --allow-shell$"):
            ended(recorder, tmp_path, undeclared)

"""Beside pytest-recording: its markers and options, and what they mean here."""

import json

import pytest

from tests.fakes.cases import MODEL, RENAMED, ScriptedRecorder
from tests.pytest_plugin.test_items import FULL_CONTEXT, lose_responses

pytest.importorskip("pytest_recording")
pytest_plugins = ["pytester"]

RECORDED_TEST = """
import socket
import urllib.request
import pytest

@pytest.mark.vcr
def test_theirs():
    with urllib.request.urlopen("http://tides.example/today") as answer:
        assert answer.read() == b"low at noon"

@pytest.mark.block_network
def test_blocked(mendbench_trial):
    assert mendbench_trial("http/renamed-field", strategy="full-context").right
    with socket.socket() as own, pytest.raises(RuntimeError, match="Network is disabled"):
        own.connect(("127.0.0.1", 1))
"""
CASSETTE = """
interactions:
- request: {body: null, headers: {}, method: GET, uri: http://tides.example/today}
  response:
    body: {string: low at noon}
    headers: {}
    status: {code: 200, message: OK}
version: 1
"""


@pytest.fixture
def recorder(monkeypatch):
    """Whatever is recorded is answered by a scripted model, and written."""
    made = ScriptedRecorder()

    def make(mode, models, **words):
        made.mode = mode
        return made

    monkeypatch.setattr("mendbench.api.trials.Recorder", make)
    return made


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_both_replay_in_one_run_without_a_network(mendbench, project, pytester):
    pytester.makepyfile(test_tides=RECORDED_TEST)
    folder = project / "cassettes" / "test_tides"
    folder.mkdir()
    (folder / "test_theirs.yaml").write_text(CASSETTE, encoding="utf-8")
    result = mendbench("--record-mode=none", "--block-network", *FULL_CONTEXT, "test_tides.py", "cases")
    result.assert_outcomes(passed=5)


@pytest.mark.parametrize("mode", ["new_episodes", "all", "rewrite"])
def test_modes_that_record_record_trials_too(mendbench, project, recorder, mode):
    lose_responses(project)
    mendbench(f"--record-mode={mode}", *FULL_CONTEXT, f"cases/{RENAMED}").assert_outcomes(passed=1)
    assert len(recorder.model_requests) == 1
    assert recorder.mode == ("new_episodes" if mode == "new_episodes" else "all")
    mendbench(*FULL_CONTEXT, f"cases/{RENAMED}").assert_outcomes(passed=1)
    assert len(recorder.model_requests) == 1


@pytest.mark.parametrize(
    "words", [("--record-mode=none",), ("--record-mode=once",), (), ("--record-mode=all", "--block-network")]
)
def test_nothing_is_recorded_where_a_network_is_not_to_be_used(mendbench, project, recorder, words):
    lose_responses(project)
    mendbench(*words, *FULL_CONTEXT, f"cases/{RENAMED}").assert_outcomes(errors=1)
    assert recorder.model_requests == []
    assert not (project / "cassettes" / RENAMED / f"{MODEL}.yaml").exists()


def test_the_header_says_whether_anything_is_recorded(mendbench):
    mendbench("--record-mode=all", "--collect-only").stdout.fnmatch_lines(["mendbench: cases in cases, record all"])
    mendbench("--collect-only").stdout.fnmatch_lines(["mendbench: cases in cases, record none"])


def test_asks_are_the_same_as_in_a_run(mendbench, project, recorder):
    lose_responses(project)
    mendbench("--record-mode=new_episodes", *FULL_CONTEXT, f"cases/{RENAMED}")
    (model_request,) = recorder.model_requests
    assert json.loads(json.dumps(model_request))["model"] == MODEL

"""A model's server that fails while a run records: never the strategy's failure, nothing lost, and the run goes on later."""

import json
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import httpx2
import pytest

from mendbench import api
from mendbench.cassettes import cassette
from mendbench.cassettes.recordings import model_file
from mendbench.cli.main import main
from mendbench.errors import BadInput, Incomplete
from mendbench.live.chat_model import ChatCaller
from tests.fakes import cases
from tests.fakes.cases import MODEL, RENAMED, reading_model
from tests.fakes.worlds import completion

OPTIONS = api.RunOptions(names=(RENAMED,), strategies=("full-context",), policies=("naive",), record="new_episodes")
RESPONSES = Path("cassettes") / RENAMED / model_file(MODEL)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return cases.build(tmp_path_factory.mktemp("built"))


@pytest.fixture
def served(built, tmp_path, monkeypatch):
    """Return what the model's server answers with, to be changed; no response is recorded yet. Waiting takes no time."""
    monkeypatch.chdir(cases.copy_of(built, tmp_path / "corpus"))
    RESPONSES.unlink()
    config = Path("mendbench.toml")
    url = f'[models.{MODEL}]\nbase_url = "https://models.kelpforest.example/v1"\n'
    config.write_text(config.read_text("utf-8").replace(f"[models.{MODEL}]\n", url), encoding="utf-8")
    served = {"status": 200, "body": None, "good": 0, "asked": 0, "slept": 0.0}

    def handle(request):
        served["asked"] += 1
        if served["body"] is None or served["asked"] <= served["good"]:
            return httpx2.Response(200, content=completion(reading_model(json.loads(request.read()))).body)
        return httpx2.Response(served["status"], json=served["body"], headers={"Retry-After": "9"})

    def sleep(seconds):
        served["slept"] += seconds

    caller = partial(ChatCaller, sleep=sleep, transport=httpx2.MockTransport(handle))
    monkeypatch.setattr("mendbench.recording.recorder.ChatCaller", caller)
    return served


def quietly(done, total, last):
    """Take progress and say nothing."""


@pytest.mark.parametrize("status", [429, 500, 529])
def test_a_server_that_stays_busy_ends_the_run_as_incomplete_and_a_later_one_goes_on(served, status):
    two = replace(OPTIONS, strategies=("full-context", "none"))
    served.update(good=1, status=status, body={"error": {"message": "try later"}})
    with pytest.raises(Incomplete, match=f"HTTP {status} .*try later") as caught:
        api.run(two, quietly)
    assert caught.value.exit_code == 3
    assert (served["asked"], served["slept"]) == (1 + 6, 45.0)
    assert len(cassette.load(RESPONSES)) == 1
    served.update(good=0, asked=0, status=200, body=None)
    rows = api.run(two, quietly).rows
    assert {row["strategy"]: row["verdict"] for row in rows} == {"full-context": "correct", "none": "incorrect"}
    assert served["asked"] == len(cassette.load(RESPONSES)) - 1


def test_the_command_says_so_in_one_line_and_returns_3(served, capsys, monkeypatch):
    served.update(status=429, body={"error": {"message": "try later"}})
    words = ["run", RENAMED, "--strategy", "full-context", "--policy", "naive", "--record", "new_episodes"]
    monkeypatch.setattr(sys, "argv", ["mendbench", *words])
    monkeypatch.setattr("mendbench.cli.main.signal.signal", lambda _number, _handler: None)  # the tests' own one stays
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 3
    said = capsys.readouterr().err.strip()
    assert "HTTP 429" in said
    assert "Traceback" not in said


def test_a_refused_key_is_bad_input_and_is_asked_once(served):
    served.update(status=401, body={"error": {"message": "Incorrect API key provided"}})
    with pytest.raises(BadInput, match="Incorrect API key provided"):
        api.run(OPTIONS, quietly)
    assert served["asked"] == 1
    assert not RESPONSES.exists()


def test_a_prompt_that_does_not_fit_is_recorded_and_is_the_trials_own_end(served):
    served.update(status=400, body={"error": {"code": "context_length_exceeded", "message": "too many"}})
    (row,) = api.run(OPTIONS, quietly).rows
    assert (row["stop_reason"], row["attempts"][0]["status"]) == ("prompt_too_long", "prompt_too_long")
    (again,) = api.run(replace(OPTIONS, record="none", workers=1), quietly).rows
    assert {**again, "timing": None} == {**row, "timing": None}


def test_a_seed_is_sent_at_a_temperature_above_0_and_another_one_for_each_sample(served, monkeypatch):
    config = Path("mendbench.toml")
    table = f"[models.{MODEL}]\nseed = 1000\nparameters = {{temperature = 0.8, top_p = 0.9}}\n"
    config.write_text(config.read_text("utf-8").replace(f"[models.{MODEL}]\n", table), encoding="utf-8")
    sent = []
    model_request = ChatCaller.send
    monkeypatch.setattr(ChatCaller, "send", lambda self, one: sent.append(one) or model_request(self, one))
    api.run(replace(OPTIONS, samples=2), quietly)
    assert [one["params"] for one in sent] == [
        {"temperature": 0.8, "top_p": 0.9, "seed": seed} for seed in (1000, 2000)
    ]
    assert [one["draw"] for one in sent] == [[0, 0], [1, 0]]

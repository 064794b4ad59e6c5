"""``mendbench run --record`` with a model's server, and what it says beforehand."""

from __future__ import annotations

import json
import re
import shlex
import signal
import socket
import sys

import pytest

from mendbench import api
from mendbench.cassettes import cassette
from mendbench.cassettes.recordings import model_file
from tests.fakes.cases import CLOSED, MODEL, QUIET, RENAMED, make_live, reading_model
from tests.fakes.loopback import loopback
from tests.fakes.model_worlds import completion

PLAIN = ("run", "http/*", "--policy", "naive", "--workers", "1")
USAGE = {"prompt_tokens": 1000, "completion_tokens": 50}
RECORDING = (*PLAIN, "--record", "new_episodes")


def forget(corpus):
    """Leave no response of the model."""
    for path in (corpus / "cassettes").rglob(model_file(MODEL)):
        path.unlink()


def responses_in(corpus):
    return sum(len(cassette.load(path)) for path in (corpus / "cassettes").rglob(model_file(MODEL)))


@pytest.fixture
def served(corpus):
    """The corpus with a model's server and without a response; what the server was asked."""
    forget(corpus)
    asked = []

    def response(body):
        asked.append(body)
        return 200, json.loads(completion(reading_model(body), usage=USAGE).body)

    with loopback({"POST /v1/chat/completions": response}) as base:
        config = corpus / "mendbench.toml"
        table = f'[models.{MODEL}]\nbase_url = "{base}/v1"\n'
        config.write_text(config.read_text("utf-8").replace(f"[models.{MODEL}]\n", table), encoding="utf-8")
        yield asked


def files_of(corpus):
    return {path: path.read_bytes() for path in corpus.rglob("*") if path.is_file()}


def test_a_dry_run_asks_nothing_writes_nothing_and_says_what_it_would_do(corpus, mendbench, served):
    before = files_of(corpus)
    result = mendbench(*RECORDING, "--concurrency", "4", "--dry-run")
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines()[:2] == [
        "4 prompts would be asked now, and at most 8 later; 0 answered already (4 trials, 2 cases)",
        f"{MODEL}: 4 prompts now, at most 8 later, 4 at once",
    ]
    assert "  cost: not known\n  time: not known\n" in result.out
    assert f"not known: the price of {MODEL}: configure prices or free, " in result.out
    assert served == []
    assert files_of(corpus) == before


def test_a_dry_run_needs_no_record_mode_and_no_cassettes(corpus, mendbench, served):
    result = mendbench(*PLAIN, "--dry-run", "--cassettes", "nowhere", "--format", "json")
    document = json.loads(result.out)
    assert (result.code, document["prompts"], document["answered"], document["later_at_most"]) == (0, 4, 0, 8)
    (model,) = document["models"]
    assert (model["model"], model["cost_usd"], model["seconds"]) == (MODEL, None, None)
    assert not (corpus / "nowhere").exists()
    assert served == []


def test_what_a_dry_run_said_is_what_recording_asks_and_then_nothing_is_left(corpus, mendbench, served):
    result = mendbench(*RECORDING, "--concurrency", "3")
    assert result.code == 0
    assert {path.parent for path in (corpus / "cassettes").rglob(model_file(MODEL))} == {
        corpus / "cassettes" / case for case in (CLOSED, RENAMED)
    }
    first = len({json.dumps(body) for body in served})
    assert first == len(served) == responses_in(corpus)
    assert 4 <= first <= 12
    again = mendbench(*RECORDING, "--dry-run")
    assert (
        again.out
        == f"0 prompts would be asked now, and at most 0 later; {first} answered already (4 trials, 2 cases)\n"
    )
    assert len(served) == first


def test_figures_of_what_was_recorded_are_reported(corpus, mendbench, served):
    config = corpus / "mendbench.toml"
    prices = "prices = { input_per_million = 0.0, output_per_million = 20000.0 }\n"
    text = config.read_text("utf-8")
    config.write_text(text.replace(f"[models.{MODEL}]\n", f"[models.{MODEL}]\n{prices}"), encoding="utf-8")
    mendbench(*RECORDING, "--strategy", "none")
    for path in (corpus / "cassettes").rglob(model_file(MODEL)):
        lines = [
            "    elapsed_ms: 90000" if line.startswith("    elapsed_ms: ") else line
            for line in path.read_text("utf-8").splitlines()
        ]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    result = mendbench(*PLAIN, "--strategy", "full-context", "--dry-run")
    assert "  tokens of responses: about 100, at most 800\n" in result.out
    assert "  cost: about $2.00, at most $16.00; $6.00 with all later ones (price: configuration)\n" in result.out
    assert "  time: about 3 min; 9 min with all later ones (median of recorded responses: 90.0 s)\n" in result.out


def test_what_stops_a_trial_before_its_prompt_is_said(corpus, mendbench, served):
    (corpus / "cassettes" / RENAMED / "world.yaml").unlink()
    make_live(corpus, RENAMED)
    result = mendbench(*PLAIN, "--dry-run")
    assert result.code == 0
    assert result.err.startswith(
        f"mendbench: stopped: {RENAMED} | full-context | naive | {MODEL} | 0: no recording answers"
    )
    assert "not known: 2 trials stop before their prompt is known" in result.out


@pytest.mark.parametrize(("number", "whole"), [(signal.SIGINT, True), (signal.SIGTERM, False)])
def test_a_signal_keeps_what_was_answered_and_says_the_command_that_goes_on(
    corpus, mendbench, served, monkeypatch, number, whole
):
    run = api.run

    def interrupted(options, progress, note):
        def on_progress(done, total, last):
            if done == 3:
                signal.raise_signal(number)

        return run(options, on_progress, note)

    with monkeypatch.context() as pressed:
        pressed.setattr(api, "run", interrupted)
        result = mendbench(*RECORDING, "--concurrency", "2")
    assert result.code == 128 + number
    kept = responses_in(corpus)
    assert kept == len(served) >= 3
    command = result.line.partition("; every response that came is kept; finish it with: ")[2]
    assert command == "mendbench run --resume reports/latest --record new_episodes --workers 1 --concurrency 2"
    assert mendbench(*(shlex.split(command)[1:] if whole else ("run", "--resume", "reports/latest"))).code == 0
    assert len(served) == len({json.dumps(body) for body in served}) == responses_in(corpus) > kept
    assert mendbench(*PLAIN).code == 0


def test_a_server_that_is_not_there_is_one_line_and_the_run_goes_on_when_it_is(corpus, mendbench, served):
    config = corpus / "mendbench.toml"
    listening = config.read_text("utf-8")
    address = re.search('base_url = "(.*)"', listening).group(1)
    with socket.socket() as unheard:
        unheard.bind(("127.0.0.1", 0))
        deaf = f"http://127.0.0.1:{unheard.getsockname()[1]}/v1"
        config.write_text(listening.replace(address, deaf), encoding="utf-8")
        result = mendbench(*RECORDING, "--concurrency", "3")
    assert (result.code, result.line) == (
        3,
        f"models.{MODEL}: nothing listens at {deaf} (connection refused); start the server, or correct base_url in {config}",
    )
    config.write_text(listening, encoding="utf-8")
    assert mendbench("run", "--resume", "reports/latest").code == 0
    assert responses_in(corpus) == len(served) > 0


def test_a_function_that_raises_keeps_nobody_from_giving_the_same_command_again(corpus, mendbench):
    agent = corpus / "raising_agent.py"
    agent.write_text("def mend(system, user):\n    raise RuntimeError('no power')\n", encoding="utf-8")
    words = (
        "run",
        "http/*",
        "--policy",
        "naive",
        "--repairer",
        "raising_agent:mend",
        "--repairer",
        "noop",
        "--record",
        "new_episodes",
    )
    for _ in range(2):
        result = mendbench(*words)
        assert result.code == 3
        assert "callable raising_agent:mend gave no response: RuntimeError: no power" in result.err
    agent.write_text("def mend(system, user):\n    return '{\"edits\": []}'\n", encoding="utf-8")
    sys.modules.pop("raising_agent")
    assert mendbench("run", "--resume", "reports/latest").code == 0


def test_what_an_interrupted_recording_of_everything_recorded_is_kept_whatever_runs_before_it_goes_on(
    corpus, mendbench, served, monkeypatch
):
    everything = (*PLAIN, "--record", "all")
    with monkeypatch.context() as stopped:
        stopped.setattr("mendbench.cli.terminal._Progress.__call__", stop_at(3))
        assert mendbench(*everything).code == 130
    kept = len(served)
    assert mendbench("run", QUIET, "--policy", "naive", "--workers", "1").code == 0
    result = mendbench(*everything)
    assert result.code == 0
    assert result.line == (
        f"reports/.latest.recorded.jsonl: {kept} responses that an interrupted --record all recorded are kept; "
        "delete the file to request them again"
    )
    assert len(served) == len({json.dumps(body) for body in served}) == responses_in(corpus)
    assert [path.name for path in (corpus / "reports").iterdir()] == ["latest"]


def stop_at(trial):
    def note_progress(_self, done, _total, _last):
        if done == trial:
            raise KeyboardInterrupt

    return note_progress


def test_a_number_of_asks_that_is_none_is_refused(corpus, mendbench):
    for given in ("0", "many"):
        result = mendbench(*RECORDING, "--concurrency", given)
        assert (given, result.code, "is not an integer of at least 1" in result.line) == (given, 2, True)


def test_a_model_without_an_address_is_reported_in_one_line(corpus, mendbench):
    forget(corpus)
    result = mendbench(*RECORDING, "--concurrency", "4")
    assert (result.code, result.line) == (
        2,
        f"models.{MODEL}: no base_url; configure one, or replay with --record none",
    )

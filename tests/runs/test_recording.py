"""Recording a matrix while models are asked for what trials wait for."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.cassettes import cassette
from mendbench.cassettes.recordings import Recordings, model_file
from mendbench.config.tables import ModelConfig, RepairerConfig
from mendbench.io.canonical_json import digest
from mendbench.live.rate_limit import Pace
from mendbench.model.trial import TrialKey
from mendbench.recording.recorder import Recorder, asks_at_once
from mendbench.replay.request_queue import RequestQueue
from mendbench.runs.recording import in_turn, record_all
from tests.fakes import cases
from tests.fakes.cases import CLOSED, MODEL, QUIET, RENAMED, reading_model
from tests.fakes.loopback import loopback
from tests.fakes.recording import PATIENCE_S, HeldModel, PromptModel, goes, key_of, prompt_of
from tests.fakes.worlds import completion

TRIALS = st.lists(
    st.tuples(st.sampled_from("abc"), st.lists(st.sampled_from("pqrstuvw"), min_size=1, max_size=4)),
    min_size=1,
    max_size=7,
)
"""What each trial asks, and for which case."""


class Notified(RequestQueue):
    """A queue that has the model answer, in its drawn order, only while somebody waits."""

    def __init__(self, model, at_once):
        pace = Pace(at_once=at_once)
        super().__init__(lambda name: pace)
        self._model = model

    def release(self, key):
        waited = [held for held, there in self._held.items() if not there]
        outstanding = len([held for held in waited if not self._answered(held)])
        if key in waited and not self._answered(key):
            self._model.answer_until(lambda: self._answered(key), outstanding)
        super().release(key)

    def _answered(self, key):
        return key in {key_of(prompt) for prompt in self._model.order}


def recorded(folder, trials, model, queue):
    """Return what each trial got, in the order in which they ended, and what stands in the files."""
    keys = [
        TrialKey(case=case, strategy=str(at), policy="naive", repairer="chat") for at, (case, _) in enumerate(trials)
    ]
    model_requests = {key: prompts for key, (_, prompts) in zip(keys, trials, strict=True)}
    ended = [
        (key.strategy, got)
        for key, got in in_turn(
            keys, lambda key: goes(Recordings.open(folder / key.case), model_requests[key], model, queue=queue), queue
        )
    ]
    return ended, {case: (folder / case / model_file("tiny")).read_bytes() for case, _ in trials}


@given(trials=TRIALS, at_once=st.integers(1, 4), picks=st.lists(st.integers(0, 7), min_size=1, max_size=8))
def test_each_ask_is_made_once_and_the_files_are_the_same_whichever_answer_comes_first(trials, at_once, picks):
    with TemporaryDirectory() as one, TemporaryDirectory() as other:
        plain = PromptModel()
        with RequestQueue(lambda name: pace) as queue:
            pace = Pace()
            expected = recorded(Path(one), trials, plain, queue)
        turns = iter(range(10_000))
        held = HeldModel(lambda count: picks[next(turns) % len(picks)] % count, at_once)
        with Notified(held, at_once) as queue:
            found = recorded(Path(other), trials, held, queue)
    assert found == expected
    assert sorted(held.asked) == sorted(plain.asked) == sorted({prompt for _, prompts in trials for prompt in prompts})


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return cases.build(tmp_path_factory.mktemp("built"))


STRATEGIES = ("none", "full-context")
KEYS = [cases.key(case, strategy, "naive") for case in (CLOSED, QUIET, RENAMED) for strategy in STRATEGIES]


def record(root, concurrency, response):
    """Record all responses again from a model's server on this machine; return what it was asked and the steps."""
    for path in (root / "cassettes").rglob(model_file(MODEL)):
        path.unlink()
    asked = []

    def served(body):
        asked.append(body)
        return 200, json.loads(completion(response(body)).body)

    with loopback({"POST /v1/chat/completions": served}) as base:
        models = {MODEL: ModelConfig(base_url=f"{base}/v1")}
        context = cases.context_of(root, record="new_episodes")
        with Recorder("new_episodes", models, trajectory=True, queued=True, concurrency=concurrency) as recorder:
            return asked, list(record_all(context, KEYS, recorder))


def responses_of(root):
    """Return the recorded responses by file, without the time that they took."""
    return {
        path.parent.name: [
            (entry.key, entry.response.status, entry.response.body) for entry in cassette.load(path)
        ]
        for path in sorted((root / "cassettes").rglob(model_file(MODEL)))
    }  # fmt: skip


def test_a_real_server_is_asked_by_several_at_once_and_the_recordings_are_those_of_one(built, tmp_path):
    one, many = cases.copy_of(built, tmp_path / "one"), cases.copy_of(built, tmp_path / "many")
    asked_by_one, steps_of_one = record(one, 1, reading_model)
    together, passed = threading.Barrier(4), []

    def all_first_responses_together(body):
        if not passed:
            together.wait(PATIENCE_S)
            passed.append(True)
        return reading_model(body)

    asked, steps = record(many, 4, all_first_responses_together)
    assert responses_of(many) == responses_of(one)
    assert sorted(map(digest, asked)) == sorted(set(map(digest, asked_by_one)))
    assert [step.label for step in steps] == [step.label for step in steps_of_one]
    assert [(step.done, step.total) for step in steps] == [(at + 1, 24) for at in range(24)]
    rows = [step.row[0] for step in steps if step.row]
    assert [row["verdict"] for row in rows] == [step.row[0]["verdict"] for step in steps_of_one if step.row]


def test_the_first_answers_of_all_cases_come_before_second_ones(built, tmp_path):
    root = cases.copy_of(built, tmp_path / "corpus")
    count = iter(range(100))
    asked, _ = record(root, 3, lambda body: cases.edit_response(f"Hello ${{person.response.nick{next(count)}}}!"))
    firsts = [prompt_of(body) for body in asked[:4]]
    assert len({("ledger" in prompt, len(prompt)) for prompt in firsts}) == 4
    assert not any("response.nick" in prompt for prompt in firsts)
    assert all("response.nick" in prompt for prompt in map(prompt_of, asked[4:]))


@pytest.mark.parametrize(
    ("config", "wanted", "found"), [({}, None, 1), ({"concurrency": 4}, None, 4), ({"concurrency": 4}, 2, 2)]
)
def test_the_flag_wins_over_the_configuration(config, wanted, found):
    recorder = Recorder("new_episodes", {"tiny": ModelConfig(**config)}, queued=True, concurrency=wanted)
    assert asks_at_once(ModelConfig(**config), wanted) == recorder.pace("tiny").at_once == found


def test_one_pace_holds_for_a_model_and_none_for_a_program():
    own = {"mine": RepairerConfig(command=["my-agent"])}
    models = {"slow": ModelConfig(base_url="http://127.0.0.1:1/v1", served_as="tiny", concurrency=3)}
    recorder = Recorder("new_episodes", models, repairers=own, queued=True)
    assert recorder.pace("tiny") is recorder.pace("tiny") is recorder.caller("tiny").pace
    assert recorder.pace("tiny").at_once == 3
    assert recorder.pace("command:my-agent") is None
    assert recorder.pace("callable:a.b:c") is None


def test_nothing_is_queued_in_replay_nor_where_nobody_asked_for_it():
    assert Recorder(queued=True).queue is None
    assert Recorder("new_episodes").queue is None

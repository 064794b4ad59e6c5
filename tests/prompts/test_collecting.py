"""What trials ask: the first model request without a response is found, redacted as it would be recorded, and nothing is written."""

import pytest

from mendbench.config.tables import ModelConfig
from mendbench.errors import UnknownName
from mendbench.io.canonical_json import canonical_json, digest
from mendbench.prompts.collecting import collect, collect_all
from mendbench.recording.recorder import Recorder
from mendbench.trial.components import BenchContext
from mendbench.trial.runner import run_trial
from tests.fakes import cases, prompts


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    return prompts.write_bare(tmp_path_factory.mktemp("bare"))


@pytest.fixture
def empty(bare, tmp_path):
    return cases.copy_of(bare, tmp_path / "corpus")


def files_of(root):
    return {path: path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def test_a_trial_stops_at_its_first_ask_without_an_answer(empty):
    recorder = cases.ScriptedRecorder()
    before = files_of(empty)
    found = collect(cases.context_of(empty), cases.key())
    assert files_of(empty) == before
    run_trial(cases.context_of(empty), cases.key(), recorder)
    assert [canonical_json(model_request) for model_request in found.missing] == [
        canonical_json(recorder.model_requests[0])
    ]
    assert (found.answered, found.problem) == (frozenset(), None)


def test_the_next_ask_is_found_once_the_first_is_answered(empty):
    key = cases.key(strategy="none", policy="naive")
    recorder = cases.ScriptedRecorder()
    run_trial(cases.context_of(empty), key, recorder, 1)
    found = collect(cases.context_of(empty), key)
    assert found.answered == {digest(recorder.model_requests[0])}
    assert len(found.missing) == 1
    assert "# Your last answer" not in canonical_json(recorder.model_requests[0])
    assert digest(found.missing[0]) not in found.answered


def test_a_trial_whose_answers_are_all_recorded_misses_nothing(root):
    found = collect(cases.context_of(root), cases.key())
    assert (len(found.answered), found.missing, found.problem) == (1, (), None)


def test_a_control_asks_nothing(empty):
    found = collect(cases.context_of(empty), cases.key(cases.QUIET))
    assert (found.answered, found.missing, found.problem) == (frozenset(), (), None)


def test_a_nodes_own_ask_is_found_in_the_first_execution_and_then_in_a_variants(empty):
    prompts.add_rhyme(empty)
    key, context = cases.key(prompts.RHYME), cases.context_of(empty)
    (model_request,) = collect(context, key).missing
    assert (model_request["model"], model_request["messages"][0]["content"]) == (prompts.POET, "Rhyme on Runa")
    recorder = cases.ScriptedRecorder(
        lambda model_request: model_request["messages"][0]["content"].replace("Rhyme on", "A rhyme for")
    )
    assert run_trial(context, key, recorder)[0]["verdict"] == "correct"
    assert [model_request["messages"][0]["content"] for model_request in recorder.model_requests] == [
        "Rhyme on Runa",
        "Rhyme on Leif",
    ]
    found = collect(context, key)
    assert (found.answered, found.missing) == ({digest(model_request) for model_request in recorder.model_requests}, ())


def test_a_secret_in_an_ask_is_redacted(empty):
    prompts.add_rhyme(empty, "Rhyme on ${token}")
    (model_request,) = collect(cases.context_of(empty), cases.key(prompts.RHYME)).missing
    assert model_request["messages"][0]["content"] == "Rhyme on <secret:desk>"


def test_why_a_trial_stops_is_reported_where_it_is_no_missing_answer(empty):
    cases.make_live(empty, cases.RENAMED)
    found = collect(cases.context_of(empty), cases.key())
    assert found.missing == ()
    assert "no recording answers GET https://desk.kelpforest.example/people/p-1" in found.problem


def test_draws_are_distinguished_by_sample(empty):
    models = {cases.MODEL: ModelConfig(parameters={"temperature": 0.8})}
    context = BenchContext(cases_dir=empty / "cases", cassettes_dir=empty / "cassettes", models=models)
    draws = [collect(context, cases.key(sample=sample)).missing[0]["draw"] for sample in (0, 1)]
    assert draws == [[0, 0], [1, 0]]


@pytest.mark.parametrize("workers", [1, 2])
def test_many_trials_come_in_the_order_of_their_keys_on_one_process_and_on_two(empty, workers):
    steps = []
    found = collect_all(cases.context_of(empty), cases.MATRIX[::-1], workers, lambda *step: steps.append(step[:2]))
    assert [one.trial for one in found] == sorted(cases.MATRIX, key=lambda key: key.order())
    assert steps == [(at, len(cases.MATRIX)) for at in range(1, len(cases.MATRIX) + 1)]
    assert len({digest(model_request) for one in found for model_request in one.missing}) == 4


def test_a_wrong_name_is_raised(empty):
    with pytest.raises(UnknownName, match="unknown strategy 'nome'"):
        collect(cases.context_of(empty), cases.key(strategy="nome"))


def test_listening_changes_nothing_of_what_a_trial_does(root):
    before, _ = run_trial(cases.context_of(root), cases.key())
    collect(cases.context_of(root), cases.key())
    after, _ = run_trial(cases.context_of(root), cases.key(), Recorder())
    assert {**before, "timing": None} == {**after, "timing": None}

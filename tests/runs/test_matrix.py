"""The matrix: which trials a run consists of."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.errors import BadInput, UnknownName
from mendbench.model.trial import TrialKey
from mendbench.runs.matrix import CONTROL_POLICY, CONTROL_STRATEGY, Matrix, keys_of
from tests.fakes.scoring import make_case

ONE, TWO = make_case(name="one"), make_case(name="two")
SMALL = Matrix(
    engines=("mendbench",),
    strategies=("none", "summary"),
    policies=("naive", "two-layer"),
    repairers=("chat",),
    models=("tiny",),
)


def some(values):
    return st.lists(st.sampled_from(values), max_size=3).map(tuple)


def test_everything_is_crossed_with_everything():
    keys = keys_of(SMALL, [ONE, TWO])
    crossed = {(key.case, key.strategy, key.policy, key.model) for key in keys}
    assert len(keys) == len(crossed) == 8
    assert ("slack/two", "summary", "naive", "tiny") in crossed


def test_models_and_samples_are_crossed_with_chat_alone():
    matrix = replace(SMALL, repairers=("chat", "rules"), models=("tiny", "large"), samples=3)
    keys = keys_of(matrix, [ONE])
    assert len([key for key in keys if key.repairer == "chat"]) == 2 * 2 * 2 * 3
    assert {(key.model, key.sample) for key in keys if key.repairer == "rules"} == {(None, 0)}


def test_samples_are_drawn_of_whatever_may_answer_otherwise_each_time():
    matrix = replace(
        SMALL, repairers=("mine", "my.agent:mend", "rules"), samples=2, drawn=frozenset({"mine"}), bounds=("mine",)
    )
    keys = [key for key in keys_of(matrix, [ONE]) if (key.strategy, key.policy) == ("none", "naive")]
    assert [(key.repairer, key.sample) for key in keys] == [
        ("mine", 0), ("mine", 1), ("my.agent:mend", 0), ("my.agent:mend", 1), ("rules", 0),
    ]  # fmt: skip


def test_a_control_runs_once_a_case():
    keys = keys_of(replace(SMALL, bounds=("noop", "reference")), [ONE, TWO])
    bounds = [key for key in keys if key.repairer != "chat"]
    assert [(key.case, key.repairer) for key in bounds] == [
        ("slack/one", "noop"), ("slack/one", "reference"), ("slack/two", "noop"), ("slack/two", "reference"),
    ]  # fmt: skip
    assert {(key.strategy, key.policy, key.detector, key.model) for key in bounds} == {
        (CONTROL_STRATEGY, CONTROL_POLICY, "structural", None)
    }


def test_a_control_that_is_in_the_matrix_too_is_one_trial():
    matrix = replace(SMALL, repairers=("noop",), models=(), bounds=("noop",))
    assert len(keys_of(matrix, [ONE])) == 4


def test_a_detector_replaces_only_one_that_a_policy_has():
    def detectors(detector):
        matrix = replace(SMALL, policies=("naive", "loop", "two-layer", "seed"), detector=detector)
        return {key.policy: key.detector for key in keys_of(matrix, [ONE])}

    assert detectors(None) == {"naive": None, "loop": None, "two-layer": "structural", "seed": "minimal"}
    assert detectors("coded") == {"naive": None, "loop": None, "two-layer": "coded", "seed": "coded"}


def test_chat_without_a_model_is_refused():
    with pytest.raises(BadInput, match=r"matrix\.models: no model for the repairer 'chat'; name one with --model"):
        keys_of(replace(SMALL, models=()), [ONE])
    assert keys_of(replace(SMALL, repairers=("rules",), models=()), [ONE])


@pytest.mark.parametrize("empty", [{"strategies": ()}, {"policies": ()}, {"engines": ()}, {"repairers": ()}])
def test_an_empty_selection_is_refused(empty):
    with pytest.raises(BadInput, match="matrix: no trial is selected"):
        keys_of(replace(SMALL, **empty), [ONE])
    with pytest.raises(BadInput, match="matrix: no trial is selected"):
        keys_of(SMALL, [])


def test_an_unknown_policy_is_reported_with_the_closest():
    with pytest.raises(UnknownName, match="unknown policy 'two-layers'; did you mean 'two-layer'"):
        keys_of(replace(SMALL, policies=("two-layers",)), [ONE])


@given(
    strategies=some(["none", "summary", "cli-text"]), policies=some(["naive", "seed", "loop"]),
    repairers=some(["chat", "rules", "noop"]), models=some(["a", "b"]), samples=st.integers(1, 3), bounds=some(["noop", "reference"]),
)  # fmt: skip
def test_keys_are_unique_and_in_the_order_of_a_runs_rows(strategies, policies, repairers, models, samples, bounds):
    matrix = Matrix(
        engines=("mendbench",), strategies=strategies, policies=policies, repairers=repairers, models=models,
        samples=samples, bounds=bounds,
    )  # fmt: skip
    try:
        keys = keys_of(matrix, [TWO, ONE])
    except BadInput:
        return
    assert len(set(keys)) == len(keys)
    assert list(keys) == sorted(keys, key=TrialKey.order)

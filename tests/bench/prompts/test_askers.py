"""Who may ask a prompt: cases by their request, every strategy, and the models and samples that prompts name."""

import pytest

from mendbench.bench.config import Config
from mendbench.bench.prompts.askers import told_of, trials_asking
from mendbench.strategies import strategies
from tests.fakes import cases

CONFIG = Config.model_validate({
    "matrix": {"strategies": ["none", "mend~data"], "policies": ["two-layer"], "models": ["large"]},
    "sweeps": {"more": {"strategies": ["summary~state"]}},
    "models": {"large": {}},
})  # fmt: skip


def ask(text, model="tiny", draw=0):
    return {
        "model": model,
        "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": text}],
        "draw": draw,
    }


@pytest.fixture
def setting(tmp_path):
    cases.write_corpus(tmp_path)
    cases.change_case(tmp_path, cases.CLOSED, lambda truth: truth.update(request="Close the ledger.\n"))
    return cases.setting_of(tmp_path)


def test_only_cases_whose_request_is_told_are_looked_at(setting):
    found = told_of(setting.corpus.cases, [ask("# Request\nClose the ledger.\n\n# Workflow")])
    assert [case.id for case in found] == [cases.CLOSED]


def test_an_ask_without_a_request_is_a_nodes_own_and_any_case_may_hold_that(setting):
    found = told_of(setting.corpus.cases, [ask("Close the ledger."), ask("Rhyme on Runa")])
    assert found == setting.corpus.cases


def test_every_strategy_is_tried_the_configured_and_the_given_ones_too(setting):
    keys = trials_asking([ask("Close the ledger.")], CONFIG, setting, strategies=("mine.md.j2",))
    known = {info.strategy for info in strategies()}
    assert {key.strategy for key in keys} == known | {"none", "mend~data", "summary~state", "mine.md.j2"}
    assert {(key.case, key.policy, key.repairer, key.model) for key in keys} == {
        (cases.CLOSED, "naive", "chat", "tiny")
    }


def test_samples_and_models_are_those_of_the_asks(setting):
    keys = trials_asking([ask("Close", "a", [2, 0]), ask("Close", "b")], CONFIG, setting)
    assert {(key.model, key.sample) for key in keys} == {(model, sample) for model in "ab" for sample in range(3)}


def test_a_detector_that_may_lead_further_is_tried_beside_none(setting):
    keys = trials_asking([ask("Close the ledger.")], CONFIG, setting, detector="graded")
    assert {(key.policy, key.detector) for key in keys} == {("naive", None), ("warn", "graded")}

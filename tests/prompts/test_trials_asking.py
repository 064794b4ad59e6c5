"""Who may ask a prompt: cases by their request, every strategy, and the models and samples that prompts name."""

import pytest

from mendbench.config.tables import Config
from mendbench.prompts.trials_asking import cases_of_requests, detectors_of_policies, trials_asking
from mendbench.strategies import strategies
from mendbench.strategies.frame import SYSTEM
from tests.fakes import cases

TABLES = Config.model_validate({
    "matrix": {"strategies": ["none"], "policies": ["two-layer"], "models": ["large"], "samples": 2},
    "models": {"large": {}, "again": {"served_as": "large", "recording": 1}, "small": {}},
})  # fmt: skip
CONFIG = Config.model_validate({
    "matrix": {"strategies": ["none", "mend~data"], "policies": ["two-layer"], "models": ["large"]},
    "sweeps": {"more": {"strategies": ["summary~state"]}},
    "models": {"large": {}},
})  # fmt: skip


def model_request(text, model="tiny", draw=0, system=SYSTEM):
    return {
        "model": model,
        "messages": [{"role": "system", "content": system}, {"role": "user", "content": text}],
        "draw": draw,
    }


@pytest.fixture
def context(tmp_path):
    cases.write_corpus(tmp_path)
    cases.change_case(tmp_path, cases.CLOSED, lambda truth: truth.update(request="Close the ledger.\n"))
    return cases.context_of(tmp_path)


def test_only_cases_whose_request_is_reported_are_looked_at(context):
    found = cases_of_requests(context.corpus.cases, [model_request("# Request\nClose the ledger.\n\n# Workflow")])
    assert [case.id for case in found] == [cases.CLOSED]


def test_an_ask_without_a_request_is_a_nodes_own_and_any_case_may_hold_that(context):
    found = cases_of_requests(
        context.corpus.cases, [model_request("Close the ledger."), model_request("Rhyme on Runa")]
    )
    assert found == context.corpus.cases


def test_every_strategy_is_tried_the_configured_and_the_given_ones_too(context):
    keys = trials_asking([model_request("Close the ledger.")], CONFIG, context, strategies=("mine.md.j2",))
    known = {info.strategy for info in strategies()}
    assert {key.strategy for key in keys} == known | {"none", "mend~data", "summary~state", "mine.md.j2"}
    assert {(key.case, key.policy, key.repairer, key.model) for key in keys} == {
        (cases.CLOSED, "naive", "chat", "tiny")
    }


def test_samples_and_models_are_those_of_the_asks(context):
    keys = trials_asking([model_request("Close", "a", [2, 0]), model_request("Close", "b")], CONFIG, context)
    assert {(key.model, key.sample) for key in keys} == {(model, sample) for model in "ab" for sample in range(3)}


def test_with_detectors_those_are_tried_that_may_lead_elsewhere(context):
    keys = trials_asking([model_request("Close the ledger.")], CONFIG, context, detectors=("graded", "structural"))
    assert {(key.policy, key.detector) for key in keys} == {("warn", "graded"), ("warn", "structural")}


def test_the_detectors_are_those_of_all_policies():
    assert detectors_of_policies() == ("minimal", "structural", "weighted@0.95", "weighted@0.95~later")


def test_engines_of_sweeps_are_tried_too_but_for_those_that_repair_by_themselves(context):
    engines = {
        name: {"command": ["true"], "repairs": name == "alone", "version": "1", "resume": False}
        for name in ("mine", "alone")
    }
    config = Config.model_validate(
        {**CONFIG.model_dump(exclude_unset=True), "engines": engines, "sweeps": {"x": {"engines": ["mine", "alone"]}}}
    )
    keys = trials_asking([model_request("Close the ledger.")], config, context)
    assert {key.engine for key in keys} == {"mendbench", "mine"}


def models_asking(context, *model_requests):
    keys = trials_asking(model_requests, TABLES, context)
    return {key.model for key in keys}, {key.sample for key in keys}


def test_all_tables_of_a_model_may_ask(context):
    assert models_asking(context, model_request("Close the ledger.", "large")) == ({"large", "again"}, {0})
    assert models_asking(context, model_request("Close the ledger.", "small")) == ({"small"}, {0})
    assert models_asking(context, model_request("Close the ledger.", "again")) == ({"again"}, {0}) != ({"large"}, {0})


@pytest.mark.parametrize("system", ["You rhyme.", None])
def test_what_a_node_asks_any_models_edit_may_have_led_to(context, system):
    asked = model_request("Close the ledger.", "poet", system=system)
    assert models_asking(context, asked) == ({"poet", "large", "again", "small"}, {0, 1})

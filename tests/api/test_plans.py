"""What a run consists of: the main matrix, its sweeps, and what options make of them."""

from dataclasses import replace
from pathlib import Path

import pytest

from mendbench.api.plans import configured_keys, plan_of, refuse_unknown
from mendbench.api.settings import RunOptions
from mendbench.config.config_file import Loaded
from mendbench.config.tables import Config, RepairerConfig
from mendbench.corpus.corpus import load_corpus
from mendbench.errors import BadInput, UnknownName
from mendbench.trial.components import BenchContext
from tests.fakes.cases import CLOSED, QUIET, RENAMED, write_corpus

CONFIG = Config.model_validate({
    "matrix": {"strategies": ["none", "summary"], "policies": ["naive", "two-layer"], "models": ["large"], "bounds": ["noop"]},
    "sweeps": {
        "small": {"models": ["tiny"], "strategies": ["none"]},
        "drawn": {"models": ["warm"], "strategies": ["summary"], "policies": ["naive"], "samples": 3, "cases": [RENAMED]},
    },
    "models": {"large": {}, "tiny": {}, "warm": {}},
})  # fmt: skip


LOADED = Loaded(config=CONFIG, root=Path(), place="mendbench.toml")


@pytest.fixture
def corpus(tmp_path):
    write_corpus(tmp_path)
    return load_corpus(tmp_path / "cases", tmp_path / "cassettes")


def split(corpus, editions=None, **groups):
    by_id = {case.id: case.group for case in corpus.cases}
    lines = [f"{part}: [{', '.join(by_id[one] for one in ids)}]\n" for part, ids in groups.items()]
    if editions:
        lines.append("editions:\n")
        lines += [f"  {name}: [{', '.join(by_id[one] for one in ids)}]\n" for name, ids in editions.items()]
    (corpus.cases_dir / "split.yaml").write_text("format: 1\n" + "".join(lines), encoding="utf-8")


def tuples(plan, *names):
    return {tuple(getattr(key, name) for name in names) for key in plan.keys}


def test_without_options_it_is_the_main_matrix_and_every_sweep(corpus):
    plan = plan_of(CONFIG, RunOptions(), corpus)
    assert [sweep.name for sweep in plan.sweeps] == ["matrix", "small", "drawn"]
    assert tuples(plan, "model", "strategy") == {
        ("large", "none"), ("large", "summary"), ("tiny", "none"), ("warm", "summary"), (None, "none"),
    }  # fmt: skip
    assert {key.sample for key in plan.keys if key.model == "warm"} == {0, 1, 2}
    assert {key.case for key in plan.keys if key.model == "warm"} == {RENAMED}


def test_a_sweep_takes_what_it_leaves_out_from_the_main_matrix_but_no_control(corpus):
    small = plan_of(CONFIG, RunOptions(), corpus).sweeps[1].matrix
    assert (small.policies, small.samples, small.bounds) == (("naive", "two-layer"), 1, ())


def test_named_cases_narrow_every_sweep(corpus):
    plan = plan_of(CONFIG, RunOptions(names=(QUIET,)), corpus)
    assert [sweep.name for sweep in plan.sweeps] == ["matrix", "small"]
    assert tuples(plan, "case") == {(QUIET,)}


def test_an_option_leaves_the_main_matrix_alone(corpus):
    plan = plan_of(CONFIG, RunOptions(policies=("seed",)), corpus)
    assert tuples(plan, "model", "policy") == {("large", "seed")}


def test_a_part_confines_every_sweep(corpus):
    split(corpus, train=[RENAMED], test=[QUIET, CLOSED], half=[QUIET])
    assert tuples(plan_of(CONFIG, RunOptions(part="train"), corpus), "case") == {(RENAMED,)}
    plan = plan_of(CONFIG, RunOptions(part="half"), corpus)
    assert [sweep.name for sweep in plan.sweeps] == ["matrix", "small"]
    assert tuples(plan, "case") == {(QUIET,)}


def test_a_sweep_can_be_confined_to_a_part_by_the_configuration(corpus):
    split(corpus, train=[RENAMED], test=[QUIET, CLOSED], half=[QUIET])
    config = CONFIG.model_copy(update={"sweeps": {"half": CONFIG.sweeps["small"].model_copy(update={"part": "half"})}})
    assert [case.id for case in plan_of(config, RunOptions(), corpus).sweeps[1].cases] == [QUIET]


def test_a_part_confines_a_main_matrix_that_the_configuration_confines(corpus):
    split(corpus, train=[RENAMED], test=[QUIET, CLOSED], half=[QUIET])
    config = CONFIG.model_copy(update={"matrix": CONFIG.matrix.model_copy(update={"part": "half"}), "sweeps": {}})
    assert tuples(plan_of(config, RunOptions(part="test"), corpus), "case") == {(QUIET,)}
    with pytest.raises(BadInput, match="no trial is selected"):
        plan_of(config, RunOptions(part="train"), corpus)


def test_a_part_of_an_edition_replaces_that_of_the_main_matrix(corpus):
    split(corpus, train=[RENAMED], test=[QUIET, CLOSED], half=[QUIET], editions={"second": [CLOSED]})
    config = CONFIG.model_copy(update={"matrix": CONFIG.matrix.model_copy(update={"part": "first"}), "sweeps": {}})
    assert tuples(plan_of(config, RunOptions(part="test"), corpus), "case") == {(QUIET,)}
    assert tuples(plan_of(config, RunOptions(part="second-test"), corpus), "case") == {(CLOSED,)}


def test_samples_are_drawn_of_the_operators_own_repairers_too(corpus):
    config = CONFIG.model_copy(update={"repairers": {"mine": RepairerConfig(command=["mender"])}})
    plan = plan_of(config, RunOptions(repairers=("mine", "my.agent:mend", "rules"), samples=2), corpus)
    assert tuples(plan, "repairer", "sample") == {
        ("mine", 0), ("mine", 1), ("my.agent:mend", 0), ("my.agent:mend", 1), ("rules", 0),
    }  # fmt: skip
    swept = config.model_copy(
        update={"sweeps": {"own": config.sweeps["drawn"].model_copy(update={"repairers": ["mine"]})}}
    )
    assert {key.sample for key in plan_of(swept, RunOptions(), corpus).keys if key.repairer == "mine"} == {0, 1, 2}


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"engine": "mendbnch"}, "unknown engine 'mendbnch'; did you mean 'mendbench'"),
        ({"strategy": "nome"}, "unknown strategy 'nome'; did you mean 'none'"),
        ({"model": "lrge"}, "unknown model 'lrge'; did you mean 'large'"),
        ({"repairer": "rulse", "model": None}, "unknown repairer 'rulse'; did you mean 'rules'"),
        ({"detector": "structral"}, "unknown detector 'structral'; did you mean 'structural'"),
    ],
)
def test_a_wrong_name_is_reported_whichever_trial_has_it(corpus, wrong, says):
    context = BenchContext(cases_dir=corpus.cases_dir, cassettes_dir=corpus.cassettes_dir, models=CONFIG.models)
    keys = plan_of(CONFIG, RunOptions(), corpus).keys
    refuse_unknown(keys, context, LOADED)
    with pytest.raises(UnknownName, match=says):
        refuse_unknown((*keys, replace(keys[-1], **wrong)), context, LOADED)


def test_a_matrix_that_names_no_model_has_no_configured_trials(corpus):
    without = CONFIG.model_copy(update={"matrix": CONFIG.matrix.model_copy(update={"models": []}), "sweeps": {}})
    assert len(configured_keys(without, corpus)) == 0
    assert configured_keys(CONFIG, corpus) == plan_of(CONFIG, RunOptions(), corpus).keys


def test_a_detector_that_no_policy_uses_is_still_reported(corpus):
    with pytest.raises(UnknownName, match="unknown detector 'mned'"):
        plan_of(CONFIG, RunOptions(policies=("naive",), detector="mned"), corpus)


def test_a_trial_of_two_sweeps_is_one(corpus):
    again = CONFIG.model_copy(
        update={"sweeps": {"again": CONFIG.sweeps["small"].model_copy(update={"models": ["large"]})}}
    )
    plan = plan_of(again, RunOptions(), corpus)
    assert (
        len(plan.keys)
        == len(set(plan.keys))
        == len(plan_of(CONFIG.model_copy(update={"sweeps": {}}), RunOptions(), corpus).keys)
    )


def test_the_configured_cases_are_those_of_its_own_corpus(corpus):
    config = CONFIG.model_copy(update={"matrix": CONFIG.matrix.model_copy(update={"cases": [QUIET]}), "sweeps": {}})
    assert tuples(plan_of(config, RunOptions(), corpus), "case") == {(QUIET,)}
    assert len(tuples(plan_of(config, RunOptions(cases=corpus.cases_dir), corpus), "case")) == len(corpus.cases)


def test_an_empty_selection_is_refused(corpus):
    split(corpus, train=[RENAMED], test=[QUIET, CLOSED], half=[])
    with pytest.raises(BadInput, match="no trial is selected"):
        plan_of(CONFIG, RunOptions(part="half"), corpus)


def test_an_unknown_case_is_refused(corpus):
    with pytest.raises(UnknownName, match="unknown case 'nowhere/x'"):
        plan_of(CONFIG, RunOptions(names=("nowhere/x",)), corpus)

"""A run of the trials that the baseline has, and of no others."""

from dataclasses import replace
from pathlib import Path

import pytest

from mendbench.api.gated_plans import planned_for
from mendbench.api.settings import RunOptions
from mendbench.config.config_file import Loaded
from mendbench.config.tables import Config
from mendbench.corpus.corpus import load_corpus
from mendbench.errors import BadInput
from mendbench.model.trial import TrialKey
from mendbench.results.baseline import render_baseline
from mendbench.trial.row import trial_key
from tests.fakes import gates
from tests.fakes.cases import CLOSED, QUIET, RENAMED, write_corpus

GATED = RunOptions(gated=True)
CONFIG = Config.model_validate({"matrix": {"models": ["large"], "bounds": ["noop"]}, "models": {"large": {}}})


def key(case, strategy="summary", policy="naive", repairer="chat", model="large", detector=None, sample=0):
    return TrialKey(
        case=case, strategy=strategy, policy=policy, repairer=repairer, model=model, detector=detector, sample=sample
    )


HELD = (
    *(key(case, strategy) for case in (RENAMED, CLOSED) for strategy in ("mend", "summary")),
    key(QUIET, policy="two-layer", detector="structural"),
    key(RENAMED, "none", "two-layer", "noop", None, "structural"),
    *(key(RENAMED, model="warm", sample=sample) for sample in (0, 1)),
)


@pytest.fixture
def planned(tmp_path):
    """Return the plan of a run with these options and a baseline of these trials."""
    write_corpus(tmp_path)
    loaded = Loaded(config=CONFIG, root=tmp_path, place="mendbench.toml")
    corpus = load_corpus(tmp_path / "cases", tmp_path / "cassettes")

    def plan(options=GATED, keys=HELD):
        entries = (replace(gates.entry(responses=()), key=trial_key(one), trial=one) for one in keys)
        loaded.baseline.write_text(render_baseline(gates.baseline(*entries)), encoding="utf-8")
        return planned_for(loaded, options, corpus)

    return plan


def test_its_trials_are_those_of_the_baseline_whatever_is_configured(planned):
    plan = planned()
    assert set(plan.keys) == set(HELD)
    assert {case.id for case in plan.cases} == {RENAMED, CLOSED, QUIET}
    assert (plan.unnarrowed, plan.whole) == (False, False)


def test_its_matrices_cross_to_the_same_trials_and_distinguish_controls(planned):
    matrices = [sweep.document() for sweep in planned().sweeps]
    crossed = {
        (case, strategy, policy, model, sample)
        for one in matrices
        for case in one["cases"]
        for strategy in one["strategies"] or ["none"]
        for policy in one["policies"] or ["two-layer"]
        for model in one["models"] or [None]
        for sample in range(one["samples"])
    }
    assert crossed == {(one.case, one.strategy, one.policy, one.model, one.sample) for one in HELD}
    assert [one["bounds"] for one in matrices if not one["repairers"]] == [["noop"]]
    assert {one["detector"] for one in matrices} == {None}


def test_named_cases_narrow_it(planned):
    assert {one.case for one in planned(replace(GATED, names=(CLOSED,))).keys} == {CLOSED}


@pytest.mark.parametrize(
    ("options", "keys", "says"),
    [
        (replace(GATED, strategies=("mend",), all=True), HELD, "--gated: given with --strategy mend --all; "),
        (replace(GATED, samples=3), HELD, "--gated: given with --samples 3; "),
        (replace(GATED, names=(QUIET,)), HELD[:1], "baseline.tsv: no trial of the cases that are named; "),
        (GATED, (), "baseline.tsv: a baseline without trials; "),
        (GATED, (key("slack/gone"),), "baseline.tsv: trials of slack/gone, which is no case of "),
    ],
)
def test_what_cannot_be_run_is_reported(planned, options, keys, says):
    with pytest.raises(BadInput) as caught:
        planned(options, keys)
    assert says in str(caught.value)


def test_without_a_baseline_it_says_how_to_make_one(tmp_path):
    write_corpus(tmp_path)
    loaded = Loaded(config=CONFIG, root=tmp_path, place="mendbench.toml")
    with pytest.raises(BadInput, match=r"no such baseline; .*gate --update"):
        planned_for(loaded, GATED, load_corpus(tmp_path / "cases", Path("cassettes")))

"""Our own runtime behind the command port: every field of its trials is what it is in process, prompts and responses included."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from mendbench.config.tables import EngineConfig
from mendbench.trial.long_texts import whole
from mendbench.trial.runner import run_trial
from tests.fakes.cases import CLOSED, RENAMED, build, context_of, key

ADAPTER = Path(__file__).parents[2] / "examples" / "engines" / "mendbench_cli.py"


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return build(tmp_path_factory.mktemp("corpus"))


def row_of(context, one):
    row, texts = run_trial(context, one)
    return {name: value for name, value in whole(row, texts).items() if name not in {"key", "engine", "timing"}}


@pytest.mark.parametrize(
    "one",
    [key(RENAMED), key(RENAMED, strategy="none", policy="naive"), key(CLOSED), key(RENAMED, repairer="reference")],
    ids=lambda each: f"{each.case}-{each.strategy}-{each.policy}-{each.repairer}",
)
def test_a_trial_is_the_same_in_every_field(root, one):
    ours = context_of(root)
    engine = EngineConfig(command=[sys.executable, str(ADAPTER)], timeout_s=60)
    theirs = replace(ours, engines={"reference": engine})
    assert row_of(theirs, replace(one, engine="reference")) == row_of(ours, one)

"""The responses that ship: each file of them is watched for stale ones, which only those of configured trials are."""

from collections import defaultdict

import pytest

from mendbench.api.plans import plan_of
from mendbench.api.settings import RunOptions
from mendbench.cassettes.recordings import TRAJECTORIES, WORLD, model_file
from mendbench.config.config_file import load_config
from mendbench.config.shipped import shipped_root
from mendbench.corpus.corpus import load_corpus


@pytest.mark.slow
def test_every_file_of_answers_is_of_a_model_that_a_configured_trial_of_its_case_asks():
    loaded = load_config(shipped_root())
    corpus = load_corpus(shipped_root() / "cases", shipped_root() / "cassettes")
    asked = defaultdict(set)
    for key in plan_of(loaded.config, RunOptions(all=True), corpus).keys:
        if key.model is not None:
            asked[key.case].add(model_file(loaded.config.models[key.model].served_as or key.model))
    files = [path for path in corpus.cassettes_dir.glob("*/*/*.yaml") if path.name not in {WORLD, TRAJECTORIES}]
    assert files
    foreign = [path for path in files if path.name not in asked[f"{path.parent.parent.name}/{path.parent.name}"]]
    assert foreign == []

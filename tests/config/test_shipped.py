"""The corpus that ships: where it lies, and that its parts fit together."""

from pathlib import Path

from mendbench.api.plans import plan_of
from mendbench.api.settings import RunOptions
from mendbench.config import shipped
from mendbench.config.config_file import load_config
from mendbench.config.shipped import shipped_root
from mendbench.corpus.corpus import load_corpus
from mendbench.runs.matrix import keys_of
from mendbench.trial.components import BenchContext, build_components


def test_in_a_checkout_it_is_the_checkouts_own():
    assert shipped_root() == Path(__file__).resolve().parents[2]


def test_in_a_wheel_it_lies_inside_the_package(tmp_path, monkeypatch):
    (tmp_path / "_corpus").mkdir()
    monkeypatch.setattr(shipped, "_PACKAGE", tmp_path)
    assert shipped_root() == tmp_path / "_corpus"


def test_every_trial_of_the_shipped_matrix_can_be_built(tmp_path):
    loaded = load_config(tmp_path)
    config, root = loaded.config, loaded.root
    corpus = load_corpus(root / config.paths.cases, root / config.paths.cassettes)
    context = BenchContext(cases_dir=corpus.cases_dir, cassettes_dir=corpus.cassettes_dir, models=dict(config.models))
    for sweep in plan_of(config, RunOptions(all=True), corpus).sweeps:
        keys = keys_of(sweep.matrix, sweep.cases)
        treatments = [key for key in keys if key.case == keys[0].case]
        for key in [*treatments, *{one.case: one for one in keys}.values()]:
            assert build_components(key, corpus.case(key.case), context).engine.name == "mendbench"


def test_no_cassette_lies_beside_no_case(tmp_path):
    root = load_config(tmp_path).root
    corpus = load_corpus(root / "cases", root / "cassettes")
    folders = {f"{path.parent.parent.name}/{path.parent.name}" for path in (root / "cassettes").glob("*/*/*.yaml")}
    assert folders <= {case.id for case in corpus.cases}

"""Trials one at a time, over the invented corpus."""

from dataclasses import replace
from pathlib import Path

import pytest

from mendbench.api import RunOptions
from mendbench.api.trials import open_bench
from mendbench.errors import BadInput, UnknownName
from tests.fakes import cases
from tests.fakes.cases import CLOSED, MODEL, QUIET, RENAMED, ScriptedRecorder, change_case

NONE = RunOptions()


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return cases.build(tmp_path_factory.mktemp("built"))


@pytest.fixture
def root(built, tmp_path, monkeypatch):
    """Return a copy of the corpus, which the test runs in."""
    monkeypatch.chdir(cases.copy_of(built, tmp_path / "corpus"))
    return Path.cwd()


def test_what_is_configured_is_planned_case_by_case_without_floor_and_ceiling(root):
    bench = open_bench(NONE, root)
    assert sorted(bench.planned) == [QUIET, CLOSED, RENAMED]
    for keys in bench.planned.values():
        assert [(key.strategy, key.policy, key.repairer) for key in keys] == [
            ("full-context", "naive", "chat"),
            ("full-context", "two-layer", "chat"),
            ("none", "naive", "chat"),
            ("none", "two-layer", "chat"),
        ]


def test_floor_and_ceiling_are_planned_where_they_are_asked_for(root):
    options = RunOptions(repairers=("noop", "reference"), strategies=("none",), policies=("naive",))
    planned = open_bench(options, root).planned
    assert [key.repairer for key in planned[QUIET]] == ["noop", "reference"]


def test_cases_that_the_configuration_leaves_out_are_planned_where_they_are_named(root):
    config = root / "mendbench.toml"
    config.write_text(config.read_text().replace("[matrix]\n", f'[matrix]\ncases = ["{QUIET}"]\n'), encoding="utf-8")
    bench = open_bench(NONE, root)
    assert sorted(bench.planned) == [QUIET]
    assert sorted(bench.planned_if_named) == [QUIET, CLOSED, RENAMED]
    assert bench.key(RENAMED).case == RENAMED


def test_what_a_key_leaves_out_is_what_the_options_or_else_the_configuration_name_first(root):
    key = open_bench(NONE, root).key(RENAMED)
    assert (key.strategy, key.policy, key.repairer, key.model, key.detector) == (
        "none", "two-layer", "chat", MODEL, "structural",
    )  # fmt: skip
    options = RunOptions(strategies=("full-context",), policies=("naive",), repairers=("rules",))
    bench = open_bench(options, root)
    key = bench.key(RENAMED)
    assert (key.strategy, key.policy, key.repairer, key.model) == ("full-context", "naive", "rules", None)
    assert bench.key(RENAMED, repairer="chat", model=MODEL, sample=2).sample == 2
    assert bench.key(RENAMED, model=MODEL).repairer == "chat"
    assert bench.key(RENAMED, policy="two-layer", detector="minimal").detector == "minimal"


def test_a_trial_shows_its_result_and_its_row_has_all_texts(root):
    bench = open_bench(NONE, root)
    trial = bench.run(bench.key(RENAMED, strategy="full-context"))
    assert (trial.verdict, trial.right, trial.judged, trial.outcome) == ("correct", True, True, "repaired")
    assert trial.record.wasted_attempts == 0
    assert trial.case.id == RENAMED
    assert trial.row["workflow"].startswith("{\n")
    assert repr(trial) == f"<trial {trial.row['key']}: repaired>"


def test_a_command_runs_that_trial_alone(root):
    bench = open_bench(replace(NONE, cases=root / "cases"), root)
    plain = bench.key(RENAMED, strategy="full-context")
    assert bench.command(plain, "--out", "one") == (
        "mendbench", "run", RENAMED, "--strategy", "full-context", "--policy", "two-layer", "--repairer", "chat",
        "--model", MODEL, "--cases", "cases", "--out", "one",
    )  # fmt: skip
    other = bench.key(CLOSED, repairer="chat", detector="minimal", sample=1)
    assert " --detector minimal --samples 2 " in " ".join(bench.command(other))


def test_a_broken_case_keeps_nobody_from_the_others(root):
    change_case(root, RENAMED, lambda truth: truth.pop("checks"))
    bench = open_bench(NONE, root)
    assert sorted(bench.planned) == [QUIET, CLOSED]
    with pytest.raises(BadInput, match=r"renamed-field/case\.yaml: checks"):
        bench.key(RENAMED)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"strategies": ("full-contxt",)}, "unknown strategy"),
        ({"policies": ("none",)}, "unknown policy"),
        ({"detector": "none"}, "unknown detector"),
        ({"repairers": ("none",)}, "unknown repairer"),
    ],
)
def test_a_name_that_there_is_not_is_reported_at_once_whatever_cases_there_are(root, wrong, said):
    with pytest.raises(UnknownName, match=said):
        open_bench(RunOptions(cases=root / "nowhere", **wrong), root)


def test_what_records_is_started_once_and_stopped_at_the_end(root, monkeypatch):
    made = []

    class Ending(ScriptedRecorder):
        ended = False

        def __exit__(self, *raised):
            self.ended = True

    def make(mode, models, **words):
        made.append(Ending(mode=mode))
        return made[-1]

    monkeypatch.setattr("mendbench.api.trials.Recorder", make)
    with open_bench(RunOptions(record="new_episodes"), root) as bench:
        assert made == []
        for case in (QUIET, CLOSED):
            bench.run(bench.key(case))
        assert not made[0].ended
    assert len(made) == 1
    assert made[0].ended

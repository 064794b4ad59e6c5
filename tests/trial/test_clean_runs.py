"""Clean runs: made once per process, until anything that decides them changes."""

import os

import pytest

from mendbench.cassettes.recordings import Recordings
from mendbench.recording.recorder import Recorder
from mendbench.trial import clean_runs
from mendbench.trial.clean_runs import CleanRunner
from tests.fakes.scoring import clean_run, fixed_workflow, make_case


class Engine:
    def __init__(self, name="mendbench"):
        self.name = name


@pytest.fixture
def ran(monkeypatch, tmp_path):
    """Run a workflow, and say how many executions that took."""
    count = []

    def fresh(runner, workflow, variant):
        count.append(workflow)
        return clean_run("Hi!", variant=variant.name if variant else None)

    monkeypatch.setattr(CleanRunner, "run_fresh", fresh)
    clean_runs._kept.cache_clear()

    def run(*, case=None, engine="mendbench", mode="none", workflow=None, variant=None):
        case = case or make_case(digest="one", name="kept")
        runner = CleanRunner(
            case=case, engine=Engine(engine), recordings=Recordings.open(tmp_path), recorder=Recorder(mode, {}), hint=""
        )
        before = len(count)
        runner.run(workflow or case.workflow, variant)
        return len(count) - before

    return run


def test_a_workflow_runs_once(ran):
    assert [ran(), ran()] == [1, 0]


@pytest.mark.parametrize(
    "changed",
    [
        {"case": make_case(digest="two", name="kept")},
        {"case": make_case(digest="one", name="other")},
        {"engine": "theirs"},
        {"mode": "all"},
        {"workflow": fixed_workflow()},
        {"variant": make_case().variants[0]},
    ],
    ids=["digest", "case", "engine", "mode", "workflow", "variant"],
)
def test_it_runs_again_where_something_else_decides(ran, changed):
    assert [ran(), ran(**changed), ran(**changed), ran()] == [1, 1, 0, 0]


@pytest.mark.parametrize("name", ["world.yaml", "world.trajectories.yaml", "tiny.yaml"])
def test_it_runs_again_when_a_recording_has_changed(ran, tmp_path, name):
    assert [ran(), ran()] == [1, 0]
    (tmp_path / name).write_text("version: 1", encoding="utf-8")
    os.utime(tmp_path / name, ns=(1, 1))
    assert [ran(), ran()] == [1, 0]


def test_a_failure_is_not_kept(ran, monkeypatch):
    kept = CleanRunner.run_fresh

    def failing(runner, workflow, variant):
        raise ValueError("boom")

    monkeypatch.setattr(CleanRunner, "run_fresh", failing)
    with pytest.raises(ValueError, match="boom"):
        ran()
    monkeypatch.setattr(CleanRunner, "run_fresh", kept)
    assert ran() == 1


def test_the_order_of_keys_and_the_kind_of_a_number_can_show_in_what_a_workflow_writes(ran):
    def of(data):
        return {"nodes": [{"id": "a", "type": "transform", "params": {"data": data}}]}

    assert [ran(workflow=of(data)) for data in ({"x": 1, "n": 2}, {"n": 2, "x": 1}, {"n": 2, "x": 1.0})] == [1, 1, 1]


def test_the_right_workflows_run_once_until_the_recordings_change(ran, tmp_path):
    case = make_case(digest="one", name="kept")
    runner = CleanRunner(
        case=case, engine=Engine(), recordings=Recordings.open(tmp_path), recorder=Recorder("none", {}), hint=""
    )
    first = runner.right()
    assert runner.right() is first
    assert {name: len(runs) for name, runs in first.items()} == {None: 1, **{one.name: 1 for one in case.variants}}
    (tmp_path / "world.yaml").write_text("changed")
    assert runner.right() is not first

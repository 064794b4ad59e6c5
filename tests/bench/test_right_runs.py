"""The clean runs that everybody's writes are compared with."""

import os

import pytest

from mendbench.bench.right_runs import kept_right_runs, right_runs, right_workflows
from mendbench.errors import BadInput
from mendbench.model.case import Fix
from tests.fakes.scoring import FIX, clean_run, fixed_workflow, make_case, user_fault

OTHER = Fix(patch=({"op": "add", "path": "/nodes/fetch/params/timeout", "value": 9},))


class Counting:
    """Runs nothing, and remembers what it was asked to run."""

    def __init__(self):
        self.ran = []

    def __call__(self, workflow, variant):
        self.ran.append((workflow, variant))
        return clean_run("Hi!", variant=variant.name if variant else None)


def test_right_is_what_the_reference_and_every_accepted_fix_make_of_the_workflow():
    first, second = right_workflows(make_case(accepts=(OTHER,)))
    assert first == fixed_workflow()
    assert second["nodes"][0]["params"]["timeout"] == 9


def test_where_no_edit_is_needed_the_users_own_workflow_is_right():
    case = make_case(fix=None, faults=(user_fault(),))
    assert right_workflows(case) == (case.workflow,)


def test_each_right_workflow_runs_on_all_data():
    case, runner = make_case(accepts=(OTHER,)), Counting()
    runs = right_runs(case, runner)
    assert {name: [run.variant for run in found] for name, found in runs.items()} == {
        None: [None] * 2,
        "bob": ["bob"] * 2,
    }
    assert len(runner.ran) == 4


def test_a_fix_that_does_not_apply_is_named():
    broken = Fix(patch=({"op": "replace", "path": "/nodes/nobody/params", "value": 1},))
    with pytest.raises(BadInput, match="slack/greeting"):
        right_workflows(make_case(fix=broken))


def test_the_runs_are_made_once_until_case_engine_mode_or_recordings_change(tmp_path):
    case, runner = make_case(digest="one", name="kept"), Counting()

    def asked(case=case, engine="mendbench", mode="none"):
        before = len(runner.ran)
        runs = kept_right_runs(case, runner, engine=engine, folder=tmp_path, mode=mode)
        assert set(runs) == {None, "bob"}
        return len(runner.ran) - before

    assert [asked(), asked()] == [2, 0]
    assert [asked(engine="other"), asked(mode="all"), asked(make_case(digest="two", name="kept"))] == [2, 2, 2]
    (tmp_path / "world.yaml").write_text("version: 1", encoding="utf-8")
    os.utime(tmp_path / "world.yaml", ns=(1, 1))
    assert [asked(), asked()] == [2, 0]


def test_a_failure_is_not_kept(tmp_path):
    def failing(workflow, variant):
        raise ValueError("boom")

    case, runner = make_case(digest="three"), Counting()
    with pytest.raises(ValueError, match="boom"):
        kept_right_runs(case, failing, engine="mendbench", folder=tmp_path, mode="none")
    assert kept_right_runs(case, runner, engine="mendbench", folder=tmp_path, mode="none")[None][0].variant is None
    assert FIX is case.fix

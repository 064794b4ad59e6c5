"""The clean runs that everybody's writes are compared with."""

import pytest

from mendbench.errors import BadInput
from mendbench.model.case import Fix
from mendbench.trial.right_runs import right_runs, right_workflows
from tests.fakes.scoring import clean_run, fixed_workflow, make_case, user_fault

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

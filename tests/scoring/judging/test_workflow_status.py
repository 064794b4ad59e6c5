import pytest

from mendbench.model.case import UnchangedCheck
from mendbench.scoring.judging import workflow_status as worth
from tests.fakes.scoring import (
    BROKEN,
    FAILED,
    GREEN,
    attempt,
    clean_run,
    edit_fault,
    execution,
    fixed_workflow,
    greeting_check,
    make_case,
    trajectory,
)

TWO = make_case(faults=(edit_fault("one", "fetch"), edit_fault("two", "greet")), first={"fetch": "error"})
NEAR = clean_run(of=execution("error", fetch="success", greet="error"))


RIGHT = (clean_run("Hi!"),)


def standing(case, workflow, run, **more):
    return worth.standing(case, workflow, run, right=RIGHT, **more)


def workflow_statuses(*evidence, **more):
    return worth.workflow_statuses(*evidence, right=RIGHT, **more)


def refetched():
    workflow = fixed_workflow("Hi ${fetch.response.user.username}!")
    workflow["nodes"][0]["params"]["url"] += "&full=1"
    return workflow


def test_the_broken_workflow_mends_nothing_even_if_it_looks_well():
    assert standing(make_case(), BROKEN, clean_run("Hi ada!")).fixed == frozenset()


def test_a_fault_is_mended_where_the_checks_hold_wherever_the_edit_was_made():
    workflow = {**BROKEN, "inputs": {"user_id": {"type": "number"}}}
    found = standing(make_case(), workflow, clean_run("Hi ada!"))
    assert (found.fixed, found.own, found.whole) == ({"wrong-field"}, True, True)


def test_one_of_two_faults_is_mended_where_its_node_is_well_and_its_cause_was_touched():
    assert standing(TWO, refetched(), NEAR).fixed == {"one"}


def test_a_node_that_is_well_without_its_cause_being_touched_mends_nothing():
    assert standing(TWO, fixed_workflow("Hi ${nobody}!"), NEAR).fixed == frozenset()


def test_where_every_fault_looks_mended_and_a_check_fails_the_looks_deceive():
    swallowed = standing(make_case(), fixed_workflow("Hi there!"), clean_run("Hi there!", of=GREEN))
    assert (swallowed.fixed, swallowed.own) == (frozenset(), False)


def test_a_surfacing_node_is_well_in_its_labelled_state():
    case = make_case(faults=TWO.faults, after_fix={"fetch": "warning", "greet": "success"})
    assert standing(case, refetched(), NEAR).fixed == frozenset()
    assert standing(case, refetched(), clean_run(of=execution("warning", fetch="warning", greet="not_run"))).fixed == {
        "one"
    }


def test_variants_count_for_the_last_workflow_alone():
    first = attempt(1, candidate=fixed_workflow("a"), ran=FAILED)
    second = attempt(2, candidate=fixed_workflow(), ran=GREEN)
    runs = {0: clean_run(of=FAILED), 1: clean_run("Hi ada!"), 2: clean_run("Hi ada!")}
    found = workflow_statuses(make_case(), trajectory(first, second), runs, final=2, variants_hold=False)
    assert [(n, one.own, one.whole) for n, one in found.items()] == [
        (0, False, False),
        (1, True, True),
        (2, True, False),
    ]


def test_a_candidate_that_never_ran_has_no_standing():
    found = workflow_statuses(
        make_case(),
        trajectory(attempt(1, "invalid", candidate=fixed_workflow("a"))),
        {0: clean_run(of=FAILED), 1: clean_run("Hi ada!")},
        final=0,
        variants_hold=True,
    )
    assert set(found) == {0}


@pytest.mark.parametrize(("path", "harm"), [("/params/body/text", True), ("/params/body/channel", False)])
def test_changing_what_is_protected_is_harm(path, harm):
    case = make_case(checks=(greeting_check(), UnchangedCheck(node="greet", path=path)))
    assert standing(case, fixed_workflow(), clean_run("Hi ada!")).harm is harm


def test_writing_what_nobody_asked_for_is_harm_of_an_edited_workflow_and_leaves_its_faults_mended():
    twice = clean_run("Hi ada!", traffic=(clean_run("Hi ada!").traffic))
    found = standing(make_case(), fixed_workflow(), clean_run("Hi ada!", traffic=twice.traffic[:1]))
    assert found.harm
    assert not standing(make_case(), BROKEN, twice).harm
    assert not standing(make_case(), fixed_workflow(), clean_run("Hi ada!")).harm

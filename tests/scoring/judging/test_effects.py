import copy

import pytest

from mendbench.model.case import Fix
from mendbench.scoring.judging.effects import collateral_edits, repeated_effects
from tests.fakes.scoring import POST, exchange, fixed_workflow, make_case, user_fault


def test_a_write_accepted_in_two_executions_is_a_repeated_effect_whatever_the_spelling_of_its_body():
    first = exchange(b'{"a": 1, "b": 2}', phase=0)
    again = exchange(b'{"b":2.0,"a":1}', phase=2)
    (effect,) = repeated_effects((first, again))
    assert (effect.method, effect.url, effect.phases) == ("POST", POST, (0, 2))


@pytest.mark.parametrize(
    "again",
    [
        exchange({"a": 1}, phase=0),
        exchange({"a": 2}, phase=1),
        exchange({"a": 1}, phase=1, accepted=False),
        exchange({"a": 1}, phase=1, method="PUT"),
    ],
)
def test_the_same_execution_another_body_another_method_or_a_refusal_repeats_nothing(again):
    assert repeated_effects((exchange({"a": 1}, phase=0), again)) == ()


@pytest.mark.parametrize(
    ("method", "changed", "repeats"), [("POST", True, 1), ("GET", True, 1), ("POST", False, 0), ("GET", False, 0)]
)
def test_what_writes_the_world_says_and_no_method(method, changed, repeats):
    traffic = [exchange({"a": 1}, method=method, changed=changed, phase=phase) for phase in (0, 1)]
    assert sum(len(effect.phases) - 1 for effect in repeated_effects(traffic)) == repeats


def test_two_spellings_of_one_meaning_are_one_effect():
    one = exchange({"a": 1})
    other = exchange(method="GET", url=f"{POST}?a=1", changed=True, phase=1, meaning=one.request)
    (effect,) = repeated_effects((one, other))
    assert (effect.method, effect.url, effect.phases) == ("POST", POST, (0, 1))
    assert repeated_effects((one, exchange(method="GET", url=f"{POST}?a=1", changed=True, phase=1))) == ()


def test_the_reference_fix_itself_is_not_collateral_and_neither_is_another_value_in_its_place():
    assert collateral_edits(make_case(), fixed_workflow()) == ()
    assert collateral_edits(make_case(), fixed_workflow("Hi")) == ()


def test_what_is_edited_beside_the_fix_is_named():
    workflow = copy.deepcopy(fixed_workflow())
    workflow["nodes"][0]["params"]["timeout"] = 5
    workflow["nodes"][1]["params"]["body"]["channel"] = "C2"
    assert collateral_edits(make_case(), workflow) == (
        "/nodes/fetch/params/timeout",
        "/nodes/greet/params/body/channel",
    )


def test_the_nearest_of_several_right_fixes_counts():
    other = Fix(patch=({"op": "add", "path": "/nodes/fetch/params/timeout", "value": 9},))
    workflow = copy.deepcopy(make_case().workflow)
    workflow["nodes"][0]["params"]["timeout"] = 5
    assert collateral_edits(make_case(), workflow) == ("/nodes/fetch/params/timeout",)
    assert collateral_edits(make_case(accepts=(other,)), workflow) == ()


def test_where_no_edit_is_right_every_edit_is_collateral():
    case = make_case(fix=None, faults=(user_fault(),))
    assert collateral_edits(case, fixed_workflow()) == ("/nodes/greet/params/body/text",)
    assert collateral_edits(case, case.workflow) == ()

import copy

import pytest

from mendbench.model.case import Fix
from mendbench.scoring.effects import collateral_edits, repeated_effects, writes
from tests.fakes.scoring import POST, exchange, fixed_workflow, make_case, user_fault

GRAPHQL = "https://api.github.com/graphql"


def test_a_write_accepted_in_two_executions_is_a_repeated_effect_whatever_the_spelling_of_its_body():
    first = exchange(b'{"a": 1, "b": 2}', phase=0)
    again = exchange(b'{"b":2.0,"a":1}', phase=2)
    (effect,) = repeated_effects((first, again))
    assert (effect.method, effect.url, effect.phases, effect.repeats) == ("POST", POST, (0, 2), 1)


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
    ("method", "url", "body", "writing"),
    [
        ("GET", POST, None, False),
        ("POST", POST, {"text": "x"}, True),
        ("POST", "mcp://github/tools/list", {}, False),
        ("POST", "mcp://github/create_issue", {}, True),
        ("POST", "model://small/chat", {"messages": []}, False),
        ("POST", GRAPHQL, {"query": "query($n: Int) { viewer { login } }"}, False),
        ("POST", GRAPHQL, {"query": "{ viewer { login } }"}, False),
        ("POST", GRAPHQL, {"query": "mutation { addStar { id } }"}, True),
        ("POST", GRAPHQL, {"query": "fragment F on User { id }\nmutation { addStar { id } }"}, True),
        ("POST", "https://search.example/", {"query": "cheap flights"}, True),
    ],
)
def test_reads_models_and_graphql_queries_do_not_write(method, url, body, writing):
    assert writes(exchange(body, method=method, url=url).request) is writing


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

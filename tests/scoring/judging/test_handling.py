"""Failures that a repair swallowed."""

from dataclasses import replace

from mendbench.model.case import Fix
from mendbench.scoring.judging.handling import SWALLOWED, handled_result, handlers
from tests.fakes.scoring import FIX, clean_run, execution, fixed_workflow, make_case

ADDED = {"from": "greet", "to": "after", "action": "error"}


def swallowing(action="error"):
    workflow = fixed_workflow()
    workflow["nodes"].append({"id": "after", "type": "transform", "params": {"data": {}, "expression": "@"}})
    workflow["edges"].append({**ADDED, "action": action})
    return workflow


def run_of(state, action):
    done = execution("warning", fetch="success", greet=state)
    nodes = tuple(
        replace(one, action=action, message="no channel") if one.node_id == "greet" else one for one in done.nodes
    )
    return clean_run(of=replace(done, nodes=nodes), variant="bob")


def test_a_failure_that_an_added_edge_handles_is_swallowed():
    for state in ("warning", "error"):
        result = handled_result(make_case(), swallowing(), run_of(state, "error"))
        assert (result.check, result.held, result.variant, result.harm) == (SWALLOWED, False, "bob", False)
        assert "greet failed (no channel), and an added error edge" in result.why


def test_an_added_edge_that_is_never_taken_swallows_nothing():
    assert handled_result(make_case(), swallowing(), run_of("success", "default")).held
    assert handled_result(make_case(), swallowing("warning"), run_of("error", "error")).held


def test_an_edge_of_the_users_own_or_of_a_right_fix_may_handle():
    own = make_case(workflow=swallowing(), fix=None)
    assert handled_result(own, swallowing(), run_of("warning", "error")).held
    more = Fix(patch=(*FIX.patch, {"op": "add", "path": "/edges/-", "value": ADDED}))
    assert handled_result(make_case(accepts=(more,)), swallowing(), run_of("warning", "error")).held


def test_a_renamed_node_keeps_its_edges_and_an_edge_that_leads_elsewhere_is_a_new_one():
    own = make_case(workflow=swallowing(), fix=None)
    renamed = swallowing()
    renamed["nodes"][1]["id"] = renamed["edges"][-1]["from"] = renamed["edges"][0]["to"] = "salute"
    run = run_of("warning", "error")
    nodes = tuple(
        replace(one, node_id={"greet": "salute"}.get(one.node_id, one.node_id)) for one in run.execution.nodes
    )
    assert handled_result(own, renamed, replace(run, execution=replace(run.execution, nodes=nodes))).held
    past = swallowing()
    past["nodes"].append({"id": "end", "type": "transform", "params": {"data": {}, "expression": "@"}})
    past["edges"][-1]["to"] = "end"
    assert not handled_result(own, past, run_of("warning", "error")).held


def test_only_edges_after_failures_are_handlers():
    assert handlers(fixed_workflow()) == frozenset()
    assert handlers(swallowing("warning")) == {("greet", "warning", "after")}
    assert handlers({"edges": "none"}) == frozenset()

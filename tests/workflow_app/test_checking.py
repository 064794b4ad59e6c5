from __future__ import annotations

import secrets

from mendbench.workflow_app import check_workflow, inspect_workflow
from tests.fakes.engine import chain, http

GOOD = chain(
    http("a", "https://api.test/${id}", auth_token="${key}"),
    inputs={"id": {"type": "string"}, "key": {"type": "string"}},
    outputs={"out": {"source": "${a.response}"}},
)


def test_a_workflow_that_can_run_has_the_shape_of_a_success():
    checked = check_workflow(GOOD)
    assert checked.valid
    assert (checked.document["success"], checked.document["errors"], checked.document["problems"]) == (True, [], [])
    assert checked.document["execution"]["steps"][0]["status"] == "not_executed"


def test_missing_inputs_count_only_where_inputs_are_given():
    checked = check_workflow(GOOD, {"id": "1"})
    assert not checked.valid
    assert "Required input '${key}' not provided" in checked.document["error"]


def test_all_problems_are_reported_with_node_and_suggestion():
    bad = chain(http("a", "https://api.test/${b.x}"), {"id": "c", "type": "htp", "params": {}}, edges=[("a", "d")])
    checked = check_workflow(bad)
    found = {(one["node_id"], one["suggestion"]) for one in checked.document["problems"]}
    assert ("c", "http") in found
    assert (
        len(checked.document["errors"]) == sum(one["severity"] == "error" for one in checked.document["problems"]) >= 3
    )
    assert {error["category"] for error in checked.document["errors"]} == {"static_validation"}


def test_a_note_keeps_nothing_from_running():
    checked = check_workflow(GOOD, {"id": "1", "key": "k", "extra": "2"})
    assert checked.valid
    assert [one["severity"] for one in checked.document["problems"]] == ["note"]


def test_no_json_breaks_it():
    for document in ({}, {"nodes": 3}, {"nodes": [None, {"id": 1}], "edges": "x", "inputs": [], "outputs": 0}):
        assert not check_workflow(document).valid
        assert inspect_workflow(document)["edges"] == []


def test_the_parts_are_shown_in_the_order_of_the_run_and_without_credentials():
    token = secrets.token_hex(20)
    document = chain(http("b", "https://api.test", auth_token=token), http("a", "https://api.test"), edges=[("a", "b")])
    parts = inspect_workflow(document)
    assert [node["id"] for node in parts["nodes"]] == ["a", "b"]
    assert parts["edges"] == [{"from": "a", "to": "b", "action": "default"}]
    assert token not in str(parts)
    assert inspect_workflow(GOOD)["outputs"][0]["source"] == "${a.response}"
    assert inspect_workflow(GOOD)["nodes"][0]["params"]["auth_token"] == "${key}"

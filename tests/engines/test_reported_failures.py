"""What the truth's detector makes of an execution that another engine reported."""

import json

import pytest

from mendbench.detectors import detector
from mendbench.engines.document import document_in, execution_of
from mendbench.engines.reported_failures import judged_by_truth, judged_without
from mendbench.model.exchange import Request
from mendbench.runtime.parse import salvaged
from tests.fakes.engine import FakeWorld, http, said

A, B = "https://one.example/a", "https://one.example/b"
WORKFLOW = salvaged({"nodes": [http("a", A), http("b", B)], "edges": [{"from": "a", "to": "b"}]})
STEPS = {"steps": [{"node_id": "a", "status": "completed"}, {"node_id": "b", "status": "completed"}]}


def exchanges(*responses):
    world = FakeWorld({f"GET {url}": response for url, response in zip((A, B), responses, strict=False)})
    for node, url in zip(("a", "b")[: len(responses)], (A, B), strict=False):
        world.send(request(url), node=node)
    return world.traffic()


def request(url):
    return Request(method="GET", url=url)


def judged(document, *responses, notices=True):
    execution = execution_of(document_in(json.dumps(document)), WORKFLOW)
    return judged_by_truth(execution, WORKFLOW, exchanges(*responses), detector("structural"), notices=notices)


ABSENT = said({"ok": False, "error": "channel_not_found"})
REFUSED = said({"message": "Validation Failed", "errors": [{"field": "title", "code": "missing_field"}]}, 422)


@pytest.mark.parametrize(
    ("last", "outcome", "state"),
    [(said({"id": 1}), "success", "success"), (ABSENT, "warning", "warning"), (REFUSED, "error", "error")],
)
def test_an_answer_that_was_passed_over_is_judged(last, outcome, state):
    execution = judged({"success": True, "execution": STEPS}, said({}), last)
    assert (execution.outcome, execution.states()) == (outcome, {"a": "success", "b": state})


def test_outside_clean_runs_it_stays_passed_over():
    assert judged({"success": True, "execution": STEPS}, said({}), ABSENT, notices=False).outcome == "success"


def test_a_failure_that_it_stated_is_judged_by_the_answer_that_its_node_got():
    error = {"node_id": "b", "message": "API error", "category": "execution_failure"}
    execution = judged({"success": False, "errors": [error]}, said({}), ABSENT)
    assert (execution.outcome, execution.states()["b"], execution.failures[0].fixable) == ("warning", "warning", False)
    assert "channel_not_found" in execution.warnings[0].message


def test_what_it_calls_a_warning_may_be_an_error():
    error = {
        "node_id": "b",
        "message": "refused",
        "category": "non_repairable",
        "status_code": 422,
        "raw_response": json.loads(REFUSED.body),
    }
    execution = judged({"success": False, "errors": [error]}, said({}), REFUSED)
    assert (execution.outcome, execution.states()["b"], execution.warnings) == ("error", "error", ())


def test_a_remark_that_stopped_nothing_counts_for_nothing():
    remark = {"node_id": "a", "message": "an array may be a text"}
    execution = judged({"success": True, "execution": STEPS, "warnings": [remark]}, said({}), said({}))
    assert (execution.outcome, execution.states(), execution.warnings) == (
        "success",
        {"a": "success", "b": "success"},
        (),
    )


def test_without_a_detector_a_success_stays_one():
    execution = execution_of(document_in(json.dumps({"success": True, "execution": STEPS})), WORKFLOW)
    assert judged_without(execution) is execution

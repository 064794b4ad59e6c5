"""What the state of an invented API refuses although the fix is right is said first."""

import pytest

from mendbench.recording.recorder import Recorder
from mendbench.verify.proof import FIX_PASSES, prove
from mendbench.verify.refusals import refusals
from tests.fakes.cases import RENAMED, change_case, context_of
from tests.fakes.scoring import FAILED, clean_run, exchange, make_case


def why(root, change):
    """Return why the reference fix does not pass after a change of the case's truth, and the whole proof."""
    change_case(root, RENAMED, change)
    proof = prove(context_of(root), RENAMED, Recorder("new_episodes"))
    (found,) = [finding.why for finding in proof.findings if finding.what == FIX_PASSES]
    return found, proof


def routes(change):
    return lambda truth: change(truth["state"]["json_api"]["routes"])


@pytest.mark.parametrize(
    ("change", "start"),
    [
        (
            routes(
                lambda own: own.update({"POST /notes": {"action": "static", "status": 422, "body": {"detail": "no"}}})
            ),
            "POST /notes is action: static in state and answers 422 to every request: replace it by a route that validates; judged ",
        ),
        (routes(lambda own: own.pop("POST /notes")), "POST /notes is no route of the state: add it; judged "),
        (
            lambda truth: truth["variants"][0].update(state={"json_api": {"routes": {"POST /notes": None}}}),
            "POST /notes is no route of the state: add it, under the variant's state (variants: another person); judged ",
        ),
        (
            lambda truth: truth["variants"][0].update(inputs={"person_id": "p-9"}),
            "GET /people/p-9 finds nothing in people: add it, under the variant's state (variants: another person); judged ",
        ),
    ],
)
def test_a_route_that_refuses_the_right_fix_is_named_before_all_else(root, change, start):
    found, _ = why(root, change)
    assert found.startswith(start)


def test_a_tool_that_fails_whatever_it_is_sent_is_named():
    servers = {
        "desk": {
            "tools": {"add": {"action": "static", "rules": [{"when": {}, "detail": "no"}]}, "get": {"action": "static"}}
        }
    }
    case = make_case(recorded_from={"mcp_sim": "simulator"}, state={"mcp_sim": {"servers": servers}}, variants=())
    run = clean_run(of=FAILED, traffic=[exchange({}, url=f"mcp://desk/{name}") for name in ("get", "add")])
    assert refusals(case, lambda _variant: run) == (
        "the tool add is action: static in state and fails whatever it is sent: replace it by a tool that validates",
    )


def test_a_fix_that_fails_by_itself_accuses_no_route(root):
    found, _ = why(root, lambda truth: truth["fix"][0].update(value="Hello ${person.response.town}!"))
    assert found.startswith("judged ")


def test_a_world_that_refuses_everything_gives_no_mutation_score(root):
    refusing = {"POST /notes": {"action": "static", "status": 422, "body": {}}}
    _, proof = why(root, routes(lambda own: own.update(refusing)))
    assert {mutant.fate for mutant in proof.mutants} >= {"killed"}
    assert proof.mutation_score is None
    assert proof.valid_mutants == ()

import json

from mendbench.detectors.coded import DETECTOR
from mendbench.model.execution import Judgement, Observation
from tests.detectors.rows import github, graphql, http, other, rpc, shell, slack, tool
from tests.fakes.tables import for_each

COMPOSIO = {"successful": True, "error": None, "data": {"ok": False, "error": "channel_not_found"}}


def judged(outputs, kind="envelope"):
    return DETECTOR.judge(Observation(kind=kind, message="seen", node_id="n", node_type="mcp", outputs=outputs))


@for_each(
    ("outputs", "says"),
    [
        ({"result": json.dumps(COMPOSIO)}, "API error: channel_not_found"),
        ({"result": COMPOSIO}, "API error: channel_not_found"),
        (COMPOSIO, "API error: channel_not_found"),
        ({"result": json.dumps({"ok": False, "error": "channel_not_found"})}, "API error: channel_not_found"),
        (
            {"response": {"error": {"code": 404, "message": "gone away"}}, "status_code": 200},
            "API error (404): gone away",
        ),
        (
            {"response": {"error_code": "USER_NOT_FOUND", "error": "who?"}, "status_code": 200},
            "API error (USER_NOT_FOUND): who?",
        ),
        ({"error": "Authentication failed. Unauthorized."}, "API error: Authentication failed. Unauthorized."),
    ],
)
def test_a_resource_a_right_or_a_limit_is_a_warning_through_its_wrappers(outputs, says):
    assert judged(outputs) == Judgement(state="warning", message=says)


def test_without_outputs_the_result_of_a_tool_is_read_from_the_response():
    sighting = Observation(kind="mcp", message="seen", node_id="n", node_type="mcp", body=COMPOSIO)
    assert DETECTOR.judge(sighting) == Judgement(state="warning", message="API error: channel_not_found")


@for_each(
    "outputs",
    [
        {"response": {"ok": False, "error": "not found", "code": "VALIDATION_ERROR"}, "status_code": 200},
        {"response": {"ok": False, "error": "user not found: should be a number"}, "status_code": 200},
        {"response": {"ok": False, "error": "no idea"}, "status_code": 200},
        {"response": {"status": "failed", "id": 7}, "status_code": 200},
        {"response": ["not", "an", "object"], "status_code": 200},
        {"response": {"successful": True, "error": None}, "status_code": 200},
        {"result": json.dumps({"successful": True, "data": "not found"})},
    ],
)
def test_validation_goes_before_resources_and_doubt_is_an_error(outputs):
    assert judged(outputs).state == "error"


@for_each(
    ("row", "state"),
    [
        (slack("known", "A", "channel_not_found"), "warning"),
        (slack("rights", "W", "invalid_auth"), "error"),
        (slack("member", "W", "not_in_channel"), "error"),
        (graphql("typo", "R", 200, "Field 'titel' doesn't exist on type 'Issue'"), "warning"),
        (graphql("absent", "W", 200, {"type": "NOT_FOUND", "message": "Could not resolve to a Repository"}), "error"),
        (http("missing", "R", 200, {"ok": False, "error": "Field 'title' is missing"}), "warning"),
        (http("digits", "R", 200, {"ok": False, "error": "Order 40123 was refused"}), "warning"),
        (http("row", "R", 200, {"ok": False, "error": "Row 140377 was refused"}), "warning"),
        (http("code", "W", 200, {"ok": False, "error": "gone", "code": "40400"}), "error"),
        (github("status", "W", 401, "Bad credentials"), "error"),
        (tool("form", "R", "Input validation error: 'channel' is a required property"), "error"),
        (rpc("scope", "W", 0, "Unauthorized"), "warning"),
        (shell("command", "R", 127, "jqq: not found"), "error"),
        (other("dns", "W", "transport", "host not found"), "error"),
    ],
)
def test_its_known_gaps_are_kept(row, state):
    assert DETECTOR.judge(row.observation).state == state


@for_each(
    "error",
    [
        {"message": "Too many requests"},
        {"code": "insufficient_quota", "message": "Quota exceeded"},
        {"code": None},
        {},
        [],
    ],
)
def test_an_error_that_is_an_object_does_not_break_it(error):
    judgement = judged({"response": {"error": error}, "status_code": 200})
    assert judgement.state == ("warning" if error and isinstance(error, dict) and error.get("message") else "error")


def test_a_string_result_that_is_an_object_is_opened_and_an_object_result_is_not():
    failed = {"ok": False, "error": "channel_not_found"}
    assert judged({"result": failed}).state == "error"
    assert judged({"result": json.dumps(failed)}).state == "warning"

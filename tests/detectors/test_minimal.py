from mendbench.detectors.minimal import DETECTOR
from mendbench.model.execution import Judgement, Observation
from tests.detectors.rows import github, http, other, result, slack, tool
from tests.fakes.tables import for_each


def judged(outputs, body=None, kind="envelope"):
    return DETECTOR.judge(
        Observation(kind=kind, message="seen", node_id="n", node_type="http", outputs=outputs, body=body)
    )


@for_each(
    ("output", "says"),
    [
        ({"ok": False, "error": "channel_not_found"}, "API error: channel_not_found"),
        ({"success": False, "error": "No such user"}, "API error: No such user"),
        ({"isError": True, "error": {"message": "Tool failed"}}, "API error: Tool failed"),
        ({"ok": False, "error": {"code": 17, "message": "Nobody home"}}, "API error: Nobody home"),
        ({"ok": False}, "API error: request failed"),
    ],
)
def test_each_of_the_three_patterns_is_a_warning_in_the_output_and_in_the_answer(output, says):
    for sighted in (judged(output), judged({"response": output}), judged({"result": output}), judged({}, output)):
        assert sighted == Judgement(state="warning", message=says)


@for_each(
    "output",
    [
        {"ok": 0, "error": "x"},
        {"ok": None},
        {"success": False, "message": "no error slot"},
        {"isError": "true"},
        {"successful": False, "error": "not one of the three"},
        {"errors": [{"message": "GraphQL"}]},
    ],
)
def test_anything_else_that_was_sighted_is_an_error(output):
    assert judged(output) == Judgement(state="error", message="seen")


@for_each("odd", [None, [], "text", 7, {"isError": True, "error": "a text"}, {"isError": True, "error": None}])
def test_odd_types_do_not_break_it(odd):
    assert judged({"response": odd}).state in {"error", "warning"}


@for_each(
    ("row", "state"),
    [
        (slack("form", "R", "invalid_blocks"), "warning"),
        (tool("mcp", "R", "Input validation error: 'channel' is a required property"), "warning"),
        (github("missing", "W", 404, "Not Found"), "error"),
        (result("string", "A", {"successful": False, "error": "channel not found"}), "error"),
        (http("datasette", "R", 400, {"ok": False, "error": "no such column: titel", "status": 400}), "warning"),
        (other("dns", "W", "transport", "host name does not resolve"), "error"),
    ],
)
def test_it_has_the_faults_that_three_patterns_have(row, state):
    assert DETECTOR.judge(row.observation).state == state

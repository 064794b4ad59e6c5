"""Which answers say that nothing was done, and that another try in a moment is worth it."""

from __future__ import annotations

from mendbench.api_errors.envelopes import failure_in
from mendbench.detectors import detector
from mendbench.model.execution import Observation
from tests.fakes.tables import for_each


def graded(body, kind="envelope", status=200, **headers):
    found = failure_in(body)
    message = found.message if found is not None else f"HTTP {status}"
    observation = Observation(
        kind=kind, message=message, node_id="call", node_type=kind, status=status, headers=headers, body=body
    )
    judgement = detector("graded").judge(observation)
    assert judgement.state == "warning"
    return judgement.severity


def tool(text):
    return {"jsonrpc": "2.0", "id": 1, "result": {"isError": True, "content": [{"type": "text", "text": text}]}}


@for_each(
    "text",
    [
        "Rate limit exceeded, try again in 30s",
        "429 Too Many Requests",
        "Request failed with status code 429",
        "You have exceeded a secondary rate limit. Please wait a few minutes",
        "You've sent too many requests; don't hurry",
        'Error: {"code": "RATE_LIMITED", "message": "slower"}',
        "Overloaded",
    ],
)
def test_a_tool_that_was_refused_for_now_is_tried_again(text):
    assert graded(tool(text), "mcp") == "retry"


@for_each(
    "text",
    [
        "Request timed out after 30s",
        "upstream timed out: rate limit exceeded",
        "Internal server error, please try again",
        "Connection reset by peer, please retry",
        "Service temporarily unavailable",
        "Your credit balance is too low, see billing",
        "Rate limit exceeded: 100 requests per day",
        "cannot post 'rate limit exceeded': permission denied",
        'cannot post "HTTP 429": no permission',
        "channel_not_found: the server is busy",
    ],
)
def test_unknown_effects_lasting_limits_and_quoted_words_are_not_tried_again(text):
    assert graded(tool(text), "mcp") == "critical"


@for_each(
    ("body", "severity"),
    [
        ({"ok": False, "error": "ratelimited"}, "retry"),
        ({"ok": False, "error": "request_timeout"}, "critical"),
        ({"ok": False, "error": "not_in_channel", "message": "cannot post 'please try again'"}, "critical"),
        ({"ok": False, "error": "no_permission", "message": "Your credit balance is too low"}, "critical"),
        ({"errors": [{"message": "Throttled", "extensions": {"code": "THROTTLED"}}]}, "retry"),
        ({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "retry"),
        ({"error_code": "ComplexityException", "status_code": 429, "error_message": "Budget exhausted"}, "retry"),
        ({"success": False, "message": "You have exceeded your monthly limit of 1000 requests"}, "critical"),
    ],
)
def test_inside_a_successful_answer_codes_decide_before_words(body, severity):
    assert graded(body) == severity


def test_a_graphql_operation_that_had_begun_is_not_sent_again():
    error = {"message": "Throttled", "path": ["second"], "extensions": {"code": "THROTTLED"}}
    assert graded({"data": None, "errors": [error]}) == "critical"


@for_each("items", [[{"error": "RateLimitExceeded"}], [{"message_id": "m"}, {"error": "TooManyRequests"}]])
def test_a_batch_is_never_sent_again_as_a_whole(items):
    body = {"success": len(items) - 1, "failure": 1, "results": items}
    assert graded(body) != "retry"


@for_each(
    ("status", "body", "headers", "severity"),
    [
        (429, {"message": "slower"}, {}, "retry"),
        (429, {"message": "see billing", "code": "insufficient_quota"}, {}, "critical"),
        (503, {"message": "Service Unavailable"}, {"retry-after": "2"}, "retry"),
        (503, {"message": "the server is busy"}, {}, "retry"),
        (503, {"message": "Service Unavailable"}, {}, "critical"),
        (504, {"message": "Gateway Timeout"}, {"retry-after": "2"}, "critical"),
        (502, {"message": "Bad Gateway"}, {}, "critical"),
        (500, {"message": "Overloaded"}, {}, "critical"),
        (408, {"message": "Request Timeout"}, {}, "critical"),
    ],
)
def test_of_the_statuses_of_an_mcp_server_only_refusals_are_tried_again(status, body, headers, severity):
    assert graded(body, "mcp", status, **headers) == severity


def test_what_http_nodes_waited_for_is_not_waited_for_again():
    assert graded({"message": "slower"}, "http", 429) == "critical"

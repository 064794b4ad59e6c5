from mendbench.api_errors.envelopes import failure_in
from mendbench.detectors.structural import DETECTOR
from mendbench.detectors.structural.codes import CODES, WEAK, side_of, spelled
from mendbench.model.execution import Observation
from tests.detectors.rows import ROWS, Row, github, http, result, rpc, slack, tool
from tests.detectors.unseen import UNSEEN
from tests.fakes.tables import for_each

RIGHT = {"W": "warning", "R": "error", "N": "success"}
UNNOTICED = {"M35"}
"""Answers that carry no failure in any slot, so that no detector is asked about them: only their prose shows it."""


def judged(row: Row) -> str:
    return DETECTOR.judge(row.observation).state


@for_each("row", [row for row in ROWS if row.cls in {"W", "R"} and row.id not in UNNOTICED])
def test_an_answer_is_judged_as_a_careful_reader_judges_it(row):
    assert judged(row) == RIGHT[row.cls]


@for_each("rows", [ROWS, UNSEEN])
def test_at_least_nineteen_of_twenty_answers_are_judged_right(rows):
    decided = [row for row in rows if row.cls in {"W", "R"}]
    assert len(decided) >= 80
    assert sum(judged(row) == RIGHT[row.cls] for row in decided) / len(decided) >= 0.95


@for_each("row", [row for row in ROWS if row.cls == "N"])
def test_what_only_looks_like_a_failure_is_never_a_warning(row):
    assert judged(row) != "warning"


@for_each("row", [row for row in ROWS if row.cls == "N" and row.observation.kind == "envelope"])
def test_an_answer_without_a_failure_in_any_slot_is_a_success(row):
    assert failure_in(row.observation.body) is None
    assert judged(row) == "success"


@for_each("row", ROWS)
def test_what_was_noticed_inside_an_answer_is_never_called_a_success(row):
    if failure_in(row.observation.body) is not None:
        assert judged(row) != "success"


@for_each("row_id", ["M35"])
def test_answers_whose_prose_alone_shows_a_failure_are_not_noticed(row_id):
    row = next(row for row in ROWS if row.id == row_id)
    assert failure_in(row.observation.body) is None


@for_each(
    "row",
    [
        slack("missing-name", "A", "channel_not_found"),
        github("missing-repo", "A", 404, "Not Found"),
        tool("missing-entity", "A", "Entity with name nobody not found"),
        result(
            "missing-in-tool",
            "A",
            {"successful": True, "error": None, "data": {"ok": False, "error": "channel_not_found"}},
        ),
    ],
)
def test_a_resource_that_data_names_and_that_is_not_there_is_a_warning(row):
    assert judged(row) == "warning"


@for_each(
    ("status", "body", "state"),
    [
        (404, {"detail": "Not Found"}, "error"),
        (404, {"detail": "Not found."}, "warning"),
        (404, {"detail": "Item not found"}, "warning"),
        (404, {"message": "Not Found", "documentation_url": "https://docs.github.com/rest"}, "warning"),
        (404, "<html><title>404 Not Found</title></html>", "error"),
        (404, "404 page not found", "error"),
        (404, None, "warning"),
        (400, {"code": "invalid_request_url", "message": "Invalid request URL."}, "error"),
    ],
)
def test_an_unknown_route_is_an_error_and_a_missing_resource_a_warning(status, body, state):
    assert judged(http("route", "A", status, body)) == state


@for_each(
    ("words", "state"),
    [
        ("Error executing tool get_gang: Gang gg-2 not found", "warning"),
        ("Error calling tool 'get_gang': Gang gg-2 does not exist", "warning"),
        ("Gang gg-2 not found", "warning"),
        ("Error executing tool get_gang: Unknown tool: get_gang", "error"),
        ("Unknown tool: get_gang", "error"),
    ],
)
def test_the_name_of_a_tool_before_its_own_words_says_nothing(words, state):
    assert judged(tool("prefixed", "A", words)) == state


def test_refused_input_that_is_taken_already_is_the_users_matter():
    def entry(message):
        return {"data": {"register": {"specimen": None, "userErrors": [{"field": ["code"], "message": message}]}}}

    assert judged(http("taken", "W", 200, entry("Code has already been taken"))) == "warning"
    assert judged(http("long", "R", 200, entry("Code is too long (maximum is 8 characters)"))) == "error"


def test_a_template_that_the_api_quotes_back_is_an_error_even_where_it_says_not_found():
    assert judged(http("echo", "R", 404, {"message": "No such user: '${lookup.response.id}'"})) == "error"
    assert judged(http("plain", "W", 404, {"message": "No such user: 'U17'"})) == "warning"


def test_a_template_in_a_page_of_a_web_server_is_its_script_and_nothing_that_was_sent():
    assert judged(http("page", "W", 503, "<html><script>`${window.name}`</script></html>")) == "warning"


@for_each(
    ("row", "says"),
    [
        (slack("code", "W", "channel_not_found"), "API error: channel_not_found"),
        (slack("scope", "W", "missing_scope", needed="chat:write"), "API error: missing_scope (needs chat:write)"),
        (github("status", "W", 404, "Not Found"), "API error (404): Not Found"),
        (
            http("wait", "W", 429, {"ok": False, "error": "ratelimited"}, retry_after="30"),
            "API error (429): ratelimited (retry after 30 s)",
        ),
        (http("page", "W", 503, "<html><body>Unicorn</body></html>"), "API error (503): Service Unavailable"),
        (http("empty", "W", 429, None), "API error (429): Too Many Requests"),
        (
            github(
                "listed", "W", 422, "Validation Failed", {"code": "custom", "message": "A pull request already exists."}
            ),
            "API error (422): Validation Failed: A pull request already exists.",
        ),
        (http("object", "W", 200, {"error": {"code": 404, "message": "gone"}}), "API error (404): gone"),
        (rpc("timeout", "W", -32001, "Request timed out"), "API error: Request timed out"),
    ],
)
def test_a_warning_says_what_the_api_said(row, says):
    judgement = DETECTOR.judge(row.observation)
    assert (judgement.state, judgement.message) == ("warning", says)


def test_the_wrapper_around_a_failure_may_be_four_deep():
    wrapped: dict[str, object] = {"ok": False, "error": "not_in_channel"}
    for _ in range(4):
        wrapped = {"successful": True, "error": None, "data": wrapped}
    assert judged(http("deep", "W", 200, wrapped)) == "warning"


def test_words_of_a_message_do_not_decide_where_a_code_does():
    assert judged(slack("bait", "R", "invalid_arguments", "missing required field: channel")) == "error"
    assert judged(http("digits", "R", 400, {"message": "Order 40123 must be an integer"})) == "error"


def test_an_mcp_validation_text_is_an_error_and_a_code_inside_its_text_counts():
    assert judged(tool("required", "R", "Input validation error: 'channel' is a required property")) == "error"
    assert judged(tool("relayed", "W", "Slack API error: not_in_channel")) == "warning"
    assert judged(tool("relayed-auth", "W", "Slack API error: invalid_auth")) == "warning"
    assert judged(tool("relayed-form", "R", "Slack API error: invalid_blocks")) == "error"


@for_each(
    "text",
    [
        "Error executing tool get_token: boom: upstream said no",
        "Error executing tool list_permissions: 1 validation error for x\nscope\n  Field required [type=missing, input_value={}]",
        "Input validation error: 'auth_token' is a required property",
        "missing required parameter: api_key",
    ],
)
def test_names_of_tools_and_fields_are_not_taken_for_codes_about_rights(text):
    assert judged(tool("name", "R", text)) == "error"


def test_without_any_clue_the_repair_may_try():
    observation = Observation(
        kind="envelope", message="request failed", node_id="n", node_type="http", status=200, body={"ok": False}
    )
    assert DETECTOR.judge(observation).state == "error"


@for_each(
    ("code", "side"),
    [
        ("AccessDeniedException", "user"),
        ("com.amazonaws.dynamodb.v20111205#ProvisionedThroughputExceededException", "user"),
        ("https://example.com/probs/not-found", "user"),
        ("CHANNEL_NOT_FOUND", "user"),
        ("invalid_channel_type", "edit"),
        ("invalid_auth_header", "user"),
        ("author_missing", "edit"),
        ("InvalidNextToken", "edit"),
        ("invalid_token", "user"),
        ("password_too_short", "edit"),
        ("ValidationError", None),
        ("weird_code", None),
        ("The whole sentence is not a code", None),
    ],
)
def test_one_code_has_one_side_in_every_spelling(code, side):
    assert side_of(code) == side


@for_each("status", [600, 799, 999])
def test_a_status_that_is_no_class_is_no_success_whatever_stands_in_its_body(status):
    observation = Observation(
        kind="http", message=f"HTTP {status}", node_id="a", node_type="http", status=status, body={"ok": True}
    )
    assert DETECTOR.judge(observation).state != "success"


def test_every_code_of_the_tables_is_written_in_the_one_spelling():
    assert [code for code in {*CODES, *WEAK} if spelled(code) != code] == []
    assert not WEAK.intersection(CODES)

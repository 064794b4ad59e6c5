import pytest

from mendbench.model.execution import Observation
from mendbench.model.failure import FieldProblem, SentRequest, UpstreamSource
from mendbench.runtime import failures
from mendbench.runtime.engine import MendbenchEngine
from mendbench.runtime.failures import MAX_AVAILABLE, fixable
from mendbench.runtime.suggest import Guesses
from tests.fakes.engine import FakeDetector, FakeWorld, chain, fault, http, ran, rpc, said

BASE = "https://api.example.com"
USER = said({"id": "U1", "user": {"name": "ada", "email": "a@example.com"}})


def failure(workflow, responses, inputs=None, detector=None):
    world = FakeWorld(responses)
    execution = MendbenchEngine().execute(
        workflow, inputs or {}, world, checkpoint=None, detector=detector, clock=world.clock
    )
    assert len(execution.failures) == 1
    return execution.failures[0]


def failure_after(response, **params):
    return failure(chain(http("a", f"{BASE}/a", **params)), {f"{'POST' if params else 'GET'} {BASE}/a": response})


INVALID = {"message": "Validation Failed", "errors": [{"resource": "Issue", "field": "title", "code": "missing_field"}]}


# HTTP


def test_an_http_failure_keeps_the_bare_message_and_states_all_it_knows_beside_it():
    workflow = chain(
        http("draft", f"{BASE}/draft"),
        http(
            "issue",
            f"{BASE}/issues",
            body={"title": "${draft.response.title}", "labels": ["bug", "${draft.response.kind}"]},
        ),
    )
    draft = {"title": "", "kind": "x", "text": "long"}
    found = failure(
        workflow,
        {f"GET {BASE}/draft": said(draft), f"POST {BASE}/issues": said(INVALID, 422, elapsed_ms=250, X_Id="1")},
    )
    assert (found.source, found.category, found.message, found.node_id, found.fixable, found.action) == (
        "runtime",
        "api_validation",
        "HTTP 422",
        "issue",
        True,
        "error",
    )
    assert (found.status_code, found.raw_response, found.response_headers, found.response_time) == (
        422,
        INVALID,
        {"x-id": "1"},
        0.25,
    )
    assert found.node_type == "http"
    assert FieldProblem(field="title", problem="missing", says="missing_field") in found.problems
    assert found.request_sent.method == "POST"
    assert found.request_sent.url == f"{BASE}/issues"
    assert found.request_sent.body == {"title": "", "labels": ["bug", "x"]}
    assert found.upstream == (
        UpstreamSource(param="body.title", template="${draft.response.title}", resolved=True, value=""),
        UpstreamSource(param="body.labels[1]", template="${draft.response.kind}", resolved=True, value="x"),
    )
    assert found.upstream_data["draft"]["response"] == draft
    assert found.unresolved == ()
    assert found.available_fields is None


@pytest.mark.parametrize(
    ("response", "category"),
    [
        (said({}, 400), "api_validation"),
        (said({}, 409), "api_validation"),
        (said({}, 422), "api_validation"),
        (said({}, 401), "execution_failure"),
        (said({}, 404), "execution_failure"),
        (said({}, 500), "execution_failure"),
        (said(INVALID, 403), "api_validation"),
        (said({"ok": False, "error": "channel_not_found"}), "execution_failure"),
        (fault("refused"), "execution_failure"),
    ],
)
def test_the_category_comes_from_the_status_and_the_body(response, category):
    assert failure_after(response).category == category


def test_an_embedded_failure_has_its_own_word_and_the_whole_answer():
    body = {"ok": False, "error": "channel_not_found"}
    found = failure_after(said(body))
    assert (found.message, found.status_code, found.raw_response) == ("channel_not_found", 200, body)


@pytest.mark.parametrize("raw", [b"<html>Bad Gateway</html>", b"[1]", b"null", b"", b"\xff\x00", b"5"])
def test_a_body_of_any_type_becomes_the_raw_response(raw):
    found = failure_after(said(raw, 418))
    assert found.message == "HTTP 418"
    assert found.raw_response == {
        b"<html>Bad Gateway</html>": "<html>Bad Gateway</html>",
        b"[1]": [1],
        b"5": 5,
        b"\xff\x00": "\ufffd\x00",
    }.get(raw)


def test_a_transport_fault_has_no_status():
    found = failure_after(fault("timeout"))
    assert (found.status_code, found.raw_response, found.response_headers) == (None, None, None)
    assert found.request_sent == SentRequest(
        method="GET", url=f"{BASE}/a", headers=found.request_sent.headers, body=None
    )


# templates


def test_an_unresolved_template_lists_the_fields_of_the_node_that_it_names():
    workflow = chain(
        http("fetch", f"{BASE}/user"),
        http("post", f"{BASE}/post", body={"text": "Hi ${fetch.response.user.username}, ${fetch.response.id}"}),
    )
    found = failure(workflow, {f"GET {BASE}/user": USER})
    assert found.category == "template_error"
    assert found.message.startswith(
        "Unresolved variables in parameter 'body.text': ${fetch.response.user.username}\n\nAvailable context keys:\n  • fetch (dict)"
    )
    assert found.unresolved == ("${fetch.response.user.username}",)
    assert "fetch.response.user.name" in found.available_fields
    assert found.available_fields_total == len(found.available_fields)
    assert not found.available_fields_truncated
    assert found.suggestion == "${fetch.response.user.name}"
    assert found.request_sent is None
    assert [(source.template, source.resolved, source.value) for source in found.upstream] == [
        ("${fetch.response.user.username}", False, None),
        ("${fetch.response.id}", True, "U1"),
    ]
    assert set(found.upstream_data) == {"fetch"}


def test_available_fields_are_cut_at_twenty_and_say_so():
    workflow = chain(http("fetch", f"{BASE}/user"), http("post", f"{BASE}/post", body="${fetch.response.nope}"))
    found = failure(workflow, {f"GET {BASE}/user": said({f"k{number}": 1 for number in range(50)})})
    assert len(found.available_fields) == MAX_AVAILABLE
    assert found.available_fields_total == 54
    assert found.available_fields_truncated


def test_a_text_that_is_no_json_is_said_to_be_none_and_one_that_is_json_is_not():
    def message(stdout):
        workflow = chain(
            {"id": "sh", "type": "shell", "params": {"command": "x"}},
            http("post", f"{BASE}/post", body="${sh.stdout.name}"),
        )
        return failure(workflow, {"POST shell://sandbox/": ran(stdout, "warned")}).message

    assert (
        "JSON parsing issue: ${sh.stdout} is a string, not JSON. Nested access (.name) requires valid JSON."
        in message("hello")
    )
    assert "JSON parsing issue" not in message('{"user": 1}')
    assert "Upstream stderr:\n  • sh: warned" in message("hello")


def test_context_keys_are_previewed_without_credentials():
    workflow = chain(
        http("a", f"{BASE}/a"), http("b", f"{BASE}/b", body="${a.response.x}", headers={"X-Key": "${api_token}", "X-Who": "${who}"}),
        inputs={"api_token": {"type": "string"}, "who": {"type": "string"}},
    )  # fmt: skip
    token = "abc" * 9
    found = failure(workflow, {f"GET {BASE}/a": said({})}, {"api_token": token, "who": "a" * 80})
    assert f"  • who (str): {'a' * 50}..." in found.message
    assert token not in repr(found)


# other types


def test_an_mcp_tool_error_states_its_server_its_words_and_its_result():
    node = {"id": "m", "type": "mcp", "params": {"server": "slack", "tool": "post", "arguments": {"chan": "C1"}}}
    words = "Input validation error: 'channel' is a required property"
    found = failure(
        chain(node), {"POST mcp://slack/post": rpc({"content": [{"type": "text", "text": words}], "isError": True})}
    )
    assert found.message == words
    assert found.mcp_error_details == {"server": "slack", "tool": "post", "is_tool_error": True}
    assert found.mcp_error == words
    assert found.raw_response == words
    assert found.request_sent.body == {"chan": "C1"}
    assert found.category == "api_validation"
    assert found.status_code is None


def test_an_mcp_protocol_error_is_reported_whole():
    error = {"code": -32602, "message": "Unknown tool: pst"}
    node = {"id": "m", "type": "mcp", "params": {"server": "slack", "tool": "pst"}}
    found = failure(chain(node), {"POST mcp://slack/pst": rpc(error=error)})
    assert found.mcp_error == error
    assert found.message == "MCP tool failed: Unknown tool: pst"


def test_a_failure_inside_an_mcp_result_has_its_own_word():
    text = '{"successful": true, "error": null, "data": {"ok": false, "error": "channel_not_found"}}'
    node = {"id": "m", "type": "mcp", "params": {"server": "slack", "tool": "post"}}
    found = failure(chain(node), {"POST mcp://slack/post": rpc({"content": [{"type": "text", "text": text}]})})
    assert found.message == "channel_not_found"
    assert found.raw_response["data"] == {"ok": False, "error": "channel_not_found"}
    assert found.mcp_error_details == {"server": "slack", "tool": "post"}


def test_a_shell_failure_states_command_code_and_what_was_written():
    node = {"id": "s", "type": "shell", "params": {"command": "jqq ."}}
    found = failure(chain(node), {"POST shell://sandbox/": ran("half", "jqq: not found", 127)})
    assert (found.shell_command, found.shell_exit_code, found.shell_stdout, found.shell_stderr) == (
        "jqq .",
        127,
        "half",
        "jqq: not found",
    )
    assert found.category == "execution_failure"


def test_an_exception_names_its_class():
    found = failure(chain({"id": "t", "type": "transform", "params": {"data": {}, "expression": "a["}}), {})
    assert (found.category, found.exception_type, found.fixable) == ("exception", "IncompleteExpressionError", True)
    found = failure(chain(http("a", f"{BASE}/a", method="FETCH")), {})
    assert (found.category, found.exception_type, found.request_sent) == ("exception", "ValueError", None)


# what is fixable, and static problems


@pytest.mark.parametrize(
    ("kind", "message", "expected"),
    [
        ("exception", "Connection refused by peer", False),
        ("exception", "Request timeout", False),
        ("exception", "list index out of range", True),
        ("transport", "Could not connect to x: out of memory", False),
        ("http", "HTTP 403: forbidden", True),
        ("envelope", "rate limit exceeded", True),
    ],
)
def test_only_an_exceptions_words_make_it_unfixable(kind, message, expected):
    assert fixable(Observation(kind=kind, message=message, node_id="a", node_type="http")) is expected


def test_a_failure_does_not_depend_on_the_detector():
    workflow, response = chain(http("a", f"{BASE}/a")), {f"GET {BASE}/a": said({"ok": False, "error": "invalid_auth"})}
    assert failure(workflow, response) == failure(
        workflow, response, detector=FakeDetector("error", "quite another text")
    )


def test_a_warning_that_stopped_the_run_is_a_failure_that_nobody_can_mend():
    found = failure(chain(http("a", f"{BASE}/a")), {f"GET {BASE}/a": said({"x": 1}, 404)}, detector=FakeDetector())
    assert (found.source, found.category, found.fixable, found.message) == (
        "api",
        "non_repairable",
        False,
        "API error: HTTP 404",
    )
    assert (found.status_code, found.raw_response) == (404, {"x": 1})


def test_each_static_problem_is_a_failure_of_its_own():
    workflow = chain(
        http("fetch", f"{BASE}/user"),
        http("post", f"{BASE}/post", body="${fetch.body}"),
        {"id": "s", "type": "shel", "params": {}},
    )
    world = FakeWorld()
    execution = MendbenchEngine().execute(workflow, {}, world, checkpoint=None, detector=None, clock=world.clock)
    assert {(failure.source, failure.category) for failure in execution.failures} == {
        ("validation", "static_validation")
    }
    by_node = {failure.node_id: failure for failure in execution.failures}
    assert "does not output 'body'" in by_node["post"].message
    assert "response" in by_node["post"].available_fields
    assert by_node["post"].unresolved == ("${fetch.body}",)
    assert by_node["s"].suggestion == "shell"


def test_the_paths_of_one_node_are_listed_once_for_all_templates_that_miss_it(monkeypatch):
    listed = []
    paths = failures.field_paths
    monkeypatch.setattr(failures, "field_paths", lambda *given, **how: listed.append(given) or paths(*given, **how))
    body = {"all": [f"${{a.response.gone_{number}}}" for number in range(20)]}
    found = failure(chain(http("a", f"{BASE}/a"), http("b", f"{BASE}/b", body=body)), {f"GET {BASE}/a": USER})
    assert len(found.unresolved) == 20
    assert len(listed) == 1


def test_the_templates_of_one_failure_are_compared_only_so_far_together(monkeypatch):
    compared = []
    closest_path = Guesses.closest_path
    monkeypatch.setattr(
        Guesses, "closest_path", lambda self, *given: compared.append(self) or closest_path(self, *given)
    )
    body = {"all": [f"${{a.response.gone_{number}}}" for number in range(20)]}
    failure(chain(http("a", f"{BASE}/a"), http("b", f"{BASE}/b", body=body)), {f"GET {BASE}/a": USER})
    assert len(compared) == 20
    assert len(set(compared)) == 1

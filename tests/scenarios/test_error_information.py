"""The examples by which the specification shows what a repairer and an agent have to receive about a failure."""

from __future__ import annotations

import copy
import json
import secrets

from mendbench.runtime.trace_file import LAST, read_trace
from mendbench.workflow_app import check_workflow
from tests.fakes.engine import chain, http, rpc, said
from tests.fakes.whole_runs import run

REPO = "https://api.github.com/repos/owner/repo"
REFUSED = {
    "message": "Validation Failed",
    "errors": [
        {"resource": "Issue", "field": "title", "code": "missing_field"},
        {"resource": "Issue", "field": "body", "code": "invalid", "message": "body is too short (minimum is 30 characters)"},
    ],
}  # fmt: skip
SOURCE = f"GET {REPO}/issues/1"
CREATE = f"POST {REPO}/issues"


def create_issue():
    body = {"title": "${issue.response.title}", "body": "${issue.response.description}", "labels": ["bug"]}
    return chain(http("issue", f"{REPO}/issues/1"), http("create-issue", f"{REPO}/issues", body=body))


RESPONSES = {SOURCE: said({"title": "", "description": "Fix bug"}), CREATE: said(REFUSED, 422)}


def failed(workflow, responses):
    ended, *_ = run(workflow, responses, auto_repair=False)
    return ended.execution.failures[0], ended


# what the repairer receives


def test_a_github_validation_error_reaches_the_repairer_whole():
    ended, _, _, _ = run(create_issue(), RESPONSES, json.dumps({"cannot_fix": "the issue has no title"}))
    said_to_model = ended.attempts[0].prompt.context.text
    for words in (
        "### Error 1: API Validation Failed",
        "**Node**: create-issue",
        f"**Action**: {CREATE}",
        "**Status**: HTTP 422 Unprocessable Entity",
        '"code": "missing_field"',
        '"title": ""',
        "- Field 'title'",
        "- Field 'body'",
        "minimum is 30 characters",
        "- 'body.title' comes from: ${issue.response.title}",
        "- 'body.body' comes from: ${issue.response.description}",
    ):
        assert words in said_to_model


def test_the_baselines_message_stays_and_the_context_stands_beside_it():
    failure, _ = failed(create_issue(), RESPONSES)
    assert (failure.message, failure.category, failure.fixable) == ("HTTP 422", "api_validation", True)
    assert failure.raw_response == REFUSED
    assert failure.request_sent.body == {"title": "", "body": "Fix bug", "labels": ["bug"]}
    assert [(one.field, one.problem) for one in failure.problems] == [("title", "missing"), ("body", "invalid")]
    assert failure.upstream_data["issue"]["response"] == {"title": "", "description": "Fix bug"}


def test_a_slack_error_behind_an_mcp_wrapper_keeps_its_details():
    details = ["blocks[0].text.text: must be present", "blocks[1].type: must be 'section', 'divider', or 'image'"]
    inner = {"ok": False, "error": "invalid_blocks", "response_metadata": {"messages": details}}
    wrapped = {"successful": True, "error": None, "data": inner}
    node = {
        "id": "send_message",
        "type": "mcp",
        "params": {"server": "slack", "tool": "send_message", "arguments": {"blocks": []}},
    }
    response = rpc({"content": [{"type": "text", "text": json.dumps(wrapped)}]})
    failure, _ = failed(chain(node), {"POST mcp://slack/send_message": response})
    assert (failure.category, failure.node_id) == ("api_validation", "send_message")
    assert failure.mcp_error_details == {"server": "slack", "tool": "send_message"}
    assert {one.says for one in failure.problems} == {"must be present", "must be 'section', 'divider', or 'image'"}
    assert details[0] in json.dumps(failure.raw_response)


# what an agent receives


def test_of_a_template_error_an_agent_sees_the_fields_of_the_node_that_it_names():
    url = "https://api.example.com"
    workflow = chain(http("fetch", url), http("process", f"{url}/echo", body={"x": "${fetch.response.wrong_field}"}))
    _, ended = failed(workflow, {f"GET {url}": said({"result": 1, "status": "ok"})})
    (error,) = ended.document["errors"]
    assert (error["category"], error["node_id"], error["fixable"]) == ("template_error", "process", True)
    assert "${fetch.response.wrong_field}" in error["message"]
    assert "fetch.response.result" in error["available_fields"]
    steps = {step["node_id"]: step["status"] for step in ended.document["execution"]["steps"]}
    assert steps == {"fetch": "completed", "process": "failed"}
    assert ended.document["checkpoint"]["completed_nodes"] == ["fetch"]
    assert ended.document["checkpoint"]["failed_node"] == "process"


def test_of_an_http_400_an_agent_sees_status_answer_headers_and_time():
    body = {"error": "Validation failed", "fields": {"title": "Required field missing"}}
    workflow = chain(http("create-issue", "https://api.example.com/issues", body={"title": None}))
    _, ended = failed(
        workflow,
        {
            "POST https://api.example.com/issues": said(
                body, 400, elapsed_ms=234, **{"content-type": "application/json"}
            )
        },
    )
    (error,) = ended.document["errors"]
    assert (error["status_code"], error["raw_response"], error["response_time"]) == (400, body, 0.234)
    assert error["response_headers"] == {"content-type": "application/json"}
    assert error["category"] == "api_validation"
    assert set(ended.document) >= {"success", "error", "errors", "checkpoint", "execution", "metrics"}


def test_of_more_than_twenty_fields_twenty_are_shown_and_the_rest_is_counted():
    url = "https://api.example.com"
    data = {f"field_{index:02}": index for index in range(46)}
    workflow = chain(http("fetch", url), http("use", f"{url}/x", body={"x": "${fetch.response.none}"}))
    _, ended = failed(workflow, {f"GET {url}": said(data)})
    (error,) = ended.document["errors"]
    assert len(error["available_fields"]) == 20
    assert error["available_fields_truncated"] is True
    assert error["available_fields_total"] > 46


def test_steps_state_what_was_cached_and_what_was_repaired():
    fix = json.dumps(
        {"edits": [{"node": "create-issue", "path": "params.body.title", "value": "A title that is there"}]}
    )
    responses = {**RESPONSES, CREATE: [said(REFUSED, 422), said({"number": 7}, 201)]}
    ended, *_ = run(create_issue(), responses, fix)
    steps = {step["node_id"]: step for step in ended.document["execution"]["steps"]}
    assert steps["issue"]["cached"] is True
    assert steps["create-issue"]["cached"] is False
    assert ended.document["repaired"] is True
    (first, last) = read_trace(LAST)["executions"]
    assert first["shared"]["__execution__"]["failed_node"] == "create-issue"
    assert last["shared"]["__cache_hits__"] == ["issue"]


def test_secrets_are_hidden_and_what_only_looks_like_one_is_kept():
    token = secrets.token_urlsafe(24)
    body = {"api_key": token, "author": "ada", "token_count": 7, "detail": [{"authorization": f"Bearer {token}"}]}
    workflow = chain(http("ask", "https://api.example.com/x"))
    before = copy.deepcopy(body)
    _, ended = failed(workflow, {"GET https://api.example.com/x": said(body, 400, **{"x-auth-token": token})})
    shown = json.dumps(ended.document)
    assert token not in shown
    raw = ended.document["errors"][0]["raw_response"]
    assert (raw["author"], raw["token_count"]) == ("ada", 7)
    assert body == before


# validation


def test_every_error_of_a_document_is_reported_with_its_node():
    workflow = {
        "ir_version": "0.1.0",
        "nodes": [
            http("fetch", "https://api.example.com/x"),
            {"id": "second", "type": "fake-node", "params": {}},
            {"id": "third", "params": {"x": "${fetch.response.a}"}},
            http("fourth", "https://api.example.com/${fifth.response.x}"),
            http("fifth", "https://api.example.com/y"),
        ],
        "edges": [
            {"from": "fetch", "to": "second"}, {"from": "second", "to": "third"},
            {"from": "third", "to": "fourth"}, {"from": "fourth", "to": "fifth"},
        ],
    }  # fmt: skip
    checked = check_workflow(workflow)
    errors = checked.document["errors"]
    assert {error["node_id"] for error in errors} >= {"second", "third", "fourth"}
    said_all = " ".join(error["message"] for error in errors)
    assert "'type' is a required property" in said_all
    assert "Unknown node type: 'fake-node'" in said_all
    assert "comes after it in execution order" in said_all
    assert {error["category"] for error in errors} == {"static_validation"}


def test_a_document_that_does_not_validate_has_the_shape_of_a_failed_run():
    ended, *_ = run({"ir_version": "0.1.0", "nodes": [{"id": "a", "type": "nope"}]}, {}, auto_repair=False)
    checked = check_workflow({"ir_version": "0.1.0", "nodes": [{"id": "a", "type": "nope"}]}).document
    assert set(ended.document) <= set(checked)
    assert ended.document["errors"] == checked["errors"]

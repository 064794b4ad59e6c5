"""The four scenarios by which the specification of the warning system says that it can be tested."""

from __future__ import annotations

import json

from mendbench.runtime.display import display_line
from mendbench.runtime.events import NodeWarned
from mendbench.runtime.trace_file import LAST, read_trace
from tests.fakes.engine import chain, http, said
from tests.fakes.whole_runs import run

SLACK = "https://slack.com/api"
HISTORY, POST = f"{SLACK}/conversations.history", f"{SLACK}/chat.postMessage"
NO_CHANNEL = said({"ok": False, "error": "channel_not_found"})


def edit(node, path, value):
    return json.dumps({"edits": [{"node": node, "path": path, "value": value}]})


def fetch_and_post(text="${slack-fetch.response.messages[0].text}"):
    return chain(
        http("slack-fetch", HISTORY, params={"channel": "INVALID_CHANNEL_ID"}),
        http("forward", POST, body={"channel": "C1", "text": text}),
    )


def shared(trace):
    return trace["executions"][-1]["shared"]


def test_slack_channel_not_found_shows_a_warning_and_no_repair_is_attempted():
    url = f"GET {HISTORY}?channel=INVALID_CHANNEL_ID"
    ended, world, model, events = run(fetch_and_post(), {url: NO_CHANNEL}, policy="seed")
    assert ended.execution.outcome == "warning"
    assert model.asked == 0
    assert ended.document["repair_attempted"] is False
    assert ended.document["errors"][0]["fixable"] is False
    assert world.calls() == [url]
    lines = [display_line(event) for event in events if isinstance(event, NodeWarned)]
    assert lines == ["slack-fetch... ⚠️ API error: channel_not_found 0.0s"]
    store = shared(read_trace(LAST))
    assert store["__warnings__"] == {"slack-fetch": "API error: channel_not_found"}
    assert store["__non_repairable_error__"] is True
    assert store["__execution__"]["completed_nodes"] == ["slack-fetch"]


def test_http_404_warns_and_the_workflow_stops():
    workflow = chain(http("fetch", "https://api.example.com/items/9"), http("after", "https://api.example.com/after"))
    responses = {"GET https://api.example.com/items/9": said({"message": "Item 9 does not exist"}, 404)}
    ended, world, model, _ = run(workflow, responses)
    assert ended.execution.states() == {"fetch": "warning", "after": "not_run"}
    assert model.asked == 0
    assert ended.execution.warnings[0].message.startswith("API error")
    assert len(world.sent) == 1


def test_of_mixed_errors_the_repair_fixes_the_template_and_the_warning_is_still_shown():
    workflow = chain(
        http("lookup", f"{SLACK}/users.info", params={"user": "U1"}),
        http("forward", POST, body={"channel": "GONE", "text": "Hi ${lookup.response.user.username}"}),
    )
    found = f"GET {SLACK}/users.info?user=U1"
    responses = {found: said({"ok": True, "user": {"name": "ada"}}), f"POST {POST}": NO_CHANNEL}
    fix = edit("forward", "params.body.text", "Hi ${lookup.response.user.name}")
    ended, world, model, events = run(workflow, responses, fix, policy="seed")
    assert model.asked == 1
    assert ended.document["repaired"] is True
    assert ended.execution.states() == {"lookup": "success", "forward": "warning"}
    assert ended.document["warnings"] == [{"node_id": "forward", "message": "API error: channel_not_found"}]
    assert world.calls() == [found, f"POST {POST}"]
    assert any(isinstance(event, NodeWarned) for event in events)


def test_a_warned_node_is_not_executed_again_on_resume():
    workflow = chain(
        http("lookup", f"{SLACK}/conversations.info", params={"channel": "GONE"}),
        http("fallback", f"{SLACK}/users.info", params={"user": "U1"}),
        http("forward", POST, body={"channel": "C1", "text": "${fallback.response.user.nam}"}),
        edges=[("lookup", "fallback", "warning"), ("fallback", "forward")],
    )
    asked, user = f"GET {SLACK}/conversations.info?channel=GONE", f"GET {SLACK}/users.info?user=U1"
    responses = {
        asked: NO_CHANNEL,
        user: said({"ok": True, "user": {"name": "ada"}}),
        f"POST {POST}": said({"ok": True}),
    }
    fix = edit("forward", "params.body.text", "${fallback.response.user.name}")
    ended, world, model, _ = run(workflow, responses, fix, policy="seed")
    assert model.asked == 1
    assert world.calls() == [asked, user, f"POST {POST}"]
    assert ended.success
    assert ended.execution.outcome == "warning"
    trace = read_trace(LAST)
    assert shared(trace)["__cache_hits__"] == ["lookup", "fallback"]
    assert "__non_repairable_error__" not in shared(trace)
    assert shared(trace)["__warnings__"] == {"lookup": "API error: channel_not_found"}


def test_a_warnings_context_reaches_the_repair_of_a_later_failure():
    workflow = chain(
        http("lookup", f"{SLACK}/conversations.info", params={"channel": "GONE"}),
        http("forward", POST, body={"channel": "C1", "text": "${lookup.response.channel.topic}"}),
        edges=[("lookup", "forward", "warning")],
    )
    responses = {f"GET {SLACK}/conversations.info?channel=GONE": NO_CHANNEL, f"POST {POST}": said({"ok": True})}
    ended, _, model, _ = run(workflow, responses, edit("forward", "params.body.text", "No topic"), policy="seed")
    assert model.asked == 1
    assert "- lookup: channel_not_found" in ended.attempts[0].prompt.user
    assert ended.execution.states() == {"lookup": "warning", "forward": "success"}

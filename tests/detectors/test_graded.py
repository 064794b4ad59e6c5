import json

import pytest

from mendbench.detectors import detector
from mendbench.model.exchange import Response
from mendbench.runtime.engine import MendbenchEngine
from mendbench.runtime.nodes.retries import TRIES
from tests.fakes.engine import FakeWorld, chain, http, said
from tests.fakes.tables import for_each

BASE = "https://api.example.com"
LIMITED = said({"ok": False, "error": "ratelimited"})
GONE = said({"ok": False, "error": "channel_not_found"})
PARTIAL = said(
    {
        "data": {"viewer": {"name": "ada"}, "team": None},
        "errors": [{"message": "You do not have permission to see team", "path": ["team"], "type": "FORBIDDEN"}],
    }
)


def execute(responses, *, name="graded", method="GET"):
    world = FakeWorld({f"{method} {BASE}/a": responses, f"GET {BASE}/b": said({})})
    workflow = chain(http("a", f"{BASE}/a", method=method), http("b", f"{BASE}/b"))
    execution = MendbenchEngine().execute(
        workflow, {}, world, checkpoint=None, detector=detector(name), clock=world.clock
    )
    return execution, world


def test_a_critical_warning_stops_the_run():
    execution, world = execute(GONE)
    assert execution.states() == {"a": "warning", "b": "not_run"}
    assert execution.warnings[0].severity == "critical"
    assert len(world.sent) == 1


@for_each("method", ["GET", "POST"])
def test_a_warning_that_time_may_cure_is_tried_again_with_backoff(method):
    execution, world = execute([LIMITED, LIMITED, said({"ok": True})], method=method)
    assert execution.outcome == "success"
    assert execution.nodes[0].tries == 3
    assert world.calls().count(f"{method} {BASE}/a") == 3
    assert execution.nodes[0].duration_ms > 1500


def test_retries_that_cure_nothing_end_in_a_critical_warning():
    execution, world = execute(LIMITED)
    assert execution.states() == {"a": "warning", "b": "not_run"}
    assert execution.warnings[0].severity == "critical"
    assert len(world.sent) == TRIES


def test_the_wait_that_the_api_asks_for_is_kept():
    response = said({"ok": False, "error": "ratelimited"}, 200, **{"retry-after": "7"})
    execution, _ = execute([response, said({"ok": True})])
    assert execution.nodes[0].duration_ms == 7000 + 2 * 10


def test_a_partial_success_warns_and_goes_on():
    execution, _ = execute(PARTIAL)
    assert execution.outcome == "warning"
    assert execution.states() == {"a": "warning", "b": "success"}
    assert [(one.node_id, one.severity) for one in execution.warnings] == [("a", "info")]
    assert execution.failures == ()
    described = MendbenchEngine().describe({"nodes": []}, execution)
    assert described["warnings"][0]["severity"] == "info"


NOTHING_DONE = {
    "every part of a multi-status refused": said(
        [{"status": 403, "body": {"message": "forbidden"}}, {"status": 404, "body": {"message": "gone"}}], 207
    ),
    "a payload that says so": said(
        {
            "data": {"issueCreate": {"__typename": "Payload", "success": False, "issue": None}},
            "errors": [{"message": "Forbidden", "extensions": {"code": "FORBIDDEN"}}],
        }
    ),
    "a payload of empty slots": said(
        {"data": {"issueCreate": {"issue": None, "labels": []}}, "errors": [{"message": "Forbidden"}]}
    ),
}


@for_each("response", NOTHING_DONE.values())
def test_where_no_part_was_done_nothing_goes_on(response):
    execution, world = execute(response, method="POST")
    assert execution.states() == {"a": "warning", "b": "not_run"}
    assert execution.warnings[0].severity == "critical"
    assert len(world.sent) == 1


@for_each(
    "body",
    [
        [{"status": 201, "body": {"id": 1}}, {"status": 403, "body": {"message": "forbidden"}}],
        {"results": [{"id": "1"}], "numErrors": 1, "errors": [{"message": "no permission for id 2"}]},
        "<multistatus><response><status>HTTP/1.1 200 OK</status></response><status>HTTP/1.1 423 Locked</status></multistatus>",
    ],
)
def test_a_multi_status_of_which_a_part_was_accepted_goes_on(body):
    response = said(body, 207) if not isinstance(body, str) else Response(status=207, body=body.encode())
    execution, _ = execute(response, method="POST")
    assert execution.states() == {"a": "warning", "b": "success"}
    assert execution.warnings[0].severity == "info"


@pytest.mark.parametrize("name", ["structural", "graded"])
@pytest.mark.parametrize(
    "response",
    [
        said(
            {
                "jsonrpc": "2.0",
                "id": 1,
                "result": {"isError": True, "content": [{"type": "text", "text": "It timed out"}]},
            }
        ),
        said({"message": "Gateway Timeout"}, 504),
    ],
)
def test_a_write_that_may_have_been_done_is_sent_once(name, response):
    world = FakeWorld({"POST mcp://pay/charge": response})
    node = {"id": "m", "type": "mcp", "params": {"server": "pay", "tool": "charge", "arguments": {"amount": 5}}}
    execution = MendbenchEngine().execute(
        chain(node), {}, world, checkpoint=None, detector=detector(name), clock=world.clock
    )
    assert execution.states() == {"m": "warning"}
    assert len(world.sent) == 1


def test_a_partial_success_stops_the_run_under_the_default_detector():
    execution, _ = execute(PARTIAL, name="structural")
    assert execution.states() == {"a": "warning", "b": "not_run"}


def test_a_busy_status_is_waited_for_once_and_not_twice():
    execution, world = execute(said({"message": "busy"}, 503))
    assert execution.outcome == "warning"
    assert len(world.sent) == TRIES


def test_on_resume_a_warning_that_went_on_goes_on_again():
    world = FakeWorld({f"GET {BASE}/a": PARTIAL, f"GET {BASE}/b": [said({}, 422), said({})]})
    workflow = chain(http("a", f"{BASE}/a"), http("b", f"{BASE}/b"))
    engine, graded = MendbenchEngine(), detector("graded")
    first = engine.execute(workflow, {}, world, checkpoint=None, detector=graded, clock=world.clock)
    assert first.failures[0].earlier[0].node_id == "a"
    assert "permission" in json.dumps(first.failures[0].earlier[0].message)
    second = engine.execute(workflow, {}, world, checkpoint=first.checkpoint, detector=graded, clock=world.clock)
    assert second.states() == {"a": "warning", "b": "success"}
    assert second.nodes[0].cached
    assert world.calls().count(f"GET {BASE}/a") == 1

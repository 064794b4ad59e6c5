"""The types ``mcp-<server>-<tool>``: a second spelling of ``mcp``."""

import json

import pytest

from mendbench.runtime.engine import MendbenchEngine
from mendbench.runtime.nodes.registry import node_types
from mendbench.runtime.outline import tool_in
from tests.fakes.engine import FakeWorld, chain, rpc

TIME = {"content": [{"type": "text", "text": '{"now": "12:00"}'}]}


def run(*nodes, responses, types=None):
    world = FakeWorld(responses)
    engine = MendbenchEngine(types=types)
    return engine.execute(chain(*nodes), {}, world, checkpoint=None, detector=None, clock=world.clock), world


def both(response, arguments):
    """Runs the call in both spellings."""
    responses = {"POST mcp://clock/get-time": response}
    short = {"id": "ask", "type": "mcp-clock-get-time", "params": arguments}
    long = {"id": "ask", "type": "mcp", "params": {"server": "clock", "tool": "get-time", "arguments": arguments}}
    return run(short, responses=responses), run(long, responses=responses)


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("mcp-clock-now", ("clock", "now")),
        ("mcp-clock-get-time", ("clock", "get-time")),
        ("mcp-slack-SLACK_SEND", ("slack", "SLACK_SEND")),
        ("mcp", None), ("mcp-", None), ("mcp-clock", None), ("mcp-clock-", None), ("mcp--now", None), ("mcpx-a-b", None),
        ("http-a-b", None),
    ],
)  # fmt: skip
def test_the_server_ends_at_the_first_hyphen(name, called):
    assert tool_in(name) == called


def test_its_params_are_the_arguments_and_the_same_request_is_sent():
    (short, sent), (long, also_sent) = both(rpc(TIME), {"zone": "UTC", "server": "mine", "timeout": 3})
    assert sent.sent == also_sent.sent
    assert json.loads(sent.sent[0].body) == {"zone": "UTC", "server": "mine", "timeout": 3}
    assert short.nodes[0].outputs == long.nodes[0].outputs
    assert short.nodes[0].node_type == "mcp-clock-get-time"


def test_a_failure_carries_the_same_details():
    error = {"content": [{"type": "text", "text": "no such zone"}], "isError": True}
    (short, _), (long, _) = both(rpc(error), {})
    one, other = short.failures[0], long.failures[0]
    assert (
        one.mcp_error_details
        == other.mcp_error_details
        == {"server": "clock", "tool": "get-time", "is_tool_error": True}
    )
    assert (one.message, one.mcp_error, one.raw_response) == (other.message, other.mcp_error, other.raw_response)


def test_a_failure_inside_a_result_names_the_tool_too():
    (short, _), (long, _) = both(rpc({"content": [{"type": "text", "text": '{"ok": false, "error": "gone"}'}]}), {})
    assert (
        short.failures[0].mcp_error_details
        == long.failures[0].mcp_error_details
        == {"server": "clock", "tool": "get-time"}
    )


def test_templates_in_its_params_are_resolved_and_any_output_may_be_named():
    model_request = {"id": "ask", "type": "mcp-clock-now", "params": {}}
    again = {"id": "again", "type": "mcp-clock-now", "params": {"at": "${ask.now}"}}
    ended, world = run(model_request, again, responses={"POST mcp://clock/now": rpc(TIME)})
    assert ended.outcome == "success"
    assert world.body() == {"at": "12:00"}


@pytest.mark.parametrize("name", ["", "mcp-clock", "mcp--now", "read-fil", "copy-file", "github-list-issues"])
def test_other_types_are_refused_by_name(name):
    ended, world = run({"id": "ask", "type": name, "params": {}}, responses={})
    assert [failure.message for failure in ended.failures] == [f"Unknown node type: '{name}'"]
    assert world.sent == []


def test_without_the_type_mcp_its_spelling_is_refused_too():
    types = {name: kind for name, kind in node_types().items() if name != "mcp"}
    ended, _ = run({"id": "ask", "type": "mcp-clock-now", "params": {}}, responses={}, types=types)
    assert ended.failures[0].message == "Unknown node type: 'mcp-clock-now'"

"""The MCP servers of a case over streamable HTTP, for the SDK's own client."""

import json
import sys
from pathlib import Path

import pytest

from mendbench.engines import Command, CommandEngine, declared_by
from mendbench.errors import ReplayMiss
from mendbench.secrets.redaction import Redactor
from tests.fakes.at_home import at_home  # noqa: F401  a fixture
from tests.fakes.engine import FakeWorld, fault, rpc
from tests.fakes.engines import executed

here = pytest.mark.usefixtures("at_home")

ADAPTER = Path(__file__).parent / "adapters" / "speaks_mcp.py"
DOCK = {
    "ir_version": "0.1.0", "edges": [],
    "nodes": [{"id": "moor", "type": "mcp", "params": {"server": "harbour", "tool": "moor_boat", "arguments": {"berth": "B 7", "days": 2}}}],
}  # fmt: skip
CALL, LIST = "POST mcp://harbour/moor_boat", "POST mcp://harbour/tools/list"
TOOLS = rpc({"tools": [{"name": "moor_boat", "inputSchema": {"type": "object"}}]})


def engine(*words):
    command = Command(name="mcp", argv=(sys.executable, str(ADAPTER), *words))
    return CommandEngine(command, declared_by(command), Redactor({}))


def text(words, **more):
    return rpc({"content": [{"type": "text", "text": words}], **more})


def test_a_call_reaches_the_world_as_an_exchange_and_its_result_comes_back():
    world = FakeWorld({CALL: text("moored at https://quay.example/7"), LIST: TOOLS})
    execution = executed(engine("list"), DOCK, world)
    assert (execution.outcome, execution.outputs) == ("success", {"moor": "moored at https://quay.example/7"})
    assert (world.calls()[0], world.calls().count(CALL)) == (
        LIST,
        1,
    )  # the client lists the tools again for its own check
    call = next(one for one in world.exchanges if one.request.url.endswith("moor_boat"))
    assert (json.loads(call.request.body), call.node) == ({"berth": "B 7", "days": 2}, "moor")


def missing(_request):
    raise ReplayMiss("POST", nearest=None, differs=(), record="mendbench run")


@here
def test_where_no_list_is_recorded_the_tools_are_those_that_the_workflow_calls():
    world = FakeWorld({CALL: text("moored"), LIST: missing})
    assert executed(engine("list"), DOCK, world).outcome == "success"
    assert world.calls() == [CALL]


@here
@pytest.mark.parametrize(
    ("response", "words"),
    [
        (text("no such berth", isError=True), "no such berth"),
        (rpc(error={"code": -32602, "message": "berth is not a number"}), "berth is not a number"),
        (fault("reset"), "The server gave no response"),
    ],
)
def test_failures_come_as_the_protocol_has_them(response, words):
    execution = executed(engine(), DOCK, FakeWorld({CALL: response, LIST: TOOLS}))
    assert (execution.states(), execution.failures[0].message) == ({"moor": "error"}, words)


@here
def test_a_miss_ends_the_execution():
    with pytest.raises(ReplayMiss):
        executed(engine(), DOCK, FakeWorld({CALL: missing, LIST: TOOLS}))

"""Tool calls: the request of an ``mcp`` node, and each form in which a result is written."""

import json

from mendbench.importing.interface import Dropped
from mendbench.importing.matching import request_form
from mendbench.importing.otel.tools import is_tool_call, tool_exchange
from mendbench.model.exchange import Response
from mendbench.runtime.nodes import mcp
from tests.fakes.otlp import made

CALL = {
    "mcp.method.name": "tools/call",
    "gen_ai.tool.name": "book",
    "server.address": "ferry",
    "gen_ai.tool.call.arguments": '{"to": "Bodø", "seats": 2}',
}


def rpc(**more):
    read = tool_exchange(
        made(
            CALL | {name.replace("__", "."): value for name, value in more.items() if name != "message"},
            message=more.get("message", ""),
        )
    )
    return json.loads(read.response.body)


def test_the_request_is_the_one_that_the_node_sends():
    sent = []

    def send(request):
        sent.append(request)
        return Response(status=200, body=b"{}")

    mcp.run({"server": "ferry", "tool": "book", "arguments": {"seats": 2, "to": "Bodø"}}, send, None)
    assert request_form(tool_exchange(made(CALL)).request) == request_form(sent[0])


def test_a_result_is_read_in_each_form():
    blocks = [{"type": "text", "text": "done"}]
    text = {"content": [{"type": "text", "text": "done"}]}
    table = [
        ("done", text), (blocks, text), (json.dumps(blocks), text), ({"content": blocks, "isError": False}, text | {"isError": False}),
        ({"seat": 4}, {"content": [{"type": "text", "text": '{"seat":4}'}], "structuredContent": {"seat": 4}}),
        ('{"seat": 4}', {"content": [{"type": "text", "text": '{"seat": 4}'}], "structuredContent": {"seat": 4}}),
    ]  # fmt: skip
    for held, result in table:
        assert rpc(gen_ai__tool__call__result=held)["result"] == result, held


def test_errors_of_the_tool_and_of_the_protocol_are_distinguished():
    failed = {"content": [{"type": "text", "text": "no seats"}], "isError": True}
    assert rpc(error__type="tool_error", gen_ai__tool__call__result="no seats")["result"] == failed
    assert rpc(error__type="tool_error", message="no seats")["result"] == failed
    assert rpc(error__type="-32602", message="unknown tool")["error"] == {"code": -32602, "message": "unknown tool"}
    assert tool_exchange(made(CALL | {"error.type": "timeout"})).response.fault == "timeout"


def test_what_the_request_needs_is_named_if_it_is_not_there():
    table = [
        ("server.address", "the span does not name the MCP server"), ("gen_ai.tool.name", "the span does not name the tool"),
        ("gen_ai.tool.call.arguments", "the span does not hold its arguments (gen_ai.tool.call.arguments)"),
    ]  # fmt: skip
    for name, why in table:
        read = tool_exchange(made({key: value for key, value in CALL.items() if key != name}))
        assert isinstance(read, Dropped)
        assert read.why == why
    assert (
        tool_exchange(made(CALL | {"gen_ai.tool.call.arguments": '{"to": "Bo'})).why
        == "its arguments are no JSON, or were cut"
    )
    assert tool_exchange(made(CALL)).response is None


def test_only_the_client_side_is_a_call():
    assert is_tool_call(made({"gen_ai.operation.name": "execute_tool"}, kind="internal"))
    assert not is_tool_call(made(CALL, kind="server"))
    assert not is_tool_call(made(CALL | {"mcp.method.name": "tools/list"}))

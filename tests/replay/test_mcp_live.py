from __future__ import annotations

import json

import pytest
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from mendbench.errors import BadInput
from mendbench.model.exchange import Request
from mendbench.replay.mcp_live import McpLive
from tests.fakes.worlds import get, post


@pytest.fixture
def live():
    server = MCPServer("demo")
    added = []

    @server.tool()
    def add(text: str) -> dict[str, int]:
        added.append(text)
        return {"count": len(added)}

    @server.tool()
    def refuse() -> str:
        raise ToolError("channel_not_found")

    made = McpLive({"Demo": server})
    yield made
    made.close()


def test_a_tool_call_gives_the_whole_json_rpc_object(live):
    answer = live.ask(post("mcp://demo/add", {"text": "x"}))
    body = json.loads(answer.body)
    assert answer.status == 200
    assert (body["jsonrpc"], body["id"]) == ("2.0", 1)
    assert body["result"]["structuredContent"] == {"count": 1}
    assert json.loads(live.ask(post("mcp://demo/add", {"text": "x"})).body)["result"]["structuredContent"] == {
        "count": 2
    }


def test_a_tools_own_error_stays_inside_the_result(live):
    result = json.loads(live.ask(post("mcp://demo/refuse", {})).body)["result"]
    assert result["isError"] is True
    assert "channel_not_found" in result["content"][0]["text"]


def test_the_tools_can_be_listed(live):
    result = json.loads(live.ask(get("mcp://demo/tools/list")).body)["result"]
    assert [tool["name"] for tool in result["tools"]] == ["add", "refuse"]


def test_it_serves_its_own_servers_only(live):
    assert live.serves(get("mcp://demo/tools/list"))
    assert not live.serves(get("mcp://other/tools/list"))
    assert not live.serves(Request(method="GET", url="https://demo/"))


def test_a_server_that_cannot_be_started_is_the_operators_to_mend(tmp_path):
    broken = McpLive({"gone": [str(tmp_path / "no-such-program")]})
    with pytest.raises(BadInput, match="cannot be started"):
        broken.ask(get("mcp://gone/tools/list"))
    broken.close()

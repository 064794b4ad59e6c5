from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
import threading

import pytest
import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CONNECTION_CLOSED, ToolAnnotations

from mendbench.errors import BadInput
from mendbench.live.mcp_servers import McpLive, _annotated
from mendbench.model.exchange import Request
from tests.fakes.misbehaving import http, sends, sends_and_resets
from tests.fakes.misbehaving_mcp import misbehaving_mcp, texts, whatever
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
    response = live.send(post("mcp://demo/add", {"text": "x"}))
    body = json.loads(response.body)
    assert response.status == 200
    assert (body["jsonrpc"], body["id"]) == ("2.0", 1)
    assert body["result"]["structuredContent"] == {"count": 1}
    assert json.loads(live.send(post("mcp://demo/add", {"text": "x"})).body)["result"]["structuredContent"] == {
        "count": 2
    }


def test_a_tools_own_error_stays_inside_the_result(live):
    result = json.loads(live.send(post("mcp://demo/refuse", {})).body)["result"]
    assert result["isError"] is True
    assert "channel_not_found" in result["content"][0]["text"]


def test_the_tools_can_be_listed(live):
    result = json.loads(live.send(get("mcp://demo/tools/list")).body)["result"]
    assert [tool["name"] for tool in result["tools"]] == ["add", "refuse"]


def test_it_serves_its_own_servers_only(live):
    assert live.serves(get("mcp://demo/tools/list"))
    assert not live.serves(get("mcp://other/tools/list"))
    assert not live.serves(Request(method="GET", url="https://demo/"))


def test_a_server_that_cannot_be_started_is_the_operators_to_mend(tmp_path):
    broken = McpLive({"gone": [str(tmp_path / "no-such-program")]})
    with pytest.raises(BadInput, match="cannot be started"):
        broken.send(get("mcp://gone/tools/list"))
    broken.close()


SERVER = """
from mcp.server.mcpserver import MCPServer
server = MCPServer("small")
@server.tool()
def whoami(name: str) -> str:
    return f"you are {name}"
server.run()
"""


def test_a_server_is_spoken_to_over_its_standard_input_and_output(capfd):
    small = McpLive({"small": [sys.executable, "-c", f"import sys; print('noise', file=sys.stderr){SERVER}"]})
    body = json.loads(small.send(post("mcp://small/whoami", {"name": "Ada"})).body)
    small.close()
    assert body["result"]["structuredContent"] == {"result": "you are Ada"}
    assert "noise" not in capfd.readouterr().err


def test_a_server_that_ends_at_once_is_reported_with_its_last_words():
    broken = McpLive({"small": [sys.executable, "-c", "import sys; sys.exit('no key is configured')"]})
    with pytest.raises(BadInput, match=r"MCP server 'small': cannot be started \(no key is configured\)"):
        broken.send(get("mcp://small/tools/list"))
    broken.close()


@contextlib.contextmanager
def streamable(server):
    """Yield the endpoint of a server that is spoken to over HTTP, on a free port."""
    running = uvicorn.Server(uvicorn.Config(server.streamable_http_app(), log_level="error"))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
        running.should_exit = True
        thread.join(20)


def test_a_server_is_spoken_to_over_streamable_http():
    server = MCPServer("far")

    @server.tool()
    def refuse() -> str:
        raise ToolError("not today")

    with streamable(server) as url:
        far = McpLive({"far": url})
        result = json.loads(far.send(post("mcp://far/refuse", {})).body)["result"]
        far.close()
    assert result["isError"] is True
    assert url.rpartition(":")[2] not in json.dumps(result)


def test_an_address_where_nobody_listens_is_the_operators_to_mend():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    nobody = McpLive({"far": f"http://127.0.0.1:{port}/mcp"})
    with pytest.raises(BadInput, match="MCP server 'far': cannot be started"):
        nobody.send(get("mcp://far/tools/list"))
    nobody.close()


def test_a_tool_that_is_annotated_as_reading_only_reads_and_no_other_is_known_to():
    server = MCPServer("notes")

    @server.tool(annotations=ToolAnnotations(read_only_hint=True))
    def look() -> str:
        return "here"

    @server.tool(annotations=ToolAnnotations(read_only_hint=False))
    def put() -> str:
        return "there"

    @server.tool()
    def shrug() -> str:
        return "?"

    notes = McpLive({"notes": server})
    assert notes.reads(post("mcp://notes/look", {})) is None, "it was not asked yet"
    notes.send(post("mcp://notes/look", {}))
    answers = {
        name: notes.reads(post(f"mcp://notes/{name}", {})) for name in ("look", "put", "shrug", "gone", "tools/list")
    }
    notes.close()
    assert answers == {"look": True, "put": None, "shrug": None, "gone": None, "tools/list": True}


BY_HAND = """
import json, os, sys
with open(sys.argv[1], "a") as out:
    out.write(f"{os.getpid()}\\n")
for line in sys.stdin:
    asked = json.loads(line)
    kind, number, params = asked["method"], asked.get("id"), asked.get("params") or {}
    result = None
    if kind == "initialize":
        result = {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}}
    if kind == "tools/list":
        result = LISTED(int(params.get("cursor") or 0))
    if result is not None:
        print(json.dumps({"jsonrpc": "2.0", "id": number, "result": result}), flush=True)
    elif number is not None:
        error = {"code": int(params.get("arguments", {}).get("code", -32601)), "message": "no"}
        print(json.dumps({"jsonrpc": "2.0", "id": number, "error": error}), flush=True)
"""
LOOK = {"name": "look", "annotations": {"readOnlyHint": True}, "inputSchema": {"type": "object"}}


@pytest.fixture
def by_hand(tmp_path):
    """Return what starts a server that lists its tools as an expression says, by the number of the page."""
    made = []

    def start(listed):
        program = BY_HAND.replace("LISTED", f"(lambda page: {listed})")
        made.append(McpLive({"hand": [sys.executable, "-S", "-c", program, str(tmp_path / "pids")]}))
        return made[-1]

    yield start
    for each in made:
        each.close()


def test_a_server_that_gives_no_answer_is_ended_before_another_is_started(by_hand, tmp_path):
    live = by_hand("{'tools': []}")
    for _ in range(2):
        assert live.send(post("mcp://hand/look", {"code": CONNECTION_CLOSED})).fault == "reset"
    pids = [int(line) for line in (tmp_path / "pids").read_text().split()]
    assert len(set(pids)) == 2
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_list_of_tools_without_an_end_is_read_as_far_as_will_do(by_hand):
    live = by_hand(f"{{'tools': [{LOOK}], 'nextCursor': str(page + 1)}}")
    live.send(post("mcp://hand/other", {}))
    answers = []
    asking = threading.Thread(target=lambda: answers.append(live.reads(post("mcp://hand/look", {}))), daemon=True)
    asking.start()
    asking.join(30)
    assert answers == [True]


def test_a_list_of_tools_that_is_not_to_be_had_is_none(by_hand):
    live = by_hand("{'tools': 7, 'nextCursor': 7}")
    live.send(post("mcp://hand/other", {}))
    assert live.reads(post("mcp://hand/look", {})) is None


@pytest.mark.parametrize(
    ("tools", "names"),
    [
        ([LOOK, {"name": "put", "annotations": {"readOnlyHint": "yes"}}, None, 7], {"look"}),
        ([{"name": "put", "annotations": ["readOnlyHint"]}, {"name": "put", "annotations": "readOnlyHint"}], set()),
        (7, set()),
        ({"look": LOOK}, set()),
        (None, set()),
    ],
)
def test_what_a_server_says_of_its_tools_may_be_anything(tools, names):
    assert _annotated(tools) == names


CALL = post("mcp://far/it", {})
TOO_MANY = whatever(sends(http("429 Too Many Requests", b"later", Retry_After="7", Mcp_Session_Id="random")))


@pytest.fixture
def far():
    """Return what starts a server over HTTP that replies to tool calls so, and yields it with what asks it."""
    with contextlib.ExitStack() as held:

        def start(*calls, **more):
            reached = held.enter_context(misbehaving_mcp(calls, **more))
            asking = McpLive({"far": reached.url}, patience_s=5.0)
            held.callback(asking.close)
            return asking, reached

        yield start


def test_a_server_over_http_that_is_busy_is_answered_with_its_status_and_how_long_to_wait(far):
    asking, _ = far(TOO_MANY)
    response = asking.send(CALL)
    assert (response.status, response.fault, response.body) == (429, None, b"later")
    assert response.header("retry-after") == "7"
    assert response.header("mcp-session-id") is None, "it is another one each time"


def test_a_server_that_was_busy_goes_on_with_its_session(far):
    asking, reached = far(TOO_MANY, texts("fine"))
    assert [asking.send(CALL).status for _ in range(2)] == [429, 200]
    assert reached.heard.count("initialize") == 1


def test_a_session_that_is_over_is_followed_by_another_one(far):
    asking, reached = far(whatever(sends(http("404 Not Found"))), texts("fine"))
    assert [asking.send(CALL).status for _ in range(2)] == [404, 200]
    assert reached.heard.count("initialize") == 2


def test_a_server_that_is_busy_when_it_is_first_asked_is_there(far):
    asking, reached = far(texts("fine"), first=[TOO_MANY])
    assert [asking.send(CALL).status for _ in range(2)] == [429, 200]
    assert reached.heard.count("tools/call") == 1


def test_a_server_that_refuses_is_not_asked_for_its_list_of_tools(far):
    asking, reached = far(TOO_MANY)
    asking.send(CALL)
    assert asking.reads(CALL) is None
    assert "tools/list" not in reached.heard


def test_a_connection_that_broke_is_made_again(far):
    asking, reached = far(whatever(sends_and_resets()), texts("fine"))
    assert [asking.send(CALL).fault for _ in range(2)] == ["reset", None]
    assert reached.heard.count("initialize") == 2


def test_a_server_that_was_reached_and_is_gone_is_a_fault_each_time(far):
    asking, _ = far(texts("fine"), leaves=True)
    assert [asking.send(CALL).fault for _ in range(2)] == ["refused", "refused"]


def test_a_server_that_wants_a_key_from_the_first_is_the_operators_to_mend(far):
    asking, _ = far(first=[whatever(sends(http("401 Unauthorized")))])
    with pytest.raises(BadInput, match="MCP server 'far': cannot be started"):
        asking.send(CALL)

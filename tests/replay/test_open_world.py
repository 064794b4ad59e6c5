from __future__ import annotations

import json
import secrets

import pytest
from mcp.server.mcpserver import MCPServer

from mendbench.errors import BadInput, UnknownName
from mendbench.model.exchange import Request, Response
from mendbench.replay.open_world import OpenModelRequests, OpenWorld
from mendbench.secrets.redaction import Redactor
from tests.fakes.engine import completion, ran
from tests.fakes.loopback import loopback
from tests.fakes.worlds import FakeLive, get, json_response, post


class Caller:
    def __init__(self, response):
        self.response, self.model_world = response, []

    def send(self, model_request):
        self.model_world.append(model_request)
        return self.response


def world(response=None, *, secret=None, caller=None, **options):
    redactor = Redactor({"key": secret} if secret else {})
    http = FakeLive(lambda _request: response) if response is not None else None
    return OpenWorld(
        redactor=redactor, model_world=OpenModelRequests(caller or Caller(None), redactor), http=http, **options
    )


def test_a_node_gets_the_real_answer_and_the_exchange_is_kept_with_its_node_and_execution():
    with world(json_response({"a": 1})) as open_world:
        open_world.begin_execution()
        assert open_world.send(get("https://api.test/x"), node="fetch").body == json_response({"a": 1}).body
        (exchange,) = open_world.traffic()
    assert (exchange.node, exchange.phase, exchange.origin, exchange.accepted) == ("fetch", 1, "live", True)


def test_a_failure_inside_a_200_is_not_accepted():
    with world(json_response({"ok": False, "error": "no_text"})) as open_world:
        open_world.send(get("https://api.test/x"))
        assert not open_world.traffic()[0].accepted


def test_a_declared_secret_is_sent_and_neither_kept_nor_handed_back():
    secret = secrets.token_hex(16)
    echoing = FakeLive(lambda request: json_response({"got": request.header("authorization")}))
    redactor = Redactor({"key": secret})
    with OpenWorld(
        redactor=redactor, model_world=OpenModelRequests(Caller(None), redactor), http=echoing
    ) as open_world:
        response = open_world.send(get("https://api.test/x", headers=(("Authorization", f"Bearer {secret}"),)))
    assert echoing.asked[0].header("authorization") == f"Bearer {secret}"
    assert json.loads(response.body) == {"got": "Bearer <secret:key>"}
    assert secret not in repr(open_world.traffic())


def test_who_waits_less_than_the_world_took_gets_a_timeout():
    with world(Response(status=200, elapsed_ms=5001)) as open_world:
        response = open_world.send(Request(method="GET", url="https://api.test/x", timeout_s=5))
    assert response == Response(status=0, fault="timeout", elapsed_ms=5000)


def test_http_is_asked_over_the_wire():
    with loopback({"POST /x": lambda body: (201, {"echo": body})}) as base, world() as open_world:
        response = open_world.send(post(f"{base}/x", {"a": 1}))
        gone = open_world.send(get(f"{base}/gone"))
    assert (response.status, json.loads(response.body)) == (201, {"echo": {"a": 1}})
    assert gone.status == 404


def test_a_model_is_asked_what_the_body_says():
    caller = Caller(completion("hello"))
    with world(caller=caller) as open_world:
        response = open_world.send(post("model://tiny/chat", {"model": "tiny", "messages": []}), node="ask")
    assert caller.model_world == [{"model": "tiny", "messages": []}]
    assert json.loads(response.body)["choices"][0]["message"]["content"] == "hello"
    assert open_world.traffic()[0].node == "ask"


def test_no_shell_command_runs_unless_it_is_allowed():
    with world() as open_world, pytest.raises(BadInput, match="--allow-shell"):
        open_world.send(post("shell://sandbox/", {"command": "true"}))


def test_an_allowed_shell_command_goes_to_the_sandbox(monkeypatch):
    made = []

    class Sandbox:
        def __init__(self, **options):
            made.append(options)

        def send(self, request):
            return ran(stdout=json.loads(request.body)["command"])

    monkeypatch.setattr("mendbench.replay.open_world.ShellLive", Sandbox)
    with world(allow_shell=True, environ={"A": "1"}) as open_world:
        response = open_world.send(
            Request(method="POST", url="shell://sandbox/", body=b'{"command":"ls"}', timeout_s=3)
        )
    assert json.loads(response.body)["stdout"] == "ls"
    assert made == [{"allow_shell": True, "environ": {"A": "1"}, "patience_s": 3}]


def test_an_mcp_server_that_is_not_configured_is_named_with_those_that_are():
    with world(mcp_servers={"Clock": ["true"]}) as open_world, pytest.raises(UnknownName, match="did you mean 'clock'"):
        open_world.send(post("mcp://clok/now", {}))


def test_a_configured_mcp_server_is_called():
    server = MCPServer("demo")

    @server.tool()
    def twice(number: int) -> int:
        return 2 * number

    with world(mcp_servers={"demo": server}) as open_world:
        response = open_world.send(post("mcp://demo/twice", {"number": 4}))
    assert json.loads(response.body)["result"]["structuredContent"] == {"result": 8}


def test_no_other_address_is_asked():
    with world() as open_world, pytest.raises(BadInput, match="ftp://"):
        open_world.send(get("ftp://files.test/x"))


def test_the_repairers_asks_have_their_own_traffic():
    caller = Caller(completion("x"))
    model_world = OpenModelRequests(caller, Redactor({}))
    model_world.begin_execution()
    model_world.send(post("model://tiny/chat", {"model": "tiny"}))
    assert [exchange.phase for exchange in model_world.traffic()] == [1]


def test_files_are_read_and_written_below_the_given_folder(tmp_path):
    with world(folder=tmp_path / "box") as open_world:
        open_world.send(Request(method="PUT", url="file://sandbox/a.txt", body=b"hello"), node="put")
        assert open_world.send(get("file://sandbox/a.txt")).body == b"hello"
        assert open_world.send(get("file://sandbox/..%2Fa.txt")).status == 403
    assert (tmp_path / "box" / "a.txt").read_bytes() == b"hello"
    assert open_world.traffic()[0].node == "put"


@pytest.mark.parametrize("url", ["file:///etc/hostname", "file://elsewhere/a.txt"])
def test_no_file_outside_the_sandbox_folder_is_asked_for(tmp_path, url):
    with world(folder=tmp_path) as open_world, pytest.raises(BadInput, match="nothing can be asked there"):
        open_world.send(get(url))
    with world() as open_world, pytest.raises(BadInput, match="nothing can be asked there"):
        open_world.send(get("file://sandbox/a.txt"))


def test_an_exchange_says_what_it_changed():
    with world(json_response({"ok": True}), caller=Caller(completion("hello"))) as open_world:
        open_world.send(get("https://api.test/x"))
        open_world.send(post("https://api.test/x", {}))
        open_world.send(post("model://tiny/chat", {"model": "tiny", "messages": []}))
        assert [exchange.changed for exchange in open_world.traffic()] == [False, True, False]

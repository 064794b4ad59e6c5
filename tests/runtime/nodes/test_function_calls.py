import json

import pytest
from mcp.server.mcpserver import MCPServer

from mendbench.cassettes.recordings import Recordings
from mendbench.detectors import detector
from mendbench.io.virtual_clock import VirtualClock
from mendbench.replay.model_cassette import ModelCassette
from mendbench.replay.open_world import OpenModelRequests, OpenWorld
from mendbench.replay.world import ScopedWorld
from mendbench.runtime.engine import MendbenchEngine
from mendbench.runtime.nodes.llm import NODE
from mendbench.runtime.observation import run_node
from mendbench.secrets.redaction import Redactor
from tests.fakes.engine import FakeWorld, chain, completion, fault, rpc, said
from tests.fakes.function_calls import LISTING, MODEL, NOW, SCHEMA, TOOLS, calling, clock_world, tool_result
from tests.fakes.worlds import FakeLive

ASK = {"prompt": "What time is it?", "model": "small"}
ZONE = '{"zone": "UTC"}'


def run(world, tools=("clock/now",), **params):
    return NODE.run({**ASK, "tools": list(tools), **params}, world.send, world.clock)


def model_requests(world):
    return [json.loads(request.body) for request in world.sent if request.url.startswith("model:")]


def test_the_model_is_offered_the_tools_as_their_server_lists_them():
    world = clock_world([completion("noon")])
    output = run(world)
    function = {"name": "clock__now", "description": "Return the time.", "parameters": SCHEMA}
    assert world.calls() == [LISTING, MODEL]
    assert world.sent[0].safe
    assert model_requests(world)[0]["tools"] == [{"type": "function", "function": function}]
    assert output.outputs["tool_calls"] == []


def test_functions_have_names_that_the_api_takes_and_that_differ():
    world = clock_world([completion("x")])
    run(world, ("clock/set.alarm", "clock/set-alarm", "clock/now", "clock/now"))
    offered = [tool["function"] for tool in model_requests(world)[0]["tools"]]
    assert [function["name"] for function in offered] == ["clock__set_alarm", "clock__set-alarm", "clock__now"]
    assert offered[1] == {"name": "clock__set-alarm", "parameters": {"type": "object", "properties": {}}}
    long = [{"name": "t" * 70 + end} for end in "ab"]
    world = FakeWorld({LISTING: rpc({"tools": long}), MODEL: completion("x")})
    run(world, [f"clock/{tool['name']}" for tool in long])
    names = [tool["function"]["name"] for tool in model_requests(world)[0]["tools"]]
    assert len(set(names)) == 2
    assert max(map(len, names)) == 64


def test_a_call_is_the_exchange_of_the_mcp_node_and_its_result_goes_back():
    usage = {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4}
    world = clock_world(
        [calling(("clock__now", ZONE), text="Let me see.", **usage), completion("It is noon.", **usage)]
    )
    output = run(world)
    assert output.noticed is None
    assert output.outputs == {
        "response": "It is noon.",
        "llm_usage": {"model": "small", "input_tokens": 6, "output_tokens": 2, "total_tokens": 8},
        "tool_calls": [{"server": "clock", "tool": "now", "arguments": {"zone": "UTC"}, "error": None}],
    }
    assert world.calls() == [LISTING, MODEL, NOW, MODEL]
    assert json.loads(world.sent[2].body) == {"zone": "UTC"}
    first, second = model_requests(world)
    function = {"name": "clock__now", "arguments": ZONE}
    assert second == {
        **first,
        "messages": [
            *first["messages"],
            {
                "role": "assistant",
                "content": "Let me see.",
                "tool_calls": [{"id": "call00001", "type": "function", "function": function}],
            },
            {"role": "tool", "tool_call_id": "call00001", "content": "noon"},
        ],
    }


def test_calls_of_one_answer_are_run_in_order_and_ids_go_on():
    two = calling(("clock__now", ZONE), ("clock__now", ""))
    world = clock_world(
        [two, calling(("clock__now", {"zone": "x"})), completion("done")], rpc({"structuredContent": {"h": 1.0}})
    )
    output = run(world)
    assert [call["arguments"] for call in output.outputs["tool_calls"]] == [{"zone": "UTC"}, {}, {"zone": "x"}]
    back = [message for message in model_requests(world)[-1]["messages"] if message["role"] == "tool"]
    assert [message["tool_call_id"] for message in back] == ["call00001", "call00002", "call00003"]
    assert back[0]["content"] == '{"h":1}'


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (("clock__now", '{"zone": '), "the arguments are no JSON"),
        (("clock__now", '{"zone": NaN}'), "NaN is no JSON value"),
        (("clock__now", "[1]"), "the arguments must be an object, got array"),
        (("clock__now", '{"a":' + "[" * 200 + "]" * 200 + "}"), "the arguments nest too deep"),
        (("clock__now", "[" * 100_000), "the arguments"),
        (("clock__later", "{}"), "there is no function 'clock__later'; there are: clock__now"),
    ],
)
def test_what_is_wrong_with_a_call_is_reported_to_the_model_and_nothing_is_sent(call, error):
    world = clock_world([calling(call), completion("sorry")])
    output = run(world)
    assert output.outputs["response"] == "sorry"
    assert error in output.outputs["tool_calls"][0]["error"]
    assert output.outputs["tool_calls"][0]["arguments"] == call[1]
    assert NOW not in world.calls()
    assert model_requests(world)[-1]["messages"][-1]["content"].startswith("Error: ")
    assert error in model_requests(world)[-1]["messages"][-1]["content"]


@pytest.mark.parametrize(
    ("response", "error", "message"),
    [
        (tool_result("no such zone", failed=True), "no such zone", "Error: no such zone"),
        (rpc(error={"code": -1, "message": "gone"}), "MCP tool failed: gone", "Error: MCP tool failed: gone"),
        (tool_result('{"ok": false, "error": "bad_zone"}'), "bad_zone", '{"error":"bad_zone","ok":false}'),
        (tool_result("Error: bad zone"), "Error: bad zone", "Error: bad zone"),
        (fault("reset"), "was reset", "Error: MCP tool failed: Connection to MCP server clock was reset"),
        (tool_result("Nothing went wrong"), None, "Nothing went wrong"),
    ],
)
def test_a_tools_error_is_reported_to_the_model_and_kept(response, error, message):
    world = clock_world([calling(("clock__now", ZONE)), completion("so it is")], response)
    output = run(world)
    kept = output.outputs["tool_calls"][0]["error"]
    assert kept is None if error is None else error in kept
    assert model_requests(world)[-1]["messages"][-1]["content"].startswith(message)
    assert output.noticed is None


def test_three_similar_errors_in_a_row_end_the_turn_with_the_advice():
    calls = [calling(("clock__now", ZONE), text=f"try {n}") for n in range(5)]
    world = clock_world(calls, tool_result("permission denied: /etc/localtime", failed=True))
    output = run(world)
    assert output.noticed.kind == "llm"
    assert "The same kind of error keeps coming back (permissions)" in output.noticed.message
    assert output.outputs["error"] == output.noticed.message
    assert output.outputs["response"] == "try 0\ntry 1\ntry 2"
    assert len(output.outputs["tool_calls"]) == world.calls().count(NOW) == 3
    assert world.calls()[-1] == NOW


def test_three_errors_of_two_kinds_do_not_end_it():
    calls = [*[calling(("clock__now", ZONE))] * 3, completion("well")]
    responses = [
        tool_result(words, failed=True) for words in ("permission denied", "out of memory", "permission denied")
    ]
    assert run(clock_world(calls, responses)).outputs["response"] == "well"


def test_the_rest_of_a_round_is_not_run_once_the_turn_has_ended():
    world = clock_world([calling(*[("clock__now", ZONE)] * 9)], tool_result("disk full", failed=True))
    assert len(run(world).outputs["tool_calls"]) == 3


@pytest.mark.parametrize(
    ("params", "limit"),
    [({}, 20), ({"provider": "openai"}, 20), ({"provider": "mistral"}, 30), ({"provider": "Mistral"}, 30)],
)
def test_a_model_that_calls_in_circles_is_ended_at_its_providers_limit(params, limit):
    world = clock_world(lambda _request: calling(("clock__now", ZONE), text="once more"))
    output = run(world, **params)
    assert output.noticed.kind == "llm"
    assert output.noticed.message == output.outputs["error"] == "Maximum function call depth exceeded"
    assert world.calls().count(NOW) == len(output.outputs["tool_calls"]) == limit
    assert output.outputs["response"].splitlines() == ["once more"] * (limit + 1)
    assert (
        NODE.run({**ASK, "tools": ["clock/now"]}, clock_world([completion("x")]).send, VirtualClock()).noticed is None
    )


def test_a_model_that_fails_in_the_middle_keeps_what_was_done():
    world = clock_world([calling(("clock__now", ZONE), text="I look."), said({"error": "busy"}, 503)])
    output = run(world)
    assert output.noticed.message == "LLM call failed: busy"
    assert output.outputs["response"] == "I look."
    assert len(output.outputs["tool_calls"]) == 1


@pytest.mark.parametrize(
    ("tools", "words"),
    [
        ("clock/now", "'tools' must be an array, got string"),
        ([1], "must hold strings, got number"),
        (["clock"], "names like 'server/tool', got 'clock'"),
        (["/now"], "names like 'server/tool'"),
        (["clock/noww"], "has no tool 'noww', did you mean 'clock/now'\\? It has: now, set-alarm, set.alarm"),
    ],
)
def test_tools_that_cannot_be_offered_are_refused_before_the_model_is_asked(tools, words):
    world = clock_world([completion("x")])
    with pytest.raises((TypeError, ValueError), match=words):
        NODE.run({**ASK, "tools": tools}, world.send, world.clock)
    assert MODEL not in world.calls()


@pytest.mark.parametrize(
    ("response", "kind", "words"),
    [
        (fault("refused"), "transport", "Could not connect to MCP server clock"),
        (said("gone", 410), "mcp", "HTTP 410"),
        (rpc(error={"code": -32601, "message": "no listing"}), "mcp", "no listing"),
        (rpc({"tools": None}), "llm", "the answer holds no list of tools"),
        (rpc(["now"]), "llm", "the answer holds no list of tools"),
    ],
)
def test_a_server_that_does_not_list_its_tools_is_a_failure_of_the_node(response, kind, words):
    world = FakeWorld({LISTING: response, MODEL: completion("x")})
    output = run(world)
    assert output.noticed.kind == kind
    assert words in output.noticed.message
    assert MODEL not in world.calls()


@pytest.mark.parametrize("name", [None, "structural", "minimal"])
def test_a_list_that_is_none_is_an_error_whoever_judges_it(name):
    world = FakeWorld({LISTING: rpc({}), MODEL: completion("x")})
    document = chain({"id": "ask", "type": "llm", "params": {**ASK, "tools": ["clock/now"]}})
    judge = detector(name) if name else None
    ended = MendbenchEngine().execute(document, {}, world, checkpoint=None, detector=judge, clock=world.clock)
    assert ended.outcome == "error"


def test_no_tools_are_offered_as_none():
    world = clock_world([completion("x")])
    assert run(world, ()).outputs["tool_calls"] == []
    assert "tools" not in model_requests(world)[0]


def test_an_error_of_the_node_is_an_error_of_the_workflow():
    world = clock_world(lambda _request: calling(("clock__now", ZONE)))
    document = chain({"id": "ask", "type": "llm", "params": {**ASK, "tools": ["clock/now"]}})
    ended = MendbenchEngine().execute(document, {}, world, checkpoint=None, detector=None, clock=world.clock)
    (failure,) = ended.failures
    assert failure.message == "Maximum function call depth exceeded"
    assert failure.category == "execution_failure"
    assert run_node(NODE, {**ASK, "tools": ["clock/x"]}, world.send, world.clock).exception == "ValueError"


class Model:
    """Gives its answers in turn."""

    def __init__(self, *responses):
        self.left = list(responses)

    def send(self, model_request):
        del model_request
        return self.left.pop(0)


def scope(folder, mode="none", caller=None, live=None):
    clock, recordings, redactor = VirtualClock(), Recordings.open(folder), Redactor({})
    model_requests = ModelCassette(recordings=recordings, redactor=redactor, mode=mode, caller=caller)
    return ScopedWorld(
        recordings=recordings, services={}, hosts={"clock": "clock"}, redactor=redactor, clock=clock, mode=mode,
        live=live, model_world=model_requests,
    ), clock  # fmt: skip


def test_a_turn_is_recorded_and_replayed_without_server_and_model(tmp_path):
    def served(request):
        return rpc({"tools": TOOLS}) if request.safe else tool_result("noon")

    def played(mode="none", **options):
        world, clock = scope(tmp_path, mode, **options)
        return NODE.run({**ASK, "tools": ["clock/now"]}, world.send, clock).outputs, world.traffic()

    model = Model(calling(("clock__now", ZONE)), calling(("clock__now", ZONE)), completion("noon"))
    recorded, sent = played("new_episodes", caller=model, live=FakeLive(served))
    replayed, again = played()
    assert replayed == recorded
    assert recorded["response"] == "noon"
    assert len(recorded["tool_calls"]) == 2
    assert [exchange.key for exchange in again] == [exchange.key for exchange in sent]
    assert len(again) == 6


def test_tools_of_a_real_server_are_listed_and_called():
    server = MCPServer("clock")

    @server.tool()
    def now(zone: str) -> str:
        return f"noon in {zone}"

    redactor = Redactor({})
    model = OpenModelRequests(Model(calling(("clock__now", ZONE)), completion("noon")), redactor)
    with OpenWorld(redactor=redactor, model_world=model, mcp_servers={"clock": server}) as world:
        output = NODE.run({**ASK, "tools": ["clock/now"]}, world.send, VirtualClock())
        model_request = json.loads(world.traffic()[-1].request.body)
    assert output.outputs["response"] == "noon"
    assert model_request["tools"][0]["function"]["parameters"]["required"] == ["zone"]
    assert "noon in UTC" in model_request["messages"][-1]["content"]

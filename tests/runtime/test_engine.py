import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.errors import ReplayMiss
from mendbench.model.execution import Judgement
from mendbench.runtime import engine as engine_module
from mendbench.runtime.engine import MendbenchEngine
from mendbench.runtime.nodes.interface import NodeOutput, NodeType
from mendbench.runtime.nodes.registry import node_types
from mendbench.runtime.outline import NodeSpec
from mendbench.secrets.redaction import Redactor
from tests.fakes.engine import FakeDetector, FakeWorld, chain, completion, fault, http, ran, rpc, said

BASE = "https://api.example.com"
USER = said({"id": "U1", "user": {"name": "ada"}})


def execute(workflow, world, inputs=None, *, detector=None, checkpoint=None, engine=None):
    return (engine or MendbenchEngine()).execute(
        workflow, inputs or {}, world, checkpoint=checkpoint, detector=detector, clock=world.clock
    )


def greet(text="Hi ${fetch.response.user.name}", **rest):
    return chain(http("fetch", f"{BASE}/user"), http("post", f"{BASE}/post", body={"text": text}), **rest)


# success


def test_data_flows_along_the_edges_and_every_node_succeeds():
    world = FakeWorld({f"GET {BASE}/user": USER, f"POST {BASE}/post": said({"ts": "1"})})
    execution = execute(
        greet(outputs={"ts": {"source": "${post.response.ts}"}, "gone": {"source": "${post.response.gone}"}}), world
    )
    assert execution.outcome == "success"
    assert execution.states() == {"fetch": "success", "post": "success"}
    assert world.body() == {"text": "Hi ada"}
    assert execution.outputs == {"ts": "1"}
    assert execution.failures == ()
    assert execution.duration_ms == 20
    assert [record.duration_ms for record in execution.nodes] == [10, 10]


def test_a_whole_template_keeps_the_type_of_its_value():
    world = FakeWorld({f"GET {BASE}/user": said({"tags": ["a"], "n": 3, "none": None}), f"POST {BASE}/post": said({})})
    body = {"tags": "${fetch.response.tags}", "n": "${fetch.response.n}", "none": "${fetch.response.none}"}
    execute(chain(http("fetch", f"{BASE}/user"), http("post", f"{BASE}/post", body=body)), world)
    assert world.body() == {"tags": ["a"], "n": 3, "none": None}


def test_explicit_inputs_come_before_defaults_and_are_coerced():
    inputs = {
        "n": {"type": "number", "default": 1},
        "who": {"type": "string", "default": "ada"},
        "opt": {"type": "string", "required": False},
    }
    world = FakeWorld({f"POST {BASE}/post": said({})})
    workflow = chain(http("post", f"{BASE}/post", body={"n": "${n}", "who": "${who}", "opt": "${opt}"}), inputs=inputs)
    execute(workflow, world, {"n": "5"})
    assert world.body() == {"n": 5, "who": "ada", "opt": None}


def test_nodes_that_no_edge_reaches_do_not_run():
    world = FakeWorld({f"GET {BASE}/a": said({})})
    execution = execute(chain(http("a", f"{BASE}/a"), http("b", f"{BASE}/b"), edges=[]), world)
    assert execution.outcome == "success"
    assert execution.states() == {"a": "success", "b": "not_run"}


def test_a_start_node_may_be_named():
    world = FakeWorld({f"GET {BASE}/b": said({})})
    execution = execute(chain(http("a", f"{BASE}/a"), http("b", f"{BASE}/b"), edges=[], start_node="b"), world)
    assert execution.states() == {"a": "not_run", "b": "success"}


def test_every_type_runs_in_one_workflow():
    world = FakeWorld(
        {
            f"GET {BASE}/items": said([{"id": 1}, {"id": 2}]),
            "POST shell://sandbox/": ran('{"total": 2}\n'),
            "POST model://small/chat": completion("```\nTwo items\n```"),
            "POST mcp://slack/post": rpc({"content": [{"type": "text", "text": '{"ok": true, "ts": "9"}'}]}),
        }
    )
    workflow = chain(
        http("items", f"{BASE}/items"),
        {"id": "ids", "type": "transform", "params": {"data": "${items.response}", "expression": "[].id"}},
        {"id": "count", "type": "shell", "params": {"command": "jq length", "stdin": "${ids.result}"}},
        {"id": "say", "type": "llm", "params": {"model": "small", "prompt": "There are ${count.stdout.total}"}},
        {
            "id": "post",
            "type": "mcp",
            "params": {"server": "slack", "tool": "post", "arguments": {"text": "${say.response}"}},
        },
        outputs={"ts": {"source": "${post.ts}"}},
    )
    execution = execute(workflow, world)
    assert execution.outcome == "success", execution.failures
    assert world.body(1)["stdin"] == "[1, 2]"
    assert world.body(2)["messages"][0]["content"] == "There are 2"
    assert world.body() == {"text": "Two items"}
    assert execution.outputs == {"ts": "9"}


# noticing and judging


@pytest.mark.parametrize(
    ("response", "kind", "message"),
    [
        (said({"message": "Not Found"}, 404), "http", "HTTP 404"),
        (fault("dns"), "transport", f"Could not connect to {BASE}/a: the host name does not resolve"),
        (said({"ok": False, "error": "channel_not_found"}), "envelope", "channel_not_found"),
        (said({"data": None, "errors": [{"message": "Could not resolve"}]}), "envelope", "Could not resolve"),
    ],
)
def test_a_failure_is_noticed_and_without_a_detector_it_is_an_error(response, kind, message):
    execution = execute(chain(http("a", f"{BASE}/a"), http("b", f"{BASE}/b")), FakeWorld({f"GET {BASE}/a": response}))
    assert execution.outcome == "error"
    assert execution.states() == {"a": "error", "b": "not_run"}
    record = execution.nodes[0]
    assert (record.observation.kind, record.message, record.action) == (kind, message, "error")
    assert execution.failures[0].message == message
    assert execution.checkpoint.failed_node == "a"
    assert execution.checkpoint.completed == {}


def test_the_detector_sees_the_answer_as_it_came():
    detector = FakeDetector("error")
    response = said({"ok": False, "error": "ratelimited"}, 200, Retry_After="30")
    execute(chain(http("a", f"{BASE}/a")), FakeWorld({f"GET {BASE}/a": response}), detector=detector)
    observation = detector.seen[0]
    assert (observation.kind, observation.node_id, observation.node_type, observation.status) == (
        "envelope",
        "a",
        "http",
        200,
    )
    assert observation.headers == {"retry-after": "30"}
    assert observation.body == {"ok": False, "error": "ratelimited"}
    assert observation.outputs["status_code"] == 200


def test_a_detector_is_not_asked_about_what_did_not_fail():
    detector = FakeDetector()
    execute(chain(http("a", f"{BASE}/a")), FakeWorld({f"GET {BASE}/a": said({"ok": True})}), detector=detector)
    assert detector.seen == []


def test_a_warning_stops_the_run_and_counts_as_completed():
    world = FakeWorld({f"GET {BASE}/a": said({"ok": False, "error": "channel_not_found"})})
    execution = execute(chain(http("a", f"{BASE}/a"), http("b", f"{BASE}/b")), world, detector=FakeDetector())
    assert execution.outcome == "warning"
    assert execution.states() == {"a": "warning", "b": "not_run"}
    assert [(warning.node_id, warning.message) for warning in execution.warnings] == [
        ("a", "API error: channel_not_found")
    ]
    failure = execution.failures[0]
    assert (failure.source, failure.category, failure.fixable) == ("api", "non_repairable", False)
    assert execution.checkpoint.completed["a"].state == "warning"
    assert execution.nodes[0].action == "error"


def test_a_failure_judged_to_be_none_goes_on():
    world = FakeWorld({f"GET {BASE}/a": said({}, 404), f"GET {BASE}/b": said({})})
    execution = execute(chain(http("a", f"{BASE}/a"), http("b", f"{BASE}/b")), world, detector=FakeDetector("success"))
    assert execution.outcome == "success"
    assert execution.nodes[0].state == "success"
    assert execution.nodes[0].observation.message == "HTTP 404"
    assert execution.nodes[0].message is None


# edges with actions

HANDLED = [("a", "b"), ("a", "c", "error")]


def test_an_error_takes_the_error_edge():
    world = FakeWorld({f"GET {BASE}/a": said({}, 404), f"GET {BASE}/c": said({})})
    workflow = chain(http("a", f"{BASE}/a"), http("b", f"{BASE}/b"), http("c", f"{BASE}/c"), edges=HANDLED)
    execution = execute(workflow, world)
    assert execution.outcome == "success"
    assert execution.states() == {"a": "error", "b": "not_run", "c": "success"}
    assert execution.failures == ()


def test_a_warning_takes_the_error_edge_and_is_still_said():
    world = FakeWorld({f"GET {BASE}/a": said({}, 404), f"GET {BASE}/c": said({})})
    workflow = chain(http("a", f"{BASE}/a"), http("b", f"{BASE}/b"), http("c", f"{BASE}/c"), edges=HANDLED)
    execution = execute(workflow, world, detector=FakeDetector())
    assert execution.outcome == "warning"
    assert execution.states() == {"a": "warning", "b": "not_run", "c": "success"}
    assert len(execution.warnings) == 1
    assert execution.failures == ()


def test_a_warning_takes_its_own_edge_before_the_error_edge():
    world = FakeWorld({f"GET {BASE}/a": said({}, 404), f"GET {BASE}/b": said({})})
    edges = [("a", "b", "warning"), ("a", "c", "error")]
    workflow = chain(http("a", f"{BASE}/a"), http("b", f"{BASE}/b"), http("c", f"{BASE}/c"), edges=edges)
    assert execute(workflow, world, detector=FakeDetector()).states() == {
        "a": "warning",
        "b": "success",
        "c": "not_run",
    }
    assert execute(workflow, world, detector=FakeDetector("error")).states() == {
        "a": "error",
        "b": "not_run",
        "c": "error",
    }


def test_without_a_detector_a_failure_goes_the_way_that_a_warning_would():
    world = FakeWorld({f"GET {BASE}/a": said({}, 404), f"GET {BASE}/b": said({})})
    edges = [("a", "b", "warning"), ("a", "c", "error")]
    workflow = chain(http("a", f"{BASE}/a"), http("b", f"{BASE}/b"), http("c", f"{BASE}/c"), edges=edges)
    assert execute(workflow, world).states() == {"a": "error", "b": "success", "c": "not_run"}


def test_an_unresolved_template_can_be_handled_too():
    world = FakeWorld({f"GET {BASE}/user": USER, f"POST {BASE}/alarm": said({})})
    workflow = greet("${fetch.response.nope}")
    workflow["nodes"].append(http("alarm", f"{BASE}/alarm", body={"why": "${post.error}"}))
    workflow["edges"].append({"from": "post", "to": "alarm", "action": "error"})
    execution = execute(workflow, world)
    assert execution.states() == {"fetch": "success", "post": "error", "alarm": "success"}
    assert world.body()["why"].startswith("Unresolved variables in parameter 'body.text'")


def test_a_node_may_name_its_own_action():
    fork = NodeType(
        type="fork",
        spec=NodeSpec(params=frozenset(), required=frozenset(), outputs=frozenset()),
        run=lambda params, send, clock: NodeOutput(outputs={}, action="left"),
    )
    engine = MendbenchEngine(types={**node_types(), "fork": fork})
    edges = [("f", "a"), ("f", "b", "left")]
    workflow = chain({"id": "f", "type": "fork"}, http("a", f"{BASE}/a"), http("b", f"{BASE}/b"), edges=edges)
    execution = execute(workflow, FakeWorld({f"GET {BASE}/b": said({})}), engine=engine)
    assert execution.states() == {"f": "success", "a": "not_run", "b": "success"}


# templates


def test_an_unresolved_template_keeps_the_node_from_running():
    world = FakeWorld({f"GET {BASE}/user": USER})
    execution = execute(greet("Hi ${fetch.response.user.username}, ${fetch.response.id}"), world)
    assert world.calls() == [f"GET {BASE}/user"]
    assert execution.nodes[1].observation.kind == "template"
    assert execution.failures[0].category == "template_error"


def test_data_that_looks_like_a_template_is_data():
    world = FakeWorld({f"GET {BASE}/user": said({"user": {"name": "${x}"}}), f"POST {BASE}/post": said({})})
    assert execute(greet(), world).outcome == "success"
    assert world.body() == {"text": "Hi ${x}"}


# what does not run at all


def test_a_document_that_does_not_validate_sends_nothing():
    world = FakeWorld()
    workflow = chain(http("a", f"{BASE}/a"), {"id": "b", "type": "shel", "params": {}})
    execution = execute(workflow, world)
    assert execution.outcome == "error"
    assert execution.states() == {"a": "not_run", "b": "not_run"}
    assert {failure.source for failure in execution.failures} == {"validation"}
    assert "Unknown node type: 'shel'" in " ".join(failure.message for failure in execution.failures)
    assert world.sent == []
    assert any("shel" in line for line in MendbenchEngine().validate(workflow, {}))


def test_a_document_that_does_not_validate_leaves_the_checkpoint_as_it_was():
    world = FakeWorld({f"GET {BASE}/user": USER, f"POST {BASE}/post": said({}, 422)})
    first = execute(greet(), world)
    broken = execute({"nodes": "none"}, world, checkpoint=first.checkpoint)
    assert broken.checkpoint == first.checkpoint
    assert broken.nodes == ()


@pytest.mark.parametrize(
    "document",
    [{}, {"nodes": []}, {"nodes": [5]}, {"ir_version": "0.1.0", "nodes": [{"id": "a"}]}, {"nodes": {"a": 1}}],
)
def test_no_document_breaks_the_engine(document):
    execution = execute(document, FakeWorld())
    assert execution.outcome == "error"
    assert execution.failures


# foreign code


def node_that(run):
    spec = NodeSpec(params=frozenset(), required=frozenset(), outputs=None)
    return MendbenchEngine(types={"odd": NodeType(type="odd", spec=spec, run=run)})


def test_what_a_node_raises_is_a_failure():
    def run(params, send, clock):
        raise KeyError("gone")

    execution = execute(chain({"id": "n", "type": "odd"}), FakeWorld(), engine=node_that(run))
    assert execution.outcome == "error"
    assert (execution.failures[0].category, execution.failures[0].exception_type) == ("exception", "KeyError")


def test_a_node_that_gives_back_nothing_is_a_failure():
    execution = execute(
        chain({"id": "n", "type": "odd"}), FakeWorld(), engine=node_that(lambda params, send, clock: None)
    )
    assert execution.failures[0].exception_type == "TypeError"


def test_an_effect_that_escapes_is_no_failure_of_the_node():
    def miss(request):
        raise ReplayMiss("GET x", nearest=None, differs=(), record="record it")

    with pytest.raises(ReplayMiss):
        execute(chain(http("a", f"{BASE}/a")), FakeWorld({f"GET {BASE}/a": miss}))


# secrets


def test_a_secret_input_stays_out_of_everything_but_the_checkpoint():
    secret = "s3" + "x" * 20
    redactor = Redactor({"k": secret})
    engine = MendbenchEngine(redact=redactor.value)
    workflow = chain(
        http("a", f"{BASE}/a?key=${{k}}", auth_token="${k}"),
        http("b", f"{BASE}/b", headers={"X": "${k}"}, body={"v": "${a.response.nope}", "w": "${k}"}),
        inputs={"k": {"type": "string"}},
    )
    for response in (said({"id": 1}), fault("dns")):
        world = FakeWorld({f"GET {BASE}/a?key={secret}": response}, redact=redactor.request)
        execution = execute(workflow, world, {"k": secret}, engine=engine)
        assert execution.outcome == "error"
        assert world.sent[0].header("authorization") == f"Bearer {secret}"
        assert secret not in repr(replace(execution, checkpoint=None))
        assert secret not in json.dumps(engine.describe(workflow, execution))


# any answer at all

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["ok", "error", "errors", "message", "data", "result", "success", "isError", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=15,
)
responses = st.one_of(json_values.map(json.dumps), st.text(max_size=40), st.just("<html><body>502</body></html>")).map(
    str.encode
) | st.binary(max_size=40)


class Picky:
    name = "picky"

    def judge(self, observation):
        states = ("success", "warning", "error")
        return Judgement(state=states[len(observation.message) % 3], message=observation.message)


@given(
    responses,
    st.sampled_from([200, 201, 204, 302, 400, 404, 422, 500]),
    st.sampled_from(["http", "mcp"]),
    st.booleans(),
)
def test_no_answer_breaks_the_engine_or_loses_a_state(raw, status, kind, judged):
    second = (
        http("b", f"{BASE}/b") if kind == "http" else {"id": "b", "type": "mcp", "params": {"server": "s", "tool": "t"}}
    )
    world = FakeWorld(
        {f"GET {BASE}/a": said({"id": 1}), f"GET {BASE}/b": said(raw, status), "POST mcp://s/t": said(raw, status)}
    )
    workflow = chain(http("a", f"{BASE}/a"), second, http("c", f"{BASE}/c"))
    execution = execute(workflow, world, detector=Picky() if judged else None)
    assert set(execution.states()) == {"a", "b", "c"}
    assert execution.states()["a"] == "success"
    assert execution.nodes[1].state in ("success", "warning", "error")
    assert (execution.nodes[1].observation is None) <= (execution.nodes[1].state == "success")
    assert (execution.outcome == "success") == (not execution.failures)
    assert "a" in execution.checkpoint.completed
    json.dumps(MendbenchEngine().describe(workflow, execution))


# documents that are met again


@pytest.fixture
def validated(monkeypatch):
    """Return the documents that are validated from now on."""
    documents = []
    validate = engine_module.validate
    monkeypatch.setattr(
        engine_module, "validate", lambda document, *given: documents.append(document) or validate(document, *given)
    )
    engine_module._cached.cache_clear()
    return documents


def test_a_document_that_is_validated_and_then_run_is_looked_through_once(validated):
    world = FakeWorld({f"GET {BASE}/user": USER, f"POST {BASE}/post": said({})})
    for _ in range(2):
        assert MendbenchEngine().validate(greet(), {}) == ()
        assert execute(greet(), world).outcome == "success"
    assert len(validated) == 1


@pytest.mark.parametrize("other", [{"b": 2, "a": 1}, {"a": 1.0, "b": 2}, {"a": True, "b": 2}])
def test_documents_that_are_only_equal_are_run_each_as_it_is_written(other):
    sent = []
    for body in ({"a": 1, "b": 2}, other):
        world = FakeWorld({f"POST {BASE}/post": said({})})
        execute(chain(http("post", f"{BASE}/post", body=body)), world)
        sent.append(json.dumps(world.body()))
    assert sent == [json.dumps({"a": 1, "b": 2}), json.dumps(other)]


def test_whoever_changes_a_document_afterwards_changes_no_later_run_of_the_one_it_was():
    world = FakeWorld({f"POST {BASE}/post": said({})})
    document = chain(http("post", f"{BASE}/post", body={"tags": ["a"]}))
    execute(document, world)
    document["nodes"][0]["params"]["body"]["tags"].append("b")
    execute(chain(http("post", f"{BASE}/post", body={"tags": ["a"]})), world)
    assert world.body() == {"tags": ["a"]}
    execute(document, world)
    assert world.body() == {"tags": ["a", "b"]}


def test_what_is_wrong_with_a_document_hangs_on_its_inputs_and_on_the_types_that_there_are():
    document = chain(http("a", f"{BASE}/${{who}}"), inputs={"who": {"type": "string", "required": True}})
    assert MendbenchEngine().validate(document, {"who": "ada"}) == ()
    assert MendbenchEngine().validate(document, {}) != ()
    assert MendbenchEngine(types={}).validate(document, {"who": "ada"}) != ()
    assert MendbenchEngine().validate(document, {"who": "ada"}) == ()


def test_what_is_wrong_with_a_document_that_is_too_deep_to_be_written_is_still_reported():
    deep = []
    for _ in range(5_000):
        deep = [deep]
    assert MendbenchEngine().validate({"nodes": [], "deep": deep}, {}) != ()

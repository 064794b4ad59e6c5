import copy
import json
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from mendbench.model.execution import Judgement
from mendbench.runtime.engine import MendbenchEngine
from mendbench.runtime.formatter import agent_json
from tests.fakes.engine import FakeDetector, FakeWorld, chain, completion, http, ran, said

BASE = "https://api.example.com"
ENGINE = MendbenchEngine()


def execute(workflow, responses, *, detector=None, checkpoint=None):
    world = responses if isinstance(responses, FakeWorld) else FakeWorld(responses)
    return ENGINE.execute(workflow, {}, world, checkpoint=checkpoint, detector=detector, clock=world.clock)


def three(v=1):
    return chain(
        http("fetch", f"{BASE}/fetch"), http("send", f"{BASE}/send", body={"v": v}), http("notify", f"{BASE}/notify")
    )


def responses():
    return {
        f"GET {BASE}/fetch": said({"id": 1}, elapsed_ms=150),
        f"POST {BASE}/send": said({"message": "Bad"}, 422, elapsed_ms=50, X_Id="7"),
    }


def test_a_failed_run_has_the_structure_of_the_agent_error_format():
    execution = execute(three(), responses())
    digest = execution.checkpoint.completed["fetch"].shown_digest
    assert agent_json(three(), execution) == {
        "success": False,
        "error": "HTTP 422",
        "errors": [
            {
                "source": "runtime",
                "category": "api_validation",
                "message": "HTTP 422",
                "action": "error",
                "node_id": "send",
                "fixable": True,
                "status_code": 422,
                "raw_response": {"message": "Bad"},
                "response_headers": {"x-id": "7"},
                "response_time": 0.05,
            }
        ],
        "checkpoint": {
            "completed_nodes": ["fetch"],
            "node_actions": {"fetch": "default"},
            "node_hashes": {"fetch": digest},
            "failed_node": "send",
        },
        "execution": {
            "duration_ms": 200,
            "nodes_executed": 1,
            "nodes_total": 3,
            "steps": [
                {"node_id": "fetch", "status": "completed", "duration_ms": 150, "cached": False, "repaired": False},
                {"node_id": "send", "status": "failed", "duration_ms": 50, "cached": False, "repaired": False},
                {"node_id": "notify", "status": "not_executed", "duration_ms": None, "cached": False},
            ],
        },
        "metrics": {"duration_ms": 200, "total_cost_usd": 0.0, "nodes_executed": 1},
    }


def test_a_resumed_run_shows_what_was_cached_and_what_was_repaired():
    world = FakeWorld(
        {f"GET {BASE}/fetch": said({"id": 1}), f"POST {BASE}/send": said({}), f"GET {BASE}/notify": said({}, 404)}
    )
    first = execute(three(1), world)
    second = execute(three(2), world, checkpoint=first.checkpoint)
    steps = agent_json(three(2), second)["execution"]["steps"]
    assert [(step["status"], step["cached"], step["repaired"]) for step in steps] == [
        ("completed", True, False),
        ("completed", False, True),
        ("failed", False, False),
    ]


def test_a_template_error_lists_available_fields_and_no_enrichment():
    workflow = chain(http("fetch", f"{BASE}/fetch"), http("send", f"{BASE}/send", body="${fetch.response.nope}"))
    shown = agent_json(workflow, execute(workflow, {f"GET {BASE}/fetch": said({f"k{n}": n for n in range(30)})}))
    error = shown["errors"][0]
    assert len(error["available_fields"]) == 20
    assert error["available_fields_total"] > 20
    assert error["available_fields_truncated"] is True
    assert not {"problems", "upstream", "upstream_data", "suggestion", "request_sent", "node_type", "unresolved"} & set(
        error
    )


def test_few_fields_need_no_total():
    workflow = chain(http("fetch", f"{BASE}/fetch"), http("send", f"{BASE}/send", body="${fetch.response.nope}"))
    error = agent_json(workflow, execute(workflow, {f"GET {BASE}/fetch": said({"id": 1})}))["errors"][0]
    assert error["available_fields"] == [
        "fetch.response",
        "fetch.response.id",
        "fetch.status_code",
        "fetch.response_headers",
        "fetch.response_time",
    ]
    assert "available_fields_total" not in error


def test_a_shell_failure_shows_its_streams():
    workflow = chain({"id": "s", "type": "shell", "params": {"command": "x"}})
    error = agent_json(workflow, execute(workflow, {"POST shell://sandbox/": ran("", "bad", 3)}))["errors"][0]
    assert (error["shell_exit_code"], error["shell_stderr"], error["shell_command"]) == (3, "bad", "x")
    assert "status_code" not in error


def test_a_static_problem_is_shown_without_any_step():
    workflow = chain({"id": "s", "type": "shel", "params": {}})
    shown = agent_json(workflow, execute(workflow, {}))
    assert shown["errors"][0]["source"] == "validation"
    assert shown["execution"]["steps"][0]["status"] == "not_executed"


def test_credentials_in_answers_are_not_shown():
    token = "v" * 24
    body = {"message": "Bad", "access_token": token, "nested": [{"password": token}]}
    execution = execute(chain(http("a", f"{BASE}/a")), {f"GET {BASE}/a": said(body, 400, Set_Cookie=token)})
    before = copy.deepcopy(execution)
    shown = agent_json(three(), execution)
    assert token not in json.dumps(shown)
    assert shown["errors"][0]["raw_response"]["message"] == "Bad"
    assert execution == before


def test_a_success_says_so_and_gives_its_outputs():
    workflow = chain(http("a", f"{BASE}/a"), outputs={"id": {"source": "${a.response.id}"}})
    shown = agent_json(workflow, execute(workflow, {f"GET {BASE}/a": said({"id": 1})}))
    assert (shown["success"], shown["error"], shown["errors"], shown["status"]) == (True, None, [], "success")
    assert shown["outputs"] == {"id": 1}
    assert shown["warnings"] == []


def test_a_run_that_a_warning_stopped_says_what_the_warning_is():
    workflow = three()
    shown = agent_json(workflow, execute(workflow, responses(), detector=FakeDetector()))
    assert (shown["success"], shown["status"], shown["error"]) == (False, "warning", "API error: HTTP 422")
    assert shown["warnings"] == [{"node_id": "send", "message": "API error: HTTP 422"}]
    assert shown["checkpoint"]["completed_nodes"] == ["fetch", "send"]


def test_a_model_that_was_asked_makes_the_cost_unknown():
    workflow = chain({"id": "m", "type": "llm", "params": {"prompt": "p", "model": "m"}})
    execution = execute(workflow, {"POST model://m/chat": completion("x")})
    assert agent_json(workflow, execution)["metrics"]["total_cost_usd"] is None


class ByStatus:
    """Warns of the statuses given and takes the rest for errors."""

    name = "by-status"

    def __init__(self, *statuses):
        self.statuses = statuses

    def judge(self, observation):
        state = "warning" if observation.status in self.statuses else "error"
        return Judgement(state=state, message=f"said: {observation.message}")


@given(
    st.lists(st.sampled_from([200, 404, 403, 401]), min_size=1, max_size=4), st.sets(st.sampled_from([404, 403, 401]))
)
def test_a_run_that_ends_in_an_error_looks_the_same_under_every_detector(statuses, warned):
    """Every node but the last has its failure handled by an edge; the last one fails of a template."""
    ids = [f"n{index}" for index in range(len(statuses))]
    nodes = [http(name, f"{BASE}/{name}") for name in ids]
    nodes.append(http("last", f"{BASE}/last", body="${n0.response.nope}"))
    names = [*ids, "last"]
    edges = [(a, b, *action) for a, b in pairwise(names) for action in ((), ("error",))]
    workflow = chain(*nodes, edges=edges)
    said_by = {f"GET {BASE}/{name}": said({"x": 1}, status) for name, status in zip(ids, statuses, strict=True)}
    worlds = [FakeWorld(said_by), FakeWorld(said_by)]
    detectors = [None, ByStatus(*warned)]
    first = [execute(workflow, world, detector=detector) for world, detector in zip(worlds, detectors, strict=True)]
    assert agent_json(workflow, first[0]) == agent_json(workflow, first[1])
    again = [
        execute(workflow, world, detector=detector, checkpoint=execution.checkpoint)
        for world, detector, execution in zip(worlds, detectors, first, strict=True)
    ]
    assert agent_json(workflow, again[0]) == agent_json(workflow, again[1])
    assert worlds[0].calls() == worlds[1].calls()

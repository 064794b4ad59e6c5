from __future__ import annotations

import json
import secrets

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.errors import BadInput, Incomplete
from mendbench.io.virtual_clock import VirtualClock
from mendbench.model.exchange import Response
from mendbench.runtime.events import NodeCached, NodeCompleted, NodeFailed
from mendbench.runtime.trace_file import LAST, read_trace
from mendbench.secrets.redaction import Redactor
from mendbench.workflow_app import Outside, RunOptions, run_workflow
from mendbench.workflow_app.running import default_policy
from tests.fakes.engine import FakeWorld, chain, completion, http, said
from tests.fakes.tables import for_each

USER, ISSUES = "https://api.test/user", "https://api.test/issues"
NAMED = {f"GET {USER}": said({"name": "ada"}), f"POST {ISSUES}": said({"number": 7}, 201)}


def workflow(body, **rest):
    return chain(http("fetch", USER), http("greet", ISSUES, body=body), **rest)


WRONG = workflow({"title": "${fetch.response.nam}"}, outputs={"number": {"source": "${greet.response.number}"}})


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


class Model:
    """Answers every model request with the next text, or raises it."""

    def __init__(self, *texts):
        self.texts, self.prompts = list(texts), []

    def send(self, request, *, node=None):
        del node
        self.prompts.append(json.loads(request.body)["messages"][-1]["content"])
        response = self.texts.pop(0)
        if isinstance(response, BaseException):
            raise response
        return completion(response) if isinstance(response, str) else response

    def traffic(self):
        return ()

    def begin_execution(self):
        """One more attempt."""


def run(document, responses=NAMED, *, model_world=None, on_event=None, **options):
    clock = VirtualClock()
    outside = Outside(world=FakeWorld(responses, clock), model_world=model_world or Model(), clock=clock)
    return run_workflow(document, RunOptions(**options), on_event=on_event, outside=outside)


def edit(value, node="greet", path="params.body.title"):
    return json.dumps({"edits": [{"node": node, "path": path, "value": value}]})


def test_a_run_that_succeeds_says_so_and_leaves_a_trace():
    ended = run(workflow({"title": "${fetch.response.name}"}))
    assert ended.success
    assert list(ended.document)[:6] == ["success", "status", "error", "repaired", "repair_attempted", "repair_reason"]
    assert [ended.document[name] for name in list(ended.document)[:6]] == [True, "success", None, False, False, None]
    assert ended.trace == LAST
    trace = read_trace(LAST)
    assert trace["result"] == ended.document
    assert [node["state"] for node in trace["executions"][0]["nodes"]] == ["success", "success"]


def test_without_repair_a_failure_is_reported_and_no_model_is_asked():
    model = Model()
    ended = run(WRONG, model_world=model)
    assert not ended.success
    assert model.prompts == []
    assert ended.document["repair_reason"] == "Repair was not asked for"
    assert (ended.document["repair_attempted"], ended.document["errors"][0]["node_id"]) == (False, "greet")


def test_a_failure_is_repaired_and_only_what_is_new_runs_again():
    heard = []
    model = Model(edit("${fetch.response.name}"))
    ended = run(WRONG, model_world=model, auto_repair=True, on_event=heard.append)
    assert ended.success
    assert ended.document["repair_reason"] == "Fixed in 1 attempt"
    assert (ended.document["repaired"], ended.document["repair_attempted"]) == (True, True)
    assert ended.document["outputs"] == {"number": 7}
    assert ended.repaired["nodes"][1]["params"]["body"] == {"title": "${fetch.response.name}"}
    endings = [event for event in heard if isinstance(event, NodeCompleted | NodeCached | NodeFailed)]
    assert [type(event) for event in endings] == [NodeCompleted, NodeFailed, NodeCached, NodeCompleted]
    assert endings[-1].modified
    trace = read_trace(LAST)
    assert trace["workflow"]["before"] == WRONG
    assert trace["workflow"]["after"] == ended.repaired
    assert [ran["attempt"] for ran in trace["executions"]] == [0, 1]
    assert trace["attempts"][0]["prompt"]["user"] == model.prompts[0]
    assert trace["attempts"][0]["reply"]["text"] == edit("${fetch.response.name}")


def test_the_request_reaches_the_prompt():
    model = Model(edit("x"))
    run(WRONG, model_world=model, auto_repair=True, request="Greet the user by name.")
    assert "# Request\nGreet the user by name." in model.prompts[0]


def test_a_repair_that_makes_no_progress_says_why_it_stopped():
    same = run(WRONG, model_world=Model(edit("${fetch.response.nam} ")), auto_repair=True, policy="two-layer")
    assert same.document["repair_reason"] == "Could not fix: the last edit led to the same failure again"
    assert (same.document["repaired"], same.repaired) == (False, None)


def test_a_repairer_that_declines_is_quoted():
    ended = run(WRONG, model_world=Model(json.dumps({"cannot_fix": "create the field"})), auto_repair=True)
    assert ended.document["repair_reason"] == "No edit can fix it: create the field"
    assert ended.document["repair_attempted"]


def test_answers_that_are_no_workflow_are_counted():
    ended = run(WRONG, model_world=Model("no", "no", "no"), auto_repair=True)
    assert ended.document["repair_reason"] == "Could not fix: no response was a workflow that could run"


def test_a_warning_that_stops_the_run_is_no_success_and_is_not_repaired():
    responses = {**NAMED, f"POST {ISSUES}": said({"ok": False, "error": "channel_not_found"})}
    model = Model()
    ended = run(workflow({"title": "x"}), responses, model_world=model, auto_repair=True)
    assert (ended.success, ended.document["status"]) == (False, "warning")
    assert ended.document["errors"][0]["fixable"] is False
    assert model.prompts == []
    assert ended.document["repair_reason"] == "Stopped at a warning: no edit of the workflow would help"


def test_a_detector_takes_the_place_of_the_policys():
    responses = {**NAMED, f"POST {ISSUES}": said({"message": "gone"}, 404)}
    assert run(workflow({"title": "x"}), responses).document["status"] == "warning"
    assert run(workflow({"title": "x"}), responses, detector="minimal").document["status"] == "error"


def test_after_a_repair_the_warning_is_still_reported():
    responses = {**NAMED, f"POST {ISSUES}": said({"ok": False, "error": "channel_not_found"})}
    ended = run(WRONG, responses, model_world=Model(edit("${fetch.response.name}")), auto_repair=True)
    assert (ended.success, ended.document["status"], ended.document["repaired"]) == (False, "warning", True)
    assert ended.document["warnings"][0]["node_id"] == "greet"


def test_a_handled_warning_is_a_success():
    responses = {**NAMED, f"POST {ISSUES}": said({"ok": False, "error": "channel_not_found"})}
    document = chain(
        http("greet", ISSUES, body={"title": "x"}), http("after", USER), edges=[("greet", "after", "warning")]
    )
    ended = run(document, responses)
    assert (ended.success, ended.document["status"]) == (True, "warning")


def test_a_run_that_breaks_off_leaves_its_trace():
    with pytest.raises(Incomplete):
        run(WRONG, model_world=Model(Incomplete("no response")), auto_repair=True)
    trace = read_trace(LAST)
    assert trace["result"]["success"] is False
    assert trace["result"]["repair_reason"] == "Broke off: Incomplete: no response"
    assert trace["executions"][0]["failures"][0]["node_id"] == "greet"


def test_an_interrupt_in_the_first_execution_leaves_a_trace_too():
    def interrupted(_request):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(WRONG, {f"GET {USER}": interrupted})
    assert read_trace(LAST)["result"]["error"] == "KeyboardInterrupt"


def test_a_secret_is_an_input_that_is_shown_nowhere(monkeypatch):
    secret = secrets.token_hex(16)
    monkeypatch.setenv("THE_KEY", secret)
    document = chain(http("fetch", USER, auth_token="${key}"), inputs={"key": {"type": "string"}})
    world = FakeWorld({f"GET {USER}": lambda request: said({"you": request.header("authorization")}, 403)})
    outside = Outside(world=world, model_world=Model(), clock=VirtualClock())
    ended = run_workflow(document, RunOptions(secrets={"key": "THE_KEY"}), outside=outside)
    assert world.sent[0].header("authorization") == f"Bearer {secret}"
    assert secret not in json.dumps(ended.document)
    assert secret not in LAST.read_text()


def test_a_secret_that_is_not_set_or_given_twice_is_refused(monkeypatch):
    monkeypatch.delenv("THE_KEY", raising=False)
    with pytest.raises(BadInput, match="THE_KEY"):
        run(WRONG, secrets={"key": "THE_KEY"})
    monkeypatch.setenv("THE_KEY", "x")
    with pytest.raises(BadInput, match="--input too"):
        run(WRONG, secrets={"key": "THE_KEY"}, inputs={"key": "y"})


def test_a_shell_node_is_refused_before_anything_is_sent():
    document = chain(http("fetch", USER), {"id": "list", "type": "shell", "params": {"command": "ls"}})
    world = FakeWorld(NAMED)
    with pytest.raises(BadInput, match=r"'list'.*--allow-shell"):
        run_workflow(document, RunOptions(), outside=Outside(world=world, model_world=Model(), clock=world.clock))
    assert world.sent == []
    assert not LAST.exists()


@for_each(
    ("options", "says"),
    [
        ({"model": "unheard-of", "auto_repair": True}, "unknown model 'unheard-of'"),
        ({"policy": "two-layers"}, "did you mean 'two-layer'"),
        ({"detector": "minimla"}, "did you mean 'minimal'"),
        ({"strategy": "sumary", "auto_repair": True}, "did you mean 'summary'"),
        ({"repairer": "rule", "auto_repair": True}, "did you mean 'rules'"),
    ],
)
def test_an_unknown_name_is_refused_before_anything_is_sent(options, says):
    with pytest.raises(BadInput, match=says):
        run(WRONG, **options)
    assert not LAST.exists()


def test_a_document_that_does_not_validate_has_the_shape_of_a_failed_run():
    ended = run({"nodes": [{"id": "a", "type": "htp", "params": {}}]})
    failed = run(WRONG)
    assert set(ended.document) == set(failed.document)
    assert ended.document["errors"][0]["category"] == "static_validation"


def test_the_trace_goes_where_it_is_wanted(tmp_path):
    place = tmp_path / "deep" / "t.json"
    assert run(WRONG, trace=place).trace == place
    assert read_trace(place)["format"] == 1
    assert not LAST.exists()


def test_a_trace_that_has_no_place_costs_neither_the_result_nor_the_error_that_ended_the_run(tmp_path):
    (tmp_path / "file").touch()
    ended = run(workflow({"title": "${fetch.response.name}"}), trace=tmp_path / "file" / "t.json")
    assert ended.success
    assert "name another file with --trace" in str(ended.untraced)
    with pytest.raises(Incomplete):
        run(WRONG, model_world=Model(Incomplete("no response")), auto_repair=True, trace=tmp_path / "file" / "t.json")


def test_what_a_listener_raises_at_a_node_changes_nothing():
    def broken(event):
        assert not isinstance(event, NodeCompleted)

    assert run(workflow({"title": "x"}), on_event=broken).success


@for_each("body", [b"<html>", b"", b"\xff\xfe", b"[1]", b"null"])
def test_whatever_an_api_answers_the_run_ends_and_is_traced(body):
    responses = {f"GET {USER}": Response(status=500, body=body), f"POST {ISSUES}": Response(status=500, body=body)}
    ended = run(workflow({"title": "x"}), responses)
    assert not ended.success
    assert read_trace(LAST)["executions"][0]["failures"]


JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.just("KEY"),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8) | st.just("KEY"), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(JSONS, st.sampled_from([200, 404, 422, 500]))
def test_whatever_json_comes_back_nothing_crashes_and_no_secret_is_left(tmp_path_factory, value, status):
    secret = secrets.token_hex(16)
    place = tmp_path_factory.mktemp("runs") / "t.json"
    body = json.dumps(value).replace("KEY", secret)
    document = chain(
        http("fetch", f"{USER}?k=${{key}}"), http("greet", ISSUES, body={"title": "${fetch.response}"}),
        inputs={"key": {"type": "string"}}, outputs={"all": {"source": "${fetch.response}"}},
    )  # fmt: skip
    world = FakeWorld({f"GET {USER}?k={secret}": said(body, status)}, redact=Redactor({"key": secret}).request)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("THE_KEY", secret)
        options = RunOptions(secrets={"key": "THE_KEY"}, trace=place)
        ended = run_workflow(document, options, outside=Outside(world=world, model_world=Model(), clock=world.clock))
    trace = read_trace(place)
    assert secret not in json.dumps([ended.document, trace])
    assert trace["result"] == json.loads(json.dumps(ended.document))


def test_file_nodes_work_below_the_named_folder(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "a.txt").write_text("ada")
    document = chain(
        {"id": "get", "type": "read-file", "params": {"file_path": "a.txt"}},
        {"id": "put", "type": "write-file", "params": {"file_path": "out/b.txt", "content": "hello ${get.content}"}},
    )
    ended = run_workflow(document, RunOptions(files=tmp_path / "mine"))
    assert ended.success
    assert (tmp_path / "mine" / "out" / "b.txt").read_text() == "hello 1: ada"


def test_a_file_outside_the_folder_is_not_read(tmp_path):
    (tmp_path / "a.txt").write_text("not yours")
    ended = run_workflow(
        chain({"id": "get", "type": "read-file", "params": {"file_path": "../a.txt"}}),
        RunOptions(files=tmp_path / "mine"),
    )
    assert not ended.success
    assert "inside the sandbox folder" in ended.document["errors"][0]["message"]


@for_each(
    ("auto_repair", "attended", "policy"),
    [(True, False, "ask-first"), (True, True, "two-layer"), (False, False, "two-layer")],
)
def test_a_repair_without_a_person_asks_the_model_first(auto_repair, attended, policy):
    assert default_policy(auto_repair=auto_repair, attended=attended) == policy

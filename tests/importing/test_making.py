"""Whole imports: what is kept and dropped, that it replays, and that no credential comes through."""

import json
import secrets
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from mendbench.cassettes import cassette
from mendbench.corpus.incident import read_incident
from mendbench.corpus.labels import MARK, missing_labels
from mendbench.errors import BadInput
from mendbench.importing.drafting import Wish
from mendbench.importing.engine.trace import read_engine_trace
from mendbench.importing.har import read_har
from mendbench.importing.interface import Dropped, FoundExchange, Source
from mendbench.importing.making import import_case
from mendbench.importing.own_trace import read_own_trace
from mendbench.model.exchange import Request, Response

BASE = "https://desk.fjord.example"
WORKFLOW = {
    "ir_version": "0.1.0",
    "inputs": {"who": {"type": "string"}, "token": {"type": "string"}},
    "nodes": [
        {"id": "person", "type": "http", "params": {"url": f"{BASE}/people/${{who}}", "auth_token": "${token}"}},
        {"id": "note", "type": "http", "params": {"method": "POST", "url": f"{BASE}/notes", "auth_token": "${token}", "body": {"text": "${person.response.note}"}}},
    ],
    "edges": [{"from": "person", "to": "note"}],
}  # fmt: skip
JSON = (("Content-Type", "application/json"),)


def found(place, method, url, response, body=b"", **more):
    return FoundExchange(place=place, request=Request(method=method, url=url, body=body, **more), response=response)


def response(status, value, **more):
    return Response(status=status, headers=JSON, body=json.dumps(value).encode(), elapsed_ms=5, **more)


PERSON = found("e[0]", "GET", f"{BASE}/people/p-1", response(200, {"called": "Runa", "note": ""}))
REFUSED = found("e[2]", "POST", f"{BASE}/notes", response(422, {"detail": "text is required"}), b'{ "text" : "" }')
OTHER = found("e[1]", "GET", f"{BASE}/favicon.ico", response(404, {}))


NO_REQUESTS = Source(
    kind="trace", path=Path("t.json"), found=(FoundExchange(place="n", node="n", response=response(200, {})),)
)


def wish(tmp_path, *exchanges, **more):
    source = Source(kind="HAR file", path=tmp_path / "p.har", found=exchanges or (PERSON, OTHER, REFUSED))
    return Wish(
        **{
            "case": "http/empty-note",
            "source": source,
            "workflow": WORKFLOW,
            "inputs": {"who": "p-1"},
            "provenance": "live",
            **more,
        }
    )


def done(tmp_path, *exchanges, **more):
    return import_case(wish(tmp_path, *exchanges, **more), tmp_path / "cases", tmp_path / "cassettes")


def texts(tmp_path):
    return {path: path.read_text(encoding="utf-8") for path in tmp_path.rglob("*") if path.is_file()}


def recorded(tmp_path):
    return cassette.load(tmp_path / "cassettes/http/empty-note/world.yaml")


def test_only_what_the_workflow_asks_for_is_kept_under_our_keys(tmp_path):
    imported = done(tmp_path)
    assert imported.kept == ("e[0]", "e[2]")
    assert [(one.what, one.why) for one in imported.dropped] == [
        (f"e[1] GET {BASE}/favicon.ico", "the workflow did not ask for it")
    ]
    assert [(one.request.url, one.response.status, one.service) for one in recorded(tmp_path)] == [
        (f"{BASE}/people/p-1", 200, "json_api"),
        (f"{BASE}/notes", 422, "json_api"),
    ]
    assert not any("does not replay" in note for note in imported.notes)


def test_what_was_seen_is_written_and_what_has_to_be_judged_is_marked(tmp_path):
    imported = done(tmp_path)
    text = (tmp_path / "cases/http/empty-note/case.yaml").read_text(encoding="utf-8")
    assert '"person": "success", "note": "LABEL-ME error' in text
    assert "# Seen at note: HTTP 422" in text
    assert f'url: "{BASE}/notes"' in text
    assert imported.labels == len(missing_labels(tmp_path / "cases/http/empty-note")) == text.count(MARK) - 1


def test_no_credential_comes_through_in_any_place(tmp_path):
    token = secrets.token_hex(12)
    given = found(
        "e[0]",
        "GET",
        f"{BASE}/people/p-1?api_key={token}",
        response(200, {"note": "", "seen": token, "password": "hunter2"}),
        headers=(("Authorization", f"Bearer {token}"),),
    )
    workflow = json.loads(json.dumps(WORKFLOW).replace("/people/${who}", f"/people/${{who}}?api_key={token}"))
    imported = done(tmp_path, given, REFUSED, workflow=workflow)
    assert imported.kept == ("e[0]", "e[2]")
    assert all(token not in text and "hunter2" not in text for text in texts(tmp_path).values())
    assert recorded(tmp_path)[0].request.header("authorization") == "Bearer <secret:token>"
    assert '"token": "${canary:token}"' in texts(tmp_path)[tmp_path / "cases/http/empty-note/case.yaml"]


def test_templates_are_no_credentials(tmp_path):
    workflow = json.loads(json.dumps(WORKFLOW))
    workflow["nodes"][1]["params"]["body"] = "text=${person.response.note}&api_key=${token}"
    done(tmp_path, workflow=workflow)
    assert json.loads((tmp_path / "cases/http/empty-note/workflow.json").read_text(encoding="utf-8")) == workflow


def test_equal_requests_are_answered_in_their_order(tmp_path):
    first, second = (found(f"e[{n}]", "GET", f"{BASE}/n", response(200, {"n": n})) for n in (0, 1))
    nodes = [{"id": name, "type": "http", "params": {"url": f"{BASE}/n"}} for name in ("a", "b")]
    done(
        tmp_path,
        first,
        second,
        workflow={"ir_version": "0.1.0", "nodes": nodes, "edges": [{"from": "a", "to": "b"}]},
        inputs={},
    )
    assert [json.loads(one.response.body)["n"] for one in recorded(tmp_path)] == [0, 1]


def test_a_failure_that_is_met_once_is_met_at_each_try_and_said(tmp_path):
    busy = found("e[0]", "GET", f"{BASE}/people/p-1", response(503, {}))
    imported = done(tmp_path, busy)
    assert imported.kept == ("e[0]",)
    assert any("were given once more" in note for note in imported.notes)
    assert len(recorded(tmp_path)) > 1


def test_a_request_that_the_source_lacks_is_named_and_the_case_is_written(tmp_path):
    imported = done(tmp_path, PERSON)
    assert (
        f"the HAR file has no response to POST {BASE}/notes: record it, or make the world a simulator" in imported.notes
    )
    assert len(recorded(tmp_path)) == 1


def test_a_case_that_says_no_provenance_is_simulated_so_that_nothing_is_ever_sent():
    source = Source(kind="HAR file", path=Path("p.har"), found=())
    assert Wish(case="http/a", source=source).provenance == "simulator"


def test_a_live_case_asks_for_the_variables_of_its_secrets_and_a_simulated_one_for_none(tmp_path):
    done(tmp_path / "live")
    done(tmp_path / "simulated", provenance="simulator")
    of = {
        name: (tmp_path / name / "cases/http/empty-note/case.yaml").read_text("utf-8") for name in ("live", "simulated")
    }
    assert f'secrets: {{"token": "{MARK} ${{env:VARIABLE}}, the variable that holds the real value"}}' in of["live"]
    assert not [line for line in of["simulated"].splitlines() if line.startswith("secrets:")]


def test_a_simulated_service_that_differs_from_the_real_one_is_reported(tmp_path):
    url = "https://slack.com/api/auth.test"
    seen = found("e[0]", "GET", url, response(200, {"ok": True, "user": "kim"}))
    workflow = {"ir_version": "0.1.0", "nodes": [{"id": "who", "type": "http", "params": {"url": url}}]}
    imported = done(tmp_path, seen, workflow=workflow, inputs={}, provenance="simulator")
    assert imported.notes[-1].startswith(
        f'GET {url} was answered 200 {{"ok": true, "user": "kim"}}, and the simulated world answers 200 {{"ok":false,"error":"not_authed"}}: '
    )


def test_a_service_without_a_simulation_is_declared_as_the_real_server_that_it_is(tmp_path):
    asked = {"server": "git", "tool": "git_status", "arguments": {"repo_path": "/tmp/r"}}
    workflow = {"ir_version": "0.1.0", "nodes": [{"id": "it", "type": "mcp", "params": asked}]}
    done(tmp_path, workflow=workflow, inputs={}, provenance="simulator")
    assert 'recorded_from: {"mcp_git": "real"}' in (tmp_path / "cases/http/empty-note/case.yaml").read_text("utf-8")


def bodiless(one):
    return replace(one, response=None)


@pytest.mark.parametrize(
    ("exchanges", "said"),
    [
        (
            (PERSON, bodiless(OTHER), bodiless(REFUSED)),
            f"p.har: e[2]: no response body, and the workflow asks for POST {BASE}/notes; export the HAR file again, with content",
        ),
        (
            (bodiless(PERSON), bodiless(REFUSED)),
            f"p.har: no response bodies in any entry, and the workflow asks for GET {BASE}/people/p-1; export the HAR file",
        ),
        (
            (
                found("e[0]", "GET", "https://b.example/", response(200, {})),
                found("e[1]", "GET", "https://a.example/", response(200, {})),
            ),
            "p.har: the workflow asks desk.fjord.example; the HAR file holds a.example, b.example; name the recording of",
        ),
    ],
)
def test_a_source_that_cannot_answer_the_workflow_is_refused_and_nothing_is_written(tmp_path, exchanges, said):
    with pytest.raises(BadInput) as caught:
        done(tmp_path, *exchanges)
    assert said in str(caught.value)
    assert texts(tmp_path) == {}


def test_a_body_that_the_workflow_does_not_ask_for_may_be_missing(tmp_path):
    assert done(tmp_path, PERSON, bodiless(OTHER), REFUSED).kept == ("e[0]", "e[2]")


def test_a_simulated_world_has_a_route_for_each_answer_and_no_recording_yet(tmp_path):
    imported = done(tmp_path, provenance="simulator")
    assert not any("was answered" in note for note in imported.notes)
    assert "always gives the recorded answer: GET https://desk.fjord.example/people/p-1, POST " in imported.notes[-1]
    assert "#           GET /people/{id}: {collection: people, action: get}" in (
        tmp_path / "cases/http/empty-note/case.yaml"
    ).read_text("utf-8")
    seen = read_incident(tmp_path / "cases/http/empty-note")
    assert [(one["method"], one["status"], one["response"]) for one in seen] == [
        ("GET", 200, {"called": "Runa", "note": ""}), ("POST", 422, {"detail": "text is required"}),
    ]  # fmt: skip
    text = (tmp_path / "cases/http/empty-note/case.yaml").read_text(encoding="utf-8")
    assert 'recorded_from: {"json_api": "simulator"}' in text
    assert "GET /people/p-1:" in text
    assert "POST /notes:" in text
    assert not (tmp_path / "cassettes").exists()


@pytest.mark.parametrize(
    "message",
    [
        {"result": {"content": [{"type": "text", "text": '{"event": "e-1"}'}], "isError": False}},
        {
            "result": {
                "content": [{"type": "text", "text": "Input validation error: 'x' is not of type 'array'"}],
                "isError": True,
            }
        },
        {"result": {"content": [{"type": "text", "text": "Error executing tool add: no such day"}], "isError": True}},
    ],
)
def test_a_tool_of_a_simulated_server_answers_as_was_seen(tmp_path, message):
    tool = found(
        "e[0]",
        "POST",
        "mcp://calendar/add",
        response(200, {"jsonrpc": "2.0", "id": 1, **message}),
        b'{"who": "x", "days": 2}',
    )
    imported = done(tmp_path, tool, workflow=None, inputs={}, provenance="simulator")
    assert any("always gives the recorded answer: POST mcp://calendar/add" in note for note in imported.notes)
    assert not any("was answered" in note for note in imported.notes)


def test_a_listing_of_tools_is_no_node_and_gives_the_tool_its_schema(tmp_path):
    schema = {
        "type": "object",
        "required": ["who"],
        "$schema": "x",
        "properties": {"who": {"type": "array", "format": "y", "items": {"type": "string"}}},
    }
    listed = {"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "add", "inputSchema": schema}]}}
    failed = {
        "jsonrpc": "2.0",
        "id": 1,
        "result": {"content": [{"type": "text", "text": "'x' is not of type 'array'"}], "isError": True},
    }
    done(
        tmp_path, found("e[0]", "POST", "mcp://calendar/tools/list", response(200, listed), b"{}"),
        found("e[1]", "POST", "mcp://calendar/add", response(200, failed), b'{"who": "x"}'),
        workflow=None, inputs={}, provenance="simulator",
    )  # fmt: skip
    folder = tmp_path / "cases/http/empty-note"
    assert [node["id"] for node in json.loads((folder / "workflow.json").read_text("utf-8"))["nodes"]] == ["add"]
    assert [one["url"] for one in read_incident(folder)] == ["mcp://calendar/add"]
    state = yaml.safe_load((folder / "case.yaml").read_text("utf-8"))["state"]["mcp_sim"]["servers"]["calendar"]
    assert state["tools"]["add"]["inputSchema"] == {
        "type": "object", "required": ["who"], "properties": {"who": {"type": "array", "items": {"type": "string"}}},
    }  # fmt: skip


@pytest.mark.parametrize(("second", "demanded"), [("Bearer tok-123456", True), ("", False)])
def test_a_simulated_api_demands_the_credential_that_every_request_had(tmp_path, second, demanded):
    def asked(place, path, token):
        request = Request(method="GET", url=f"{BASE}{path}", headers=(("Authorization", token),) if token else ())
        return FoundExchange(place=place, request=request, response=response(200, {}))

    done(
        tmp_path,
        asked("e[0]", "/a", "Bearer tok-123456"),
        asked("e[1]", "/b", second),
        workflow=None,
        inputs={},
        provenance="simulator",
    )
    state = yaml.safe_load((tmp_path / "cases/http/empty-note/case.yaml").read_text("utf-8"))["state"]["json_api"]
    (api,) = state["apis"].values()
    assert api.get("auth") == ({"header": "Authorization", "tokens": {"${canary:api_token}": {}}} if demanded else None)


def test_a_recorded_failure_that_the_workflow_does_not_send_is_named(tmp_path):
    other = found("e[2]", "POST", f"{BASE}/notes", response(422, {"detail": "no"}), b'{"text": "other"}')
    imported = done(tmp_path, PERSON, other)
    assert any(note.startswith("the recorded failure e[2] (422) is not in the case") for note in imported.notes)


def test_a_recording_of_a_run_on_other_data_is_refused(tmp_path):
    with pytest.raises(
        BadInput, match=r"none of its 3 exchanges answers GET https://desk\.fjord\.example/people/p-7; give the inputs"
    ):
        done(tmp_path, inputs={"who": "p-7"})


def test_a_host_of_a_known_service_is_declared_as_that_service(tmp_path):
    url = "https://slack.com/api/auth.test"
    workflow = {"ir_version": "0.1.0", "nodes": [{"id": "who", "type": "http", "params": {"url": url}}]}
    done(
        tmp_path,
        found("e[0]", "GET", url, response(200, {"ok": False, "error": "not_authed"})),
        workflow=workflow,
        inputs={},
    )
    assert recorded(tmp_path)[0].service == "slack"


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"inputs": {}}, "the workflow needs 'who'"),
        ({"inputs": {"who": "p-1", "whom": "p-2"}}, "--input: unknown input 'whom'; did you mean 'who'?"),
        ({"workflow": None, "inputs": {"who": "p-9"}}, "--input: the value of 'who' was sent nowhere"),
        (
            {"workflow": None, "source": NO_REQUESTS},
            "a trace without a workflow, and without a request that a workflow can send",
        ),
        ({"case": "http"}, "no FAMILY/NAME"),
    ],
)
def test_what_is_not_enough_is_refused_and_nothing_is_written(tmp_path, more, said):
    with pytest.raises(BadInput, match=said):
        done(tmp_path, **more)
    assert texts(tmp_path) == {}


def test_without_a_workflow_one_is_written_from_the_requests_and_fails_as_was_seen(tmp_path):
    imported = done(tmp_path, PERSON, REFUSED, workflow=None)
    workflow = json.loads((tmp_path / "cases/http/empty-note/workflow.json").read_text("utf-8"))
    assert [node["id"] for node in workflow["nodes"]] == ["get_people", "post_notes"]
    assert imported.kept == ("e[0]", "e[2]")
    assert imported.notes[0].startswith("the workflow was written from the recorded requests")
    assert 'surfaces: "post_notes"' in (tmp_path / "cases/http/empty-note/case.yaml").read_text("utf-8")


@pytest.mark.parametrize("folder", ["cases", "cassettes"])
def test_a_case_that_is_there_is_left_alone(tmp_path, folder):
    (tmp_path / folder / "http/empty-note").mkdir(parents=True)
    with pytest.raises(BadInput, match="it is there already"):
        done(tmp_path)
    assert texts(tmp_path) == {}


def test_an_import_that_was_killed_before_the_case_was_there_goes_on(tmp_path):
    done(tmp_path)
    whole = texts(tmp_path)
    shutil.rmtree(tmp_path / "cases/http/empty-note")
    done(tmp_path)
    assert texts(tmp_path) == whole


def test_other_recordings_of_its_name_are_left_alone(tmp_path):
    done(tmp_path)
    shutil.rmtree(tmp_path / "cases/http/empty-note")
    (tmp_path / "cassettes/http/empty-note/world.yaml").write_text("mine", encoding="utf-8")
    with pytest.raises(BadInput, match="cassettes/http/empty-note: it is there already"):
        done(tmp_path)
    assert not (tmp_path / "cases/http/empty-note").exists()


def test_an_engine_trace_is_imported_by_its_nodes(tmp_path):
    token = f"sk-{secrets.token_hex(10)}"
    person = {
        "response": {"note": "", "token": token},
        "status_code": 200,
        "response_headers": {},
        "response_time": 0.1,
    }
    note = {"response": {"detail": "text is required"}, "status_code": 422, "response_headers": {}, "error": "HTTP 422"}
    events = [
        {
            "node_id": name,
            "node_type": "HttpNode",
            "success": True,
            "shared_before": {"who": "p-1"},
            "shared_after": {name: output},
        }
        for name, output in (("person", person), ("note", note))
    ]
    path = tmp_path / "trace.json"
    path.write_text(json.dumps({"format_version": "1.2.0", "nodes": events}), encoding="utf-8")
    source = read_engine_trace(path)
    path.unlink()
    imported = done(tmp_path, source=source, inputs={})
    assert imported.kept == ("nodes[0]", "nodes[1]")
    assert all(token not in text for text in texts(tmp_path).values())
    assert "# Seen at note: HTTP 422" in (tmp_path / "cases/http/empty-note/case.yaml").read_text(encoding="utf-8")


def test_our_own_trace_holds_workflow_inputs_and_all(tmp_path):
    exchanges = {
        "person": {"request": {"method": "GET", "url": f"{BASE}/people/p-1", "headers": {}, "body": None}, "response": {"status": 200, "headers": {}, "body": {"note": ""}, "elapsed_ms": 3, "fault": None}},
        "note": {"request": {"method": "POST", "url": f"{BASE}/notes", "headers": {}, "body": {"text": ""}}, "response": {"status": 422, "headers": {}, "body": {"detail": "no"}, "elapsed_ms": 3, "fault": None}},
    }  # fmt: skip
    hidden = {**WORKFLOW, "inputs": {"who": {"type": "string"}, "token": {"type": "<redacted:473287f8>"}}}
    ran = {
        "attempt": 0, "failures": [{"node_id": "note", "message": "HTTP 422"}], "warnings": [],
        "nodes": [{"node_id": name, "state": "success", "exchanges": [one]} for name, one in exchanges.items()],
    }  # fmt: skip
    trace = {
        "format": 1,
        "result": {},
        "workflow": {"before": hidden},
        "inputs": {"who": "p-1", "token": "<redacted:01234567>"},
        "attempts": [],
        "executions": [ran, {**ran, "attempt": 1}],
    }
    path = tmp_path / "last-trace.json"
    path.write_text(json.dumps(trace), encoding="utf-8")
    imported = done(tmp_path, source=read_own_trace(path), workflow=None, inputs={})
    assert len(imported.kept) == 2
    assert {one.why for one in imported.dropped} == {"it was asked after the workflow had been changed"}
    written = json.loads((tmp_path / "cases/http/empty-note/workflow.json").read_text(encoding="utf-8"))
    assert written == WORKFLOW


def test_a_har_file_is_imported_whole(tmp_path):
    entries = [
        {"time": 5, "request": {"method": one.request.method, "url": one.request.url, "headers": [], "postData": {"text": one.request.body.decode()}},
         "response": {"status": one.response.status, "headers": [], "content": {"text": one.response.body.decode()}}}
        for one in (PERSON, REFUSED)
    ]  # fmt: skip
    path = tmp_path / "p.har"
    path.write_text(json.dumps({"log": {"version": "1.2", "entries": entries}}), encoding="utf-8")
    assert done(tmp_path, source=read_har(path)).kept == ("entries[0]", "entries[1]")


def test_hosts_that_only_a_run_reveals_are_found_one_after_the_other(tmp_path):
    nodes = [
        {"id": "sort", "type": "shell", "params": {"command": "sort"}},
        {"id": "say", "type": "mcp-chatty-say", "params": {"text": "${sort.stdout}"}},
        {"id": "last", "type": "http", "params": {"url": "https://${where}/end"}},
    ]
    edges = [{"from": "sort", "to": "say"}, {"from": "say", "to": "last"}]
    outputs = {
        "sort": ("ShellNode", {"stdout": "a", "stderr": "", "exit_code": 0}),
        "say": ("MCPNode", {"result": "said"}),
        "last": ("HttpNode", {"status_code": 404, "response": {"detail": "no"}, "error": "HTTP 404"}),
    }
    events = [
        {
            "node_id": name,
            "node_type": kind,
            "success": True,
            "shared_before": {"where": "end.example"},
            "shared_after": {name: output},
        }
        for name, (kind, output) in outputs.items()
    ]
    path = tmp_path / "trace.json"
    path.write_text(json.dumps({"format_version": "1.1.0", "nodes": events}), encoding="utf-8")
    workflow = {"ir_version": "0.1.0", "inputs": {"where": {"type": "string"}}, "nodes": nodes, "edges": edges}
    imported = done(tmp_path, source=read_engine_trace(path), workflow=workflow, inputs={})
    assert imported.kept == ("nodes[0]", "nodes[1]", "nodes[2]")
    assert [one.service for one in recorded(tmp_path)] == ["shell", "mcp_sim", "json_api"]
    text = (tmp_path / "cases/http/empty-note/case.yaml").read_text(encoding="utf-8")
    assert 'recorded_from: {"shell": "real", "mcp_sim": "live", "json_api": "live"}' in text


def test_a_credential_in_the_words_of_a_source_is_taken_out_by_value_whether_the_workflow_names_it_or_not(tmp_path):
    token, other = secrets.token_hex(20), secrets.token_hex(20)
    source = Source(
        kind="trace", path=tmp_path / "t.json", found=(PERSON, REFUSED), inputs={"token": token, "mail_password": other},
        said={"note": f"at hand: token (str): {token}, mail_password (str): {other}"},
        dropped=(Dropped(what=f"GET {BASE}/of/{token}", why="it was cut"),),
    )  # fmt: skip
    imported = import_case(
        Wish(case="http/empty-note", source=source, workflow=WORKFLOW, inputs={"who": "p-1"}),
        tmp_path / "cases", tmp_path / "cassettes",
    )  # fmt: skip
    assert not [one for one in (token, other) if one in " ".join([*texts(tmp_path).values(), str(imported)])]
    assert [one.what for one in imported.dropped] == [f"GET {BASE}/of/<secret:token>"]

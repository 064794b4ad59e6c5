"""The hazards of the other engine's trace files, one by one."""

import json

import pytest

from mendbench.errors import BadInput
from mendbench.importing.engine.trace import is_engine_trace, read_engine_trace

FETCHED = {
    "response": {"login": "alice"},
    "status_code": 200,
    "response_headers": {"content-type": "application/json"},
    "response_time": 0.8,
}
WORKFLOW = {"ir_version": "0.1.0", "nodes": [{"id": "fetch", "type": "http", "params": {"url": "https://a.example/"}}]}


def event(node, output=None, kind="HttpNode", *, success=True, others=None, **more):
    after = {**(others or {}), **({} if output is None else {node: output})}
    return {
        "node_id": node, "node_type": kind, "duration_ms": 812.4, "success": success,
        "shared_before": {"repo": "acme/app", "__x__": 1}, "shared_after": after, **more,
    }  # fmt: skip


def read(tmp_path, *events, version="1.2.0"):
    path = tmp_path / "trace.json"
    path.write_text(json.dumps({"format_version": version, "nodes": list(events)}), encoding="utf-8")
    return read_engine_trace(path)


@pytest.mark.parametrize("version", ["1.1.0", "1.2.0"])
def test_an_answer_is_known_by_its_node(tmp_path, version):
    source = read(tmp_path, event("fetch", FETCHED), version=version)
    (found,) = source.found
    assert (found.node, found.request) == ("fetch", None)
    assert (found.response.status, json.loads(found.response.body), found.response.elapsed_ms) == (
        200,
        {"login": "alice"},
        800,
    )
    assert source.inputs == {"repo": "acme/app"}
    assert source.workflow is None


def test_another_version_is_refused(tmp_path):
    with pytest.raises(BadInput, match=r"format_version '3\.0\.0'; known are 1\.1\.0, 1\.2\.0 and 2\.x"):
        read(tmp_path, version="3.0.0")


def test_repair_events_are_no_nodes_and_the_workflow_is_taken_out_of_the_prompt(tmp_path):
    prompt = f'Mend {{this}} and {{"no": "workflow"}}:\n{json.dumps(WORKFLOW)}\nthanks'
    source = read(
        tmp_path,
        event("fetch", FETCHED),
        {"type": "repair_attempt", "attempt_number": 1, "success": False, "errors": []},
        {"type": "repair_attempt", "attempt_number": 1, "success": True, "errors": []},
        {"type": "repair_llm_call", "node_id": "repair_service", "llm_prompt": prompt, "llm_response": "{}"},
    )
    assert [one.node for one in source.found] == ["fetch"]
    assert source.workflow == WORKFLOW


def test_a_workflow_that_was_cut_in_the_prompt_is_not_recovered(tmp_path):
    prompt = json.dumps(WORKFLOW)[:40]
    assert read(tmp_path, {"type": "repair_llm_call", "llm_prompt": prompt}).workflow is None


def test_the_first_output_of_a_node_that_failed_and_ran_again_is_not_believed(tmp_path):
    source = read(tmp_path, event("fetch", FETCHED, success=False, error="HTTP 422"), event("fetch", FETCHED))
    assert source.found == ()
    assert source.dropped[0].why == "it ran 2 times, and the file shows only what came last"
    assert source.said == {"fetch": "HTTP 422"}


def test_a_node_that_says_it_succeeded_has_failed_if_its_output_says_so(tmp_path):
    refused = {**FETCHED, "status_code": 422, "error": "HTTP 422"}
    assert read(tmp_path, event("fetch", refused)).said == {"fetch": "HTTP 422"}
    assert read(tmp_path, event("fetch", {**FETCHED, "status_code": 500})).said == {"fetch": "HTTP 500"}


def test_a_node_from_the_cache_is_found_in_the_store_of_a_later_one(tmp_path):
    source = read(
        tmp_path, event("post", {"result": "sent", "chat_say_result": "sent"}, "MCPNode", others={"fetch": FETCHED})
    )
    assert sorted(str(one.node) for one in source.found) == ["fetch", "post"]


@pytest.mark.parametrize(
    "output",
    [
        {**FETCHED, "response": "long" + "... [truncated]"},
        {**FETCHED, "response": {"rows": ["<binary data: 9 bytes>"]}},
        "<large dict truncated>",
    ],
)
def test_an_answer_that_was_cut_is_dropped(tmp_path, output):
    source = read(tmp_path, event("fetch", output))
    assert source.found == ()
    assert source.dropped[0].why == "its response was cut"


def test_a_node_that_failed_before_it_sent_anything_has_no_answer(tmp_path):
    unresolved = event("fetch", {}, success=False, error="Unresolved variables in parameter 'text'")
    assert read(tmp_path, unresolved).dropped[0].why == "it sent nothing: it failed before"


def test_a_transport_fault_is_reported_by_its_words(tmp_path):
    (found,) = read(tmp_path, event("fetch", {"error": "Request timed out after 30 seconds"}, success=False)).found
    assert (found.response.status, found.response.fault) == (0, "timeout")


def test_a_tool_and_a_command_answer_as_they_do_here(tmp_path):
    tool, command = read(
        tmp_path,
        event("say", {"error": "channel_not_found"}, "MCPNode"),
        event("sort", {"stdout": "a", "stderr": "", "exit_code": 2}, "ShellNode"),
    ).found
    assert json.loads(tool.response.body)["result"] == {
        "content": [{"type": "text", "text": "channel_not_found"}],
        "isError": True,
    }
    assert json.loads(command.response.body) == {"stdout": "a", "stderr": "", "exit_code": 2}


def test_a_models_answer_is_dropped_with_what_to_do(tmp_path):
    assert "record it" in read(tmp_path, event("ask", {"response": "hi"}, "LLMNode")).dropped[0].why


def test_only_its_own_traces_are_taken_for_such():
    assert is_engine_trace({"format_version": "9", "nodes": []})
    assert not is_engine_trace({"format": 1, "executions": []})

"""The hazards of the engine's later trace files, one by one."""

import json
import secrets

import pytest

from mendbench.errors import BadInput
from mendbench.importing.engine.trace import read_engine_trace

META = {"kind": "meta", "format_version": "2.8.0", "inputs": {"repo": "acme/app"}}
FETCHED = {"response": {"login": "alice"}, "status_code": 200, "response_headers": {}, "response_time": 0.8}


def event(node="fetch", output=FETCHED, at=0, **more):
    output_field = {} if output is None else {"node_output": output}
    return {
        "kind": "event", "id": at, "seq": at, "parent_id": None, "node_id": node, "node_type": "HttpNode",
        "duration_ms": 812.4, "status": "success", **output_field, **more,
    }  # fmt: skip


def read(tmp_path, *lines, tail=""):
    path = tmp_path / "trace.json"
    path.write_text("\n".join([json.dumps(one) for one in (META, *lines)]) + "\n" + tail, encoding="utf-8")
    return read_engine_trace(path)


def answered(source):
    return [(one.place, one.node, json.loads(one.response.body)) for one in source.found]


def test_a_text_that_stands_once_stands_wherever_it_is_meant(tmp_path):
    blob = {"kind": "blob", "md5": "ab12", "value": "a long text"}
    output = FETCHED | {"response": {"page": [{"$a_blob": "ab12"}], "gone": {"$a_blob": "cd34"}, "n": {"$a_blob": 5}}}
    (found,) = answered(read(tmp_path, blob, event(output=output)))
    assert found[2] == {"page": ["a long text"], "gone": {"$a_blob": "cd34"}, "n": {"$a_blob": 5}}


def test_what_is_reported_again_takes_the_place_of_what_was_reported_first(tmp_path):
    source = read(
        tmp_path,
        {"kind": "node.start", "node_id": "fetch", "id": 0, "seq": 0},
        event("later", at=1),
        event(),
        event(output=FETCHED | {"status_code": 500}, status="failed", error="HTTP 500"),
        {"kind": "run.complete"},
    )
    assert [(one.place, one.node, one.response.status) for one in source.found] == [
        ("line 5", "fetch", 500),
        ("line 3", "later", 200),
    ]
    assert source.said == {"fetch": "HTTP 500"}


def test_a_node_that_ran_twice_has_both_answers_in_their_order(tmp_path):
    outputs = [FETCHED | {"response": {"n": n}} for n in (1, 2)]
    source = read(tmp_path, *(event(output=output, at=n, iteration=n + 1) for n, output in enumerate(outputs)))
    assert [one[2] for one in answered(source)] == [{"n": 1}, {"n": 2}]


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"parent_id": 7}, "it ran inside a workflow that another node called"),
        ({"sub_workflow_events": [{}]}, "it called a workflow, whose nodes are not read"),
        ({"batch_items": [{}]}, "it ran as a batch, whose items are not read"),
        ({"lossy": ["response"]}, "its response could not be stored whole"),
        ({"node_type": "LLMNode"}, "a model's response: record it with `case check --record`"),
        ({"node_output": None}, "the file says nothing of its response"),
    ],
)
def test_what_cannot_be_taken_is_dropped_with_a_reason(tmp_path, more, why):
    source = read(tmp_path, event(**more))
    assert source.found == ()
    assert [(one.what, one.why) for one in source.dropped] == [("line 2 fetch", why)]


def test_a_template_that_stood_in_the_way_is_no_fault_of_the_network_whatever_its_words(tmp_path):
    said = "Error: Template Resolution Failed\n\nUnresolved variables in parameter 'url': ${ssl.timeout}\n  At: node 'a', /x/y.md"
    source = read(tmp_path, event(output=None, status="failed", error=said))
    assert source.found == ()
    assert source.said["fetch"].endswith("${ssl.timeout}")


def test_an_exception_that_speaks_of_the_network_is_a_fault(tmp_path):
    (found,) = read(tmp_path, event(output=None, status="failed", error="Request timed out after 30 seconds")).found
    assert (found.response.status, found.response.fault) == (0, "timeout")


def test_headers_with_credentials_are_reported_so_that_they_can_be_taken_out(tmp_path):
    one, other, third = (secrets.token_hex(12) for _ in range(3))
    params = {"headers": {"X-Auth-Token": one, "Accept": "*/*"}, "auth_token": other, "api_key": third}
    (found,) = read(tmp_path, event(node_params=params)).found
    assert found.headers == (("X-Auth-Token", one), ("Accept", "*/*"), ("authorization", other), ("x-api-key", third))


def test_the_last_line_of_a_run_that_was_killed_is_left_out(tmp_path):
    assert len(read(tmp_path, event(), tail='{"kind": "event", "node_').found) == 1


def test_a_trace_in_one_object_is_read_too(tmp_path):
    path = tmp_path / "trace.json"
    path.write_text(
        json.dumps({"format_version": "2.0.0", "nodes": [event(success=False)]}, indent=2), encoding="utf-8"
    )
    source = read_engine_trace(path)
    assert [one[:2] for one in answered(source)] == [("nodes[0]", "fetch")]
    assert (source.inputs, source.said) == ({}, {"fetch": "it failed"})


@pytest.mark.parametrize("broken", ["text", {"kind": "event", "id": 3}])
def test_an_event_that_is_none_is_named(tmp_path, broken):
    path = tmp_path / "trace.json"
    path.write_text(json.dumps({"format_version": "2.0.0", "nodes": [event(), broken]}), encoding="utf-8")
    with pytest.raises(BadInput, match=r"trace\.json: nodes\[1\]: no event of a node"):
        read_engine_trace(path)


def test_an_event_whose_id_is_no_plain_value_is_an_event(tmp_path):
    assert [one.node for one in read(tmp_path, event(at={"a": 1}), event("later", at=[])).found] == ["fetch", "later"]


@pytest.mark.parametrize("odd", [[], "soon", True, -1, 1e308])
def test_a_time_that_is_none_is_left_out(tmp_path, odd):
    (found,) = read(tmp_path, event(output=FETCHED | {"response_time": odd}, duration_ms=odd)).found
    assert found.response.elapsed_ms == 0

"""Traces of OpenTelemetry: what is a call, which run is meant, and whole imports."""

import json
from itertools import pairwise

import pytest

from mendbench.cassettes import cassette
from mendbench.errors import BadInput
from mendbench.importing.drafting import Wish
from mendbench.importing.interface import json_file
from mendbench.importing.making import import_case
from mendbench.importing.otel.trace import is_otel_trace, is_otel_trace_text, read_otel_trace
from tests.fakes.otlp import export, span, write

BASE = "https://desk.fjord.example"
GOT = {
    "http.request.method": "GET",
    "url.full": f"{BASE}/people/p-1",
    "http.response.status_code": 200,
    "http.response.body.content": '{"note": ""}',
}
SENT = {
    "http.request.method": "POST", "url.full": f"{BASE}/notes", "http.request.body.content": '{ "text": "" }', "http.response.status_code": 422,
    "http.response.body.content": '{"detail": "text is required"}', "http.response.header.content-type": ["application/json"], "error.type": "422",
}  # fmt: skip
TOOL = {
    "mcp.method.name": "tools/call", "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "book", "mcp.server.name": "ferry",
    "gen_ai.tool.call.arguments": {"to": "Bodø"}, "gen_ai.tool.call.result": "fully booked", "error.type": "tool_error",
}  # fmt: skip


def places(source):
    return [one.place for one in source.found]


def imported(tmp_path, source, nodes):
    edges = [{"from": one["id"], "to": other["id"]} for one, other in pairwise(nodes)]
    workflow = {"ir_version": "0.1.0", "nodes": nodes, "edges": edges}
    wish = Wish(case="http/empty-note", source=source, workflow=workflow, provenance="live")
    done = import_case(wish, tmp_path / "cases", tmp_path / "cassettes")
    return done, cassette.load(tmp_path / "cassettes/http/empty-note/world.yaml")


def test_a_trace_of_the_collector_becomes_a_case(tmp_path):
    path = write(
        tmp_path / "traces.json",
        export(span(30, TOOL), span(20, SENT, error="Unprocessable")),
        export(span(1, kind=1), span(10, GOT, parent=1), span(11, {"db.system.name": "sqlite"}), span(12, GOT, kind=2)),
    )
    assert is_otel_trace(json_file(path))
    source = read_otel_trace(path)
    nodes = [
        {"id": "person", "type": "http", "params": {"url": f"{BASE}/people/p-1"}},
        {"id": "note", "type": "http", "params": {"method": "POST", "url": f"{BASE}/notes", "body": {"text": "${person.response.note}"}}},
    ]  # fmt: skip
    done, entries = imported(tmp_path, source, nodes)
    assert done.kept == ("span s10", "span s20")
    assert [(one.request.method, one.response.status, one.response.elapsed_ms) for one in entries] == [
        ("GET", 200, 12),
        ("POST", 422, 12),
    ]
    assert [(one.what, one.why) for one in done.dropped] == [
        ("3 other spans", "no call to an API, a tool or a model"),
        ("span s30 POST mcp://ferry/book", "the workflow did not ask for it"),
    ]
    assert not any("does not replay" in note for note in done.notes)


def test_a_tool_call_becomes_what_an_mcp_node_sends(tmp_path):
    source = read_otel_trace(write(tmp_path / "traces.json", export(span(1, TOOL))))
    nodes = [{"id": "book", "type": "mcp-ferry-book", "params": {"to": "Bodø"}}]
    done, (entry,) = imported(tmp_path, source, nodes)
    assert done.kept == ("span s1",)
    assert json.loads(entry.response.body)["result"] == {
        "content": [{"type": "text", "text": "fully booked"}],
        "isError": True,
    }
    assert "# Seen at book: fully booked" in (tmp_path / "cases/http/empty-note/case.yaml").read_text(encoding="utf-8")


def test_a_chat_answers_an_llm_node(tmp_path):
    chat = {
        "gen_ai.operation.name": "chat", "gen_ai.request.model": "tiny",
        "gen_ai.input.messages": json.dumps([{"role": "user", "parts": [{"type": "text", "content": "Name a port."}]}]),
        "gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": "Bodø"}]}]),
    }  # fmt: skip
    source = read_otel_trace(write(tmp_path / "traces.json", export(span(1, chat), span(2, GOT))))
    port = {"id": "port", "type": "llm", "params": {"model": "tiny", "prompt": "Name a port."}}
    person = {"id": "person", "type": "http", "params": {"url": f"{BASE}/people/p-1"}}
    done, _ = imported(tmp_path, source, [port, person])
    assert done.kept == ("span s1", "span s2")
    assert not any("does not replay" in note for note in done.notes)


def test_a_chat_that_the_trace_lacks_is_named(tmp_path):
    source = read_otel_trace(write(tmp_path / "traces.json", export(span(2, GOT))))
    nodes = [{"id": "port", "type": "llm", "params": {"model": "tiny", "prompt": "Name a port."}}]
    wish = Wish(
        case="http/a", source=source, workflow={"ir_version": "0.1.0", "nodes": nodes, "edges": []}, provenance="live"
    )
    done = import_case(wish, tmp_path / "cases", tmp_path / "cassettes")
    assert any("has no response to POST model://tiny/chat" in note for note in done.notes)


def test_what_the_console_exporter_printed_is_read(tmp_path):
    path = tmp_path / "run.log"
    shared = {
        "kind": "SpanKind.CLIENT",
        "parent_id": None,
        "status": {"status_code": "UNSET"},
        "events": [],
        "links": [],
    }
    times = {"start_time": "2026-03-01T02:00:01.250000Z", "end_time": "2026-03-01T02:00:01.290500Z"}
    ids = [{"trace_id": f"0x{n:032x}", "span_id": f"0x{n:016x}", "trace_state": "[]"} for n in (1, 2)]
    later = {"context": ids[0], **shared, **times, "attributes": SENT}
    first = {"context": ids[1], **shared, **times, "start_time": "2026-03-01T02:00:01.249999Z", "attributes": GOT}
    path.write_text("\n".join(json.dumps(one, indent=4) for one in (later, first)) + '\n{\n    "cont', encoding="utf-8")
    source = read_otel_trace(path)
    assert is_otel_trace(later)
    assert is_otel_trace_text(path.read_text("utf-8"))
    assert places(source) == [f"span {2:016x}", f"span {1:016x}"]
    assert source.found[1].response.elapsed_ms == 40


def test_of_several_runs_the_last_one_with_an_error_is_taken(tmp_path):
    runs = [
        export(span(n, GOT, trace=f"t{n}"), span(n + 1, SENT | {"error.type": ""}, trace=f"t{n}", error="no" if n == 20 else None))
        for n in (10, 20, 30)
    ]  # fmt: skip
    source = read_otel_trace(write(tmp_path / "traces.json", *runs))
    assert places(source) == ["span s20", "span s21"]
    assert [str(one.what) for one in source.dropped] == ["4 calls"]
    assert "2 other traces than t20, the last one with an error" in source.dropped[0].why


def test_calls_without_a_common_parent_are_one_run(tmp_path):
    calls = [span(n, GOT, trace=f"t{n}") for n in range(3)]
    assert len(read_otel_trace(write(tmp_path / "traces.json", export(*calls))).found) == 3


def test_a_tool_call_that_agent_and_client_traced_is_one(tmp_path):
    outer = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "book"}
    source = read_otel_trace(write(tmp_path / "traces.json", export(span(1, outer, kind=1), span(2, TOOL, parent=1))))
    assert (places(source), [one.what for one in source.dropped]) == (["span s2"], ["another span"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (json.dumps(export(span(1, kind=2))), "no span is a call of a client"),
        (
            json.dumps(export(span(1, GOT | {"http.request.method": "PUT"}))),
            "does not hold the body that it sent: span s1 PUT",
        ),
        (json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [{"spanId": 1}]}]}]}), r"value 1: no span \(KeyError"),
        ('{"resourceSpans": []}\n{"a": 1}', "value 2: no spans"),
        ('{"resourceSpans": []}\nhello\n', "traces.json:2: no JSON"),
        ('{"resourceSpans": []}\n{"resourceS\n{"resourceSpans": []}\n', "traces.json:2: no JSON"),
    ],
)
def test_what_is_no_trace_of_calls_is_named(tmp_path, text, said):
    path = tmp_path / "traces.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=said):
        read_otel_trace(path)


def test_other_documents_are_not_taken_for_traces():
    for other in ({}, {"log": {}}, {"lines": []}, {"lines": [{"kind": "meta"}]}, {"executions": []}, {"lines": ["x"]}):
        assert not is_otel_trace(other)

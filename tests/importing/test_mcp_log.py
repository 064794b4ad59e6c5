"""MCP logs in the shapes that clients and loggers write; pairing by id, direction and session."""

import json

import pytest

from mendbench.errors import BadInput
from mendbench.importing.drafting import Wish
from mendbench.importing.interface import json_file
from mendbench.importing.making import import_case
from mendbench.importing.mcp_log import is_mcp_log, is_mcp_log_text, read_mcp_log


def request(number, method="tools/call", **params):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def call(number, tool="weigh", **arguments):
    return request(number, name=tool, arguments=arguments)


def result(number, text="12", **more):
    return {"jsonrpc": "2.0", "id": number, "result": {"content": [{"type": "text", "text": text}], **more}}


START = request(0, "initialize", protocolVersion="2025-06-18", clientInfo={"name": "kiln"})
STARTED = {"jsonrpc": "2.0", "id": 0, "result": {"serverInfo": {"name": "scales", "version": "2"}}}
CANCEL = {"jsonrpc": "2.0", "method": "notifications/cancelled"}


def written(tmp_path, *lines):
    path = tmp_path / "mcp.jsonl"
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines), "utf-8")
    return path


def read(tmp_path, *lines):
    return read_mcp_log(written(tmp_path, *lines))


def exchanges(source):
    return [
        (one.request.url, json.loads(one.request.body), json.loads(one.response.body or b"null"), one.response.fault)
        for one in source.found
    ]


def whys(source):
    return {one.what: one.why for one in source.dropped}


def test_every_shape_of_a_log_gives_the_same_exchanges(tmp_path):
    messages = [START, STARTED, call(1, mark="b"), result(1)]
    sides = ["client", "server", "client", "server"]
    text = "2026-02-03T04:05:0{}.5Z [info] [scales] Message from {}: {} {{ metadata: undefined }}"
    shapes = {
        "bare": messages,
        "array": [json.dumps(messages, indent=1)],
        "batches": [[messages[0]], [messages[1]], messages[2:]],
        "wrapped": [
            {"direction": f"{side}_out", "ts": 1770000000 + at, "message": one}
            for at, (side, one) in enumerate(zip(sides, messages, strict=True))
        ],
        "wrapped as text": [{"server": {"name": "scales"}, "data": json.dumps(one)} for one in messages],
        "client log": [
            text.format(at, side, json.dumps(one)) for at, (side, one) in enumerate(zip(sides, messages, strict=True))
        ],
    }
    for name, lines in shapes.items():
        path = written(tmp_path, *lines)
        assert exchanges(read_mcp_log(path)) == [("mcp://scales/weigh", {"mark": "b"}, result(1), None)], name
        if name == "client log":
            assert is_mcp_log_text(path.read_text("utf-8"))
        else:
            assert is_mcp_log(json_file(path)), name


def test_other_files_are_no_mcp_log(tmp_path):
    for lines in ([{"log": {"entries": []}}], [{"kind": "meta"}, {"kind": "node"}], [[1, 2]]):
        assert not is_mcp_log(json_file(written(tmp_path, *lines))), lines
    assert not is_mcp_log_text('2026-02-03 started\n{"jsonrpc": "1.0", "method": "tools/call"}\n')


def test_the_time_between_two_messages_is_how_long_the_call_took(tmp_path):
    def logged(at, one):
        return {"timestamp": at, "payload": one}

    times = [("2026-02-03T04:05:06.000Z", "2026-02-03T04:05:06.250+00:00"), (1770000000000, 1770000000250), (5.0, 5.25)]
    for before, after in times:
        source = read(tmp_path, logged(before, call(1)), logged(after, result(1)))
        assert source.found[0].response.elapsed_ms == 250, before
    assert read(tmp_path, call(1), result(1)).found[0].response.elapsed_ms == 0


def test_errors_and_failed_tools_are_responses_and_ids_never_matter(tmp_path):
    refused = {"jsonrpc": "2.0", "id": "x-9", "error": {"code": -32602, "message": "no such mark"}}
    source = read(tmp_path, call("x-9"), call(8), result(8, "broken", isError=True), refused)
    assert [seen for _, _, seen, _ in exchanges(source)] == [{**refused, "id": 1}, result(1, "broken", isError=True)]
    assert {one.response.status for one in source.found} == {200}


def test_the_list_of_tools_is_an_exchange_and_its_later_pages_are_not(tmp_path):
    tools = {"jsonrpc": "2.0", "id": 1, "result": {"tools": [], "nextCursor": "p2"}}
    source = read(tmp_path, request(1, "tools/list"), tools, request(2, "tools/list", cursor="p2"), {**tools, "id": 2})
    assert exchanges(source) == [("mcp://server/tools/list", {}, tools, None)]
    assert "a later page" in whys(source)["line 3 tools/list"]


def test_the_same_id_of_both_sides_is_two_things(tmp_path):
    sample = request(1, "sampling/createMessage", messages=[])
    sampled = {"jsonrpc": "2.0", "id": 1, "result": {"role": "assistant", "model": "m", "content": {}}}
    refused = {"jsonrpc": "2.0", "id": 1, "error": {"code": -1, "message": "declined"}}
    source = read(tmp_path, call(1), sample, sampled, result(1))
    assert [seen for _, _, seen, _ in exchanges(source)] == [result(1)]

    def said(side, one):
        return {"from": side, "message": one}

    attributed = [said("host", call(1)), said("tool", sample), said("host", refused), said("tool", result(1))]
    assert [seen for _, _, seen, _ in exchanges(read(tmp_path, *attributed))] == [result(1)]
    unattributed = read(tmp_path, call(7), result(7), call(1), sample, refused)
    assert "does not show who sent it" in whys(unattributed)["line 5 response"]
    assert len(unattributed.found) == 1


def test_ids_start_again_with_each_session(tmp_path):
    source = read(tmp_path, START, STARTED, call(1, mark="a"), START, STARTED, call(1, mark="b"), result(1))
    assert [sent for _, sent, _, _ in exchanges(source)] == [{"mark": "b"}]
    assert whys(source)["line 3 tools/call weigh"] == "the session ended before its response"


def test_two_servers_in_one_log_count_their_own_ids(tmp_path):
    lines = [{"server": name, "message": one} for one in (call(1), result(1)) for name in ("scales", "kiln")]
    assert [url for url, *_ in exchanges(read(tmp_path, *lines))] == ["mcp://scales/weigh", "mcp://kiln/weigh"]


def test_a_cancelled_call_is_a_timeout_only_if_the_log_says_so(tmp_path):
    def cancelled(reason):
        return {**CANCEL, "params": {"requestId": 1, "reason": reason}}

    source = read(tmp_path, call(1), cancelled("McpError: Request timed out"), result(1))
    assert exchanges(source) == [("mcp://server/weigh", {}, None, "timeout")]
    assert whys(source) == {"line 3 response": "no request has its id"}
    stopped = read(tmp_path, call(1), cancelled("user pressed stop"), call(2), result(2))
    assert whys(stopped) == {"line 1 tools/call weigh": "it was cancelled: user pressed stop"}


def test_whatever_is_not_imported_is_named_with_a_reason(tmp_path):
    source = read(
        tmp_path,
        "a line of the server's own",
        call(1),
        call(1),
        result(1),
        request(2, "resources/read", uri="kiln://log"),
        {"jsonrpc": "2.0", "id": 2, "result": {"contents": []}},
        {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progress": 1}},
        '2026-02-03 Message from server: {"jsonrpc":"2.0","id":3,"result":{"conte',
        call(4, "tip"),
    )
    assert whys(source) == {
        "1 lines": "they hold no JSON-RPC message",
        "line 8": "its JSON-RPC message is cut off or broken",
        "line 3 tools/call weigh": "the log holds it twice",
        "line 5 resources/read": "mendbench's nodes call and list tools: they send nothing else",
        "line 7 notifications/progress": "a notification: it has no response",
        "line 9 tools/call tip": "the log ends before its response",
    }


def test_a_log_without_a_call_is_refused_in_one_line(tmp_path):
    for lines, said in (
        ([START, STARTED], "no tool call with a response (line 1 initialize:"),
        (["nothing"], "no JSON-RPC message"),
    ):
        with pytest.raises(BadInput) as caught:
            read(tmp_path, *lines)
        assert said in str(caught.value)


def test_an_import_of_a_log_replays_and_names_what_failed(tmp_path):
    text = '{{"order": "{}"}}'
    source = read(
        tmp_path,
        START,
        STARTED,
        call(1, "find", plate="k-7"),
        result(1, text.format("o-1")),
        call(2, "book", order="o-1"),
        result(2, "slot is required", isError=True),
    )
    nodes = [
        {
            "id": "find",
            "type": "mcp",
            "params": {"server": "scales", "tool": "find", "arguments": {"plate": "${plate}"}},
        },
        {
            "id": "book",
            "type": "mcp",
            "params": {"server": "scales", "tool": "book", "arguments": {"order": "${find.result.order}"}},
        },
    ]
    workflow = {
        "ir_version": "0.1.0",
        "inputs": {"plate": {"type": "string"}},
        "nodes": nodes,
        "edges": [{"from": "find", "to": "book"}],
    }
    wish = Wish(case="mcp/slot-missing", source=source, workflow=workflow, inputs={"plate": "k-7"}, provenance="live")
    imported = import_case(wish, tmp_path / "cases", tmp_path / "cassettes")
    assert imported.kept == ("line 3", "line 5")
    assert not [note for note in imported.notes if "replay" in note or "no response" in note]
    assert "# Seen at book: slot is required" in (tmp_path / "cases/mcp/slot-missing/case.yaml").read_text("utf-8")

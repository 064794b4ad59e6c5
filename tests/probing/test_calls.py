import json

import pytest

from mendbench.errors import BadInput
from mendbench.probing.calls import calls_from_schemas, checked, placed, read_calls, read_log
from mendbench.probing.tools import Tool
from tests.fakes import probed


def test_calls_are_read_one_a_line(tmp_path):
    found = read_calls(probed.calls_file(tmp_path))
    assert [(one.tool, one.arguments, one.request) for one in found] == [
        (one.tool, one.arguments, one.request) for one in probed.CALLS
    ]
    assert found[1].place == f"{tmp_path / 'calls.jsonl'}: line 2"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("find the book", r"line 1: no JSON \(.*\); write one call a line: "),
        ("[]", "line 1: no object with the name of a tool; "),
        ('{"arguments": {}}', "line 1: no object with the name of a tool; "),
        ('{"tool": "find_book", "arguments": ["s-17"]}', "line 1: arguments: a list; write them as an object"),
        ('{"tool": "find_book", "request": 3}', "line 1: request: a int; write what the user asked for"),
        ('{"tool": "find_book", "args": {}}', "line 1: unknown field 'args'; did you mean 'arguments'"),
        ("", "calls.jsonl: no calls; write one call a line"),
    ],
)
def test_a_line_that_is_no_call_is_named(tmp_path, line, message):
    with pytest.raises(BadInput, match=message):
        read_calls(probed.calls_file(tmp_path, line))


def test_a_call_of_an_unknown_tool_is_named():
    with pytest.raises(BadInput, match="line 1: unknown tool 'find_book'; did you mean 'find_books'"):
        checked(probed.CALLS, [Tool(name="find_books", schema={})])


def log(tmp_path, *pairs):
    path = tmp_path / "log.jsonl"
    messages = []
    for number, (tool, arguments, result) in enumerate(pairs):
        params = {"name": tool, "arguments": arguments}
        messages += [{"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}]
        messages += [{"jsonrpc": "2.0", "id": number, **result}]
    path.write_text("".join(f"{json.dumps(one)}\n" for one in messages), "utf-8")
    return path


def text(said, **more):
    return {"result": {"content": [{"type": "text", "text": said}], **more}}


def test_calls_of_a_log_are_those_that_succeeded_each_once(tmp_path):
    good, bad = ("find_book", {"shelf_id": "s-17"}, text("Bread")), ("find_book", {}, text("KeyError", isError=True))
    refused = ("lend_book", {}, {"error": {"code": -32602, "message": "Invalid params"}})
    (call,) = read_log(log(tmp_path, good, bad, refused, good))
    assert (call.tool, call.arguments) == ("find_book", {"shelf_id": "s-17"})
    with pytest.raises(BadInput, match="log.jsonl: no tool call that succeeded; "):
        read_log(log(tmp_path, bad, refused))


def test_schemas_give_a_call_where_every_required_argument_has_a_value():
    def tool(name, *required, examples=(), **properties):
        schema = {"required": list(required), "properties": properties}
        return Tool(name=name, schema={**schema, **({"examples": list(examples)} if examples else {})})

    found = calls_from_schemas(
        [
            tool("all", "kind", "size", kind={"enum": ["ash", "lime"]}, size={"default": 3}, note={"type": "string"}),
            tool("whole", "kind", examples=[{"kind": "ash"}], kind={"type": "string"}),
            tool("first", "kind", kind={"examples": ["clay", "ash"]}, day={"default": None}),
            tool("lacking", "kind", "size", kind={"const": "ash"}, size={"type": "integer"}),
            tool("nothing"),
        ]
    )
    assert {one.tool: one.arguments for one in found} == {
        "all": {"kind": "ash", "size": 3}, "whole": {"kind": "ash"}, "first": {"kind": "clay"},
    }  # fmt: skip


def test_the_path_of_the_folder_is_put_everywhere():
    assert placed({"a": ["{folder}/x", 3]}, "/srv") == {"a": ["/srv/x", 3]}
    assert placed("{folder}", "") == "{folder}"

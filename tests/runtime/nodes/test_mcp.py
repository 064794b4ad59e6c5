import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.runtime.nodes.mcp import NODE
from tests.fakes.engine import FakeWorld, fault, rpc, said

URL = "POST mcp://slack/post_message"


def run(response, **params):
    world = FakeWorld({URL: response})
    output = NODE.run({"server": "slack", "tool": "post_message", **params}, world.send, world.clock)
    return output, world


def texts(*words, **rest):
    return {"content": [{"type": "text", "text": word} for word in words], **rest}


def test_the_arguments_go_as_canonical_json_to_the_tool_of_the_server():
    _, world = run(rpc(texts("done")), arguments={"text": "hi", "channel": "C1"})
    assert world.sent[0].body == b'{"channel":"C1","text":"hi"}'
    assert world.sent[0].timeout_s == 30


def test_a_text_that_is_json_is_parsed_and_its_fields_become_outputs():
    output, _ = run(rpc(texts(json.dumps({"ok": True, "ts": "1.2", "_meta": 1, "is_new": True}))))
    assert output.outputs["result"] == {"ok": True, "ts": "1.2", "_meta": 1, "is_new": True}
    assert output.outputs["slack_post_message_result"] == output.outputs["result"]
    assert output.outputs["ts"] == "1.2"
    assert "_meta" not in output.outputs
    assert "is_new" not in output.outputs
    assert output.noticed is None


def test_structured_content_comes_before_texts():
    output, _ = run(rpc(texts("other", structuredContent={"id": 1})))
    assert output.outputs["result"] == {"id": 1}


@pytest.mark.parametrize(
    ("said_text", "value"),
    [
        ("hello", "hello"),
        ("1234567890123456789", "1234567890123456789"),
        ("{'a': True, 'b': None}", {"a": True, "b": None}),
        ("{'a': {1}}", "{'a': {1}}"),
        ("[1, 2", "[1, 2"),
        ("", ""),
    ],
)
def test_texts_are_parsed_only_where_they_are_objects_or_lists(said_text, value):
    assert run(rpc(texts(said_text)))[0].outputs["result"] == value


def test_several_blocks_become_a_list():
    output, _ = run(rpc({"content": [{"type": "text", "text": "{}"}, {"type": "image", "data": "x"}]}))
    assert output.outputs["result"] == [{}, {"type": "image", "data": "x"}]


def test_an_object_that_has_an_error_keeps_its_fields_to_itself():
    output, _ = run(rpc(texts('{"ok": false, "error": "channel_not_found"}')))
    assert set(output.outputs) == {"result", "slack_post_message_result"}
    assert output.noticed is None
    assert output.answered.body["result"]["content"][0]["text"] == '{"ok": false, "error": "channel_not_found"}'


def test_a_field_cannot_take_the_place_of_the_result():
    output, _ = run(rpc(texts('{"result": 5, "slack_post_message_result": 6}')))
    assert output.outputs["result"] == {"result": 5, "slack_post_message_result": 6}


def test_a_tool_error_is_noticed_in_its_own_words():
    words = "Input validation error: 'channel' is a required property"
    output, _ = run(rpc(texts(words, isError=True)))
    assert (output.noticed.kind, output.noticed.message) == ("mcp", words)
    assert output.outputs["error"] == words
    assert output.outputs["error_details"] == {"server": "slack", "tool": "post_message", "is_tool_error": True}


def test_a_tool_error_without_words_has_some():
    assert run(rpc({"isError": True}))[0].noticed.message == "Tool execution failed"


def test_a_protocol_error_is_noticed():
    output, _ = run(rpc(error={"code": -32602, "message": "Unknown tool: nope"}))
    assert (output.noticed.kind, output.noticed.message) == ("mcp", "MCP tool failed: Unknown tool: nope")
    assert output.outputs["error_details"]["timeout"] is False


@pytest.mark.parametrize("error", ["boom", {"code": 5}, ["a"], 7])
def test_a_protocol_error_of_any_form_has_words(error):
    assert run(rpc(error=error))[0].noticed.message.startswith("MCP tool failed: ")


@pytest.mark.parametrize(
    ("response", "kind", "words"),
    [
        (fault("timeout"), "transport", "MCP tool failed: MCP tool timed out after 30 seconds"),
        (
            fault("dns"),
            "transport",
            "MCP tool failed: Could not connect to MCP server slack: the host name does not resolve",
        ),
        (said("", 401), "mcp", "MCP tool failed: Authentication failed. Check your API credentials."),
        (said("no", 418), "mcp", "MCP tool failed: HTTP error 418: no"),
        (said("", 500), "mcp", "MCP tool failed: Server error (HTTP 500). The server encountered an error."),
    ],
)
def test_a_server_that_is_not_reached_is_noticed(response, kind, words):
    output, _ = run(response)
    assert (output.noticed.kind, output.noticed.message) == (kind, words)


def test_a_server_that_is_busy_is_asked_again():
    output, world = run([said("", 429), rpc(texts("done"))])
    assert output.outputs["result"] == "done"
    assert len(world.sent) == 2


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"server": ""}, "requires 'server'"),
        ({"tool": 5}, "must be a string"),
        ({"arguments": []}, "must be an object"),
    ],
)
def test_a_parameter_that_cannot_be_used_is_named(params, words):
    with pytest.raises((ValueError, TypeError), match=words):
        run(rpc(texts("x")), **params)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["result", "error", "content", "isError", "text", "type", "structuredContent", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(json_values)
def test_no_answer_breaks_the_node(body):
    output, _ = run(said(body))
    assert json.dumps(output.outputs) is not None
    output, _ = run(rpc(body))
    assert "result" in output.outputs

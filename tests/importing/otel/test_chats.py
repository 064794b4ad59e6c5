"""Chats: the request of an ``llm`` node from each form in which messages are written."""

import json

from mendbench.importing.interface import Dropped
from mendbench.importing.matching import request_form
from mendbench.importing.otel.chats import chat_exchange, is_chat
from mendbench.io.virtual_clock import VirtualClock
from mendbench.model.exchange import Response
from mendbench.runtime.nodes import llm
from tests.fakes.otlp import made

ASKED = {
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "small/one",
    "gen_ai.request.temperature": 0.0,
    "gen_ai.request.max_tokens": 50,
}
PROMPT = [{"role": "user", "parts": [{"type": "text", "content": "Name a tide."}]}]
REPLY = [
    {
        "role": "assistant",
        "parts": [{"type": "reasoning", "content": "hm"}, {"type": "text", "content": "Ebb."}],
        "finish_reason": "length",
    }
]
SYSTEM = [{"type": "text", "content": "Be brief."}]


def sent_by_the_node():
    sent = []

    def send(request):
        sent.append(request)
        return Response(status=200, body=b'{"choices": [{"message": {"content": "Ebb."}}]}')

    llm.run(
        {"model": "small/one", "prompt": "Name a tide.", "system": "Be brief.", "temperature": 0, "max_tokens": 50},
        send,
        VirtualClock(),
    )
    return sent[0]


def test_each_form_gives_the_request_of_the_node_and_the_text():
    one = {
        "gen_ai.input.messages": json.dumps(PROMPT),
        "gen_ai.output.messages": json.dumps(REPLY),
        "gen_ai.system_instructions": json.dumps(SYSTEM),
    }
    numbered = {
        "gen_ai.prompt.0.role": "system", "gen_ai.prompt.0.content": "Be brief.", "gen_ai.prompt.1.role": "user",
        "gen_ai.prompt.1.content": "Name a tide.", "gen_ai.completion.0.content": "Ebb.", "gen_ai.completion.0.finish_reason": "length",
    }  # fmt: skip
    per_message = [
        ("gen_ai.system.message", {"content": "Be brief."}), ("gen_ai.user.message", {"gen_ai.event.content": '{"content": "Name a tide."}'}),
        ("gen_ai.choice", {"message": '{"content": "Ebb."}', "finish_reason": "length"}),
    ]  # fmt: skip
    two_events = [
        ("gen_ai.content.prompt", {"gen_ai.prompt": json.dumps([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Name a tide."}])}),
        ("gen_ai.content.completion", {"gen_ai.completion": json.dumps([{"role": "assistant", "content": "Ebb.", "finish_reason": "length"}])}),
    ]  # fmt: skip
    structured = {
        "gen_ai.input.messages": PROMPT,
        "gen_ai.output.messages": REPLY,
        "gen_ai.system_instructions": SYSTEM,
    }
    spans = {
        "attributes": made(ASKED | one),
        "structured": made(ASKED | structured),
        "event": made(ASKED, events=[("gen_ai.client.inference.operation.details", one)]),
        "numbered": made(ASKED | numbered),
        "per message": made(ASKED, events=per_message),
        "two events": made(ASKED, events=two_events),
    }
    for form, span in spans.items():
        read = chat_exchange(span)
        assert request_form(read.request) == request_form(sent_by_the_node()), form
        choice = json.loads(read.response.body)["choices"][0]
        assert (choice["message"]["content"], choice["finish_reason"]) == ("Ebb.", "length"), form


def test_tokens_are_counted_as_the_api_counts_them():
    for names in (("input_tokens", "output_tokens"), ("prompt_tokens", "completion_tokens")):
        counts = {f"gen_ai.usage.{name}": number for name, number in zip(names, (7, 2), strict=True)}
        read = chat_exchange(made(ASKED | counts | {"gen_ai.input.messages": PROMPT, "gen_ai.output.messages": REPLY}))
        assert json.loads(read.response.body)["usage"] == {
            "prompt_tokens": 7,
            "completion_tokens": 2,
            "total_tokens": 9,
        }


def test_what_no_request_can_be_made_of_is_dropped_with_a_reason():
    both = {"gen_ai.input.messages": PROMPT, "gen_ai.output.messages": REPLY}
    calls = [{"role": "assistant", "parts": [{"type": "tool_call", "name": "book", "arguments": {}}]}]
    table = [
        ({"gen_ai.request.model": ""} | both, "the span does not name the model"),
        (
            both | {"gen_ai.tool.definitions": [{"name": "book"}]},
            "it offers tools: record it with `case check --record`",
        ),
        ({"gen_ai.input.messages": PROMPT, "error.type": "429"}, "the span does not hold its response (429)"),
        ({"gen_ai.output.messages": REPLY}, "the span does not hold its messages"),
        (both | {"gen_ai.output.messages": calls}, "a message has a part that is not text (tool_call)"),
        (both | {"gen_ai.input.messages": '[{"role": "us'}, "its messages have no known form, or were cut"),
    ]
    for attributes, why in table:
        read = chat_exchange(made(ASKED | attributes))
        assert isinstance(read, Dropped)
        assert read.why == why
    assert not is_chat(made(ASKED | {"gen_ai.operation.name": "embeddings"}))

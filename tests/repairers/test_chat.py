"""Model requests of a chat model, and its responses."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.errors import BadInput, Incomplete
from mendbench.exchanges.urls import host_of
from mendbench.io.canonical_json import canonical_json, digest
from mendbench.model.exchange import Response
from mendbench.repairers import Options, repairer
from mendbench.repairers.asking import read_response
from mendbench.repairers.chat import ChatRepairer
from tests.fakes.model_worlds import FakeModelWorld, completion
from tests.repairers.prompts import plain

EDITS = '{"edits": []}'


def ask_of(chat, prompt=None, sample=0, times_asked=0):
    model_world = FakeModelWorld([completion(EDITS)])
    chat.reply(prompt or plain(), model_world, sample=sample, times_asked=times_asked)
    return model_world


def answer_to(response):
    return ChatRepairer(model="m").reply(plain(), FakeModelWorld([response]), sample=0, times_asked=0)


def test_an_ask_holds_the_model_the_messages_the_parameters_and_the_draw():
    model_world = ask_of(ChatRepairer(model="tiny"))
    assert model_world.model_requests == [
        {
            "model": "tiny",
            "messages": [
                {"role": "system", "content": "You mend."},
                {"role": "user", "content": "Mend it.\n\nIt failed."},
            ],
            "params": {"temperature": 0, "max_tokens": 400},
            "response_format": None,
            "draw": 0,
        }
    ]
    assert (model_world.sent[0].method, model_world.sent[0].url) == ("POST", "model://tiny/chat")


def test_the_body_is_the_same_bytes_each_time_and_in_every_order_of_parameters():
    first = ask_of(ChatRepairer(model="m", params={"temperature": 0, "max_tokens": 9})).sent[0].body
    second = ask_of(ChatRepairer(model="m", params={"max_tokens": 9, "temperature": 0.0})).sent[0].body
    assert first == second == canonical_json(json.loads(first)).encode()


@given(params=st.dictionaries(st.sampled_from(["temperature", "top_p", "max_tokens", "stop"]), st.integers(0, 3)))
def test_only_configured_parameters_are_sent(params):
    assert ask_of(ChatRepairer(model="m", params=params), sample=2, times_asked=1).model_requests[0]["params"] == params


def test_a_response_format_is_sent_where_it_is_configured():
    shape = {"type": "json_object"}
    assert ask_of(ChatRepairer(model="m", response_format=shape)).model_requests[0]["response_format"] == shape


@given(sample=st.integers(0, 9), times=st.integers(0, 9))
def test_at_temperature_0_every_draw_is_the_same_ask(sample, times):
    chat = ChatRepairer(model="m", params={"temperature": 0.0}, base_seed=7)
    assert ask_of(chat, sample=sample, times_asked=times).sent[0].body == ask_of(chat).sent[0].body


def test_above_it_each_sample_and_each_time_is_a_draw_of_its_own():
    chat = ChatRepairer(model="m", params={"temperature": 0.7})
    draws = [ask_of(chat, sample=s, times_asked=n).model_requests[0]["draw"] for s, n in ((0, 0), (0, 1), (3, 2))]
    assert draws == [[0, 0], [0, 1], [3, 2]]


def test_a_seed_is_counted_from_the_base_and_sent_only_where_there_is_one():
    hot = {"temperature": 0.7}
    seeded = ask_of(ChatRepairer(model="m", params=hot, base_seed=5), sample=3, times_asked=2).model_requests[0][
        "params"
    ]
    assert seeded == {"temperature": 0.7, "seed": 3007}
    assert "seed" not in ask_of(ChatRepairer(model="m", params=hot), sample=3).model_requests[0]["params"]


def test_a_server_that_gets_no_temperature_draws_each_time():
    assert ask_of(ChatRepairer(model="m", params={}), sample=1).model_requests[0]["draw"] == [1, 0]


def test_the_configured_parameters_are_left_as_they_were():
    params = {"temperature": 1}
    ask_of(ChatRepairer(model="m", params=params, base_seed=1))
    assert params == {"temperature": 1}


@pytest.mark.parametrize("model", ["org/model:1.5b", "a b", "Ünï"])
def test_a_models_name_may_hold_anything(model):
    model_world = ask_of(ChatRepairer(model=model))
    assert model_world.model_requests[0]["model"] == model
    assert host_of(model_world.sent[0].url)


def test_half_a_surrogate_pair_is_sent_as_its_escape():
    model_world = ask_of(ChatRepairer(model="m"), plain("broken \ud800 text"))
    assert model_world.model_requests[0]["messages"][1]["content"].endswith("broken \ud800 text")


def test_an_answer_is_read_with_its_usage():
    usage = {"prompt_tokens": 812, "completion_tokens": 31, "total_tokens": 843}
    reply = answer_to(completion(EDITS, usage=usage, elapsed_ms=2100))
    assert (reply.text, reply.status, reply.model) == (EDITS, "answered", "m")
    assert (reply.prompt_tokens, reply.completion_tokens, reply.elapsed_ms) == (812, 31, 2100)


def test_a_reply_carries_the_digest_of_its_ask():
    model_world = FakeModelWorld([completion(EDITS)])
    reply = ChatRepairer(model="m").reply(plain(), model_world, sample=0, times_asked=0)
    assert reply.model_request == digest(model_world.model_requests[0])


def test_an_answer_without_usage_has_no_counts():
    reply = answer_to(completion(EDITS))
    assert (reply.prompt_tokens, reply.completion_tokens) == (None, None)


def test_an_answer_that_hit_its_limit_is_cut():
    assert answer_to(completion('{"edits": [', finish_reason="length")).status == "cut"


def test_text_parts_are_joined_and_a_refusal_is_empty():
    parts = [{"type": "text", "text": '{"edits"'}, {"type": "text", "text": ": []}"}]
    assert answer_to(completion(parts)).text == EDITS
    assert answer_to(completion(None)).text == ""


@pytest.mark.parametrize(
    "body",
    [
        {
            "error": {
                "code": "context_length_exceeded",
                "message": "This model's maximum context length is 4096 tokens.",
            }
        },
        {
            "error": {
                "code": 400,
                "type": "exceed_context_size_error",
                "message": "the request exceeds the available context size",
            }
        },
        {"error": {"message": "prompt is too long: 9000 tokens > 8192 maximum"}},
    ],
)
def test_a_refusal_for_length_is_a_prompt_too_long(body):
    assert answer_to(Response(status=400, body=json.dumps(body).encode())).status == "prompt_too_long"


@pytest.mark.parametrize(
    "response",
    [
        Response(status=0, fault="timeout"),
        Response(status=0, fault="truncated", body=completion(EDITS).body),
        Response(status=400, body=b'{"error": {"message": "unknown field seed"}}'),
        Response(status=401, body=b'{"error": "no key"}'),
        Response(status=500, body=completion(EDITS).body),
        Response(status=200, body=b"<html>busy</html>"),
        Response(status=200, body=b'{"choices": []}'),
        Response(status=200, body=b'{"choices": [null]}'),
        Response(status=200, body=b""),
        Response(status=503, body=b"context length of our queue"),
    ],
)
def test_what_is_no_answer_is_never_taken_for_one(response):
    with pytest.raises(Incomplete, match="model 'm' gave no response"):
        answer_to(response)


def test_it_cannot_be_made_without_a_model():
    with pytest.raises(BadInput, match="name one with --model"):
        repairer("chat")


def test_it_is_made_from_options():
    chat = repairer("chat", Options(model="m", params={"temperature": 0.5}, base_seed=3))
    assert (chat.name, chat.model) == ("chat", "m")
    seed = ask_of(chat).model_requests[0]["params"]["seed"]
    assert math.isclose(seed, 3)


def test_the_arguments_of_a_tool_call_are_the_response():
    call = {"id": "c1", "type": "function", "function": {"name": "edit_workflow", "arguments": '{"edits": []}'}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    body = json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}).encode()
    response = Response(status=200, headers=(("content-type", "application/json"),), body=body)
    assert read_response(response, model="m", model_request="r").text == '{"edits": []}'


@pytest.mark.parametrize("calls", [None, [], "edit", [None], [{"function": None}], [{"function": {"arguments": 3}}]])
def test_a_tool_call_without_arguments_is_an_empty_response(calls):
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    body = json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}).encode()
    response = Response(status=200, headers=(("content-type", "application/json"),), body=body)
    assert read_response(response, model="m", model_request="r").text == ""

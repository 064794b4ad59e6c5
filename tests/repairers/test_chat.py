"""Asks of a chat model, and its answers."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.errors import BadInput, Incomplete
from mendbench.exchanges.urls import host_of
from mendbench.io.canonical_json import canonical_json, digest
from mendbench.model.exchange import Answer
from mendbench.repairers import Options, repairer
from mendbench.repairers.chat import ChatRepairer
from tests.fakes.asks import FakeAsks, completion
from tests.repairers.prompts import plain

EDITS = '{"edits": []}'


def ask_of(chat, prompt=None, sample=0, times_asked=0):
    asks = FakeAsks([completion(EDITS)])
    chat.reply(prompt or plain(), asks, sample=sample, times_asked=times_asked)
    return asks


def answer_to(answer):
    return ChatRepairer(model="m").reply(plain(), FakeAsks([answer]), sample=0, times_asked=0)


def test_an_ask_holds_the_model_the_messages_the_parameters_and_the_draw():
    asks = ask_of(ChatRepairer(model="tiny"))
    assert asks.asks == [
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
    assert (asks.sent[0].method, asks.sent[0].url) == ("POST", "model://tiny/chat")


def test_the_body_is_the_same_bytes_each_time_and_in_every_order_of_parameters():
    first = ask_of(ChatRepairer(model="m", params={"temperature": 0, "max_tokens": 9})).sent[0].body
    second = ask_of(ChatRepairer(model="m", params={"max_tokens": 9, "temperature": 0.0})).sent[0].body
    assert first == second == canonical_json(json.loads(first)).encode()


@given(params=st.dictionaries(st.sampled_from(["temperature", "top_p", "max_tokens", "stop"]), st.integers(0, 3)))
def test_only_configured_parameters_are_sent(params):
    assert ask_of(ChatRepairer(model="m", params=params), sample=2, times_asked=1).asks[0]["params"] == params


def test_a_response_format_is_sent_where_it_is_configured():
    shape = {"type": "json_object"}
    assert ask_of(ChatRepairer(model="m", response_format=shape)).asks[0]["response_format"] == shape


@given(sample=st.integers(0, 9), times=st.integers(0, 9))
def test_at_temperature_0_every_draw_is_the_same_ask(sample, times):
    chat = ChatRepairer(model="m", params={"temperature": 0.0}, base_seed=7)
    assert ask_of(chat, sample=sample, times_asked=times).sent[0].body == ask_of(chat).sent[0].body


def test_above_it_each_sample_and_each_time_is_a_draw_of_its_own():
    chat = ChatRepairer(model="m", params={"temperature": 0.7})
    draws = [ask_of(chat, sample=s, times_asked=n).asks[0]["draw"] for s, n in ((0, 0), (0, 1), (3, 2))]
    assert draws == [[0, 0], [0, 1], [3, 2]]


def test_a_seed_is_counted_from_the_base_and_sent_only_where_there_is_one():
    hot = {"temperature": 0.7}
    seeded = ask_of(ChatRepairer(model="m", params=hot, base_seed=5), sample=3, times_asked=2).asks[0]["params"]
    assert seeded == {"temperature": 0.7, "seed": 3007}
    assert "seed" not in ask_of(ChatRepairer(model="m", params=hot), sample=3).asks[0]["params"]


def test_a_server_that_is_told_no_temperature_draws_each_time():
    assert ask_of(ChatRepairer(model="m", params={}), sample=1).asks[0]["draw"] == [1, 0]


def test_the_configured_parameters_are_left_as_they_were():
    params = {"temperature": 1}
    ask_of(ChatRepairer(model="m", params=params, base_seed=1))
    assert params == {"temperature": 1}


@pytest.mark.parametrize("model", ["org/model:1.5b", "a b", "Ünï"])
def test_a_models_name_may_hold_anything(model):
    asks = ask_of(ChatRepairer(model=model))
    assert asks.asks[0]["model"] == model
    assert host_of(asks.sent[0].url)


def test_half_a_surrogate_pair_is_sent_as_its_escape():
    asks = ask_of(ChatRepairer(model="m"), plain("broken \ud800 text"))
    assert asks.asks[0]["messages"][1]["content"].endswith("broken \ud800 text")


def test_an_answer_is_read_with_its_usage():
    usage = {"prompt_tokens": 812, "completion_tokens": 31, "total_tokens": 843}
    reply = answer_to(completion(EDITS, usage=usage, elapsed_ms=2100))
    assert (reply.text, reply.status, reply.model) == (EDITS, "answered", "m")
    assert (reply.prompt_tokens, reply.completion_tokens, reply.elapsed_ms) == (812, 31, 2100)


def test_a_reply_carries_the_digest_of_its_ask():
    asks = FakeAsks([completion(EDITS)])
    reply = ChatRepairer(model="m").reply(plain(), asks, sample=0, times_asked=0)
    assert reply.ask == digest(asks.asks[0])


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
    assert answer_to(Answer(status=400, body=json.dumps(body).encode())).status == "prompt_too_long"


@pytest.mark.parametrize(
    "answer",
    [
        Answer(status=0, fault="timeout"),
        Answer(status=0, fault="truncated", body=completion(EDITS).body),
        Answer(status=400, body=b'{"error": {"message": "unknown field seed"}}'),
        Answer(status=401, body=b'{"error": "no key"}'),
        Answer(status=500, body=completion(EDITS).body),
        Answer(status=200, body=b"<html>busy</html>"),
        Answer(status=200, body=b'{"choices": []}'),
        Answer(status=200, body=b'{"choices": [null]}'),
        Answer(status=200, body=b""),
        Answer(status=503, body=b"context length of our queue"),
    ],
)
def test_what_is_no_answer_is_never_taken_for_one(answer):
    with pytest.raises(Incomplete, match="model 'm' gave no answer"):
        answer_to(answer)


def test_it_cannot_be_made_without_a_model():
    with pytest.raises(BadInput, match="name one with --model"):
        repairer("chat")


def test_it_is_made_from_options():
    chat = repairer("chat", Options(model="m", params={"temperature": 0.5}, base_seed=3))
    assert (chat.name, chat.model) == ("chat", "m")
    seed = ask_of(chat).asks[0]["params"]["seed"]
    assert math.isclose(seed, 3)

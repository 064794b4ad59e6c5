from __future__ import annotations

import hashlib
import json
import socket
from dataclasses import replace

import httpx2
import pytest

from mendbench.errors import BadInput, Incomplete
from mendbench.live.chat_model import ChatCaller
from mendbench.live.rate_limit import Pace, ResponseNotNeeded
from mendbench.repairers.asking import read_response
from tests.fakes.worlds import completion

BASE = "http://127.0.0.1:9/v1/"
ASK = {
    "model": "small",
    "messages": [{"role": "user", "content": "mend"}],
    "params": {"temperature": 0, "max_tokens": 400},
    "response_format": None,
    "draw": 0,
}


def caller(responses, **options):
    sent, slept = [], []

    def handle(request):
        sent.append(request)
        response = responses[min(len(sent), len(responses)) - 1]
        if isinstance(response, Exception):
            raise response
        status, body, headers = response
        return httpx2.Response(
            status, content=body if isinstance(body, bytes) else json.dumps(body).encode(), headers=headers
        )

    made = ChatCaller(base_url=BASE, sleep=slept.append, transport=httpx2.MockTransport(handle), **options)
    return made, sent, slept


GOOD = (200, completion("ok").body, {"content-type": "application/json", "x-request-id": "77", "date": "today"})


def test_only_what_is_configured_is_sent_and_the_answer_comes_back_unedited():
    made, sent, _ = caller([GOOD])
    response = made.send(ASK)
    assert str(sent[0].url) == "http://127.0.0.1:9/v1/chat/completions"
    assert json.loads(sent[0].read()) == {
        "model": "small",
        "messages": ASK["messages"],
        "temperature": 0,
        "max_tokens": 400,
    }
    assert "authorization" not in sent[0].headers
    assert response.body == completion("ok").body
    assert response.headers == (("content-type", "application/json"),)


def test_a_response_format_is_sent_where_there_is_one():
    made, sent, _ = caller([GOOD])
    made.send({**ASK, "response_format": {"type": "json_object"}})
    assert json.loads(sent[0].read())["response_format"] == {"type": "json_object"}


def test_the_key_comes_from_the_environment_and_does_not_come_back(monkeypatch):
    key = hashlib.sha256(b"key").hexdigest()
    monkeypatch.setenv("SOME_MODEL_KEY", key)
    made, sent, _ = caller([(200, completion(f"echo {key}").body, {})], api_key_env="SOME_MODEL_KEY")
    response = made.send(ASK)
    assert sent[0].headers["authorization"] == f"Bearer {key}"
    assert key.encode() not in response.body
    monkeypatch.delenv("SOME_MODEL_KEY")
    with pytest.raises(BadInput, match="SOME_MODEL_KEY"):
        made.send(ASK)


@pytest.mark.parametrize(
    "first",
    [
        (429, {}, {"Retry-After": "7"}),
        (503, {}, {}),
        (500, b"<html>", {}),
        (524, {}, {}),
        (529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, {}),
        (200, {"error": {"code": 502, "message": "upstream"}}, {}),
        (200, {"choices": [{"message": {"content": '{"edits": [{"no'}, "finish_reason": "error"}]}, {}),
        (200, {"choices": [{"message": {"content": "half"}, "finish_reason": None, "error": {"code": 429}}]}, {}),
        (200, {"choices": [{"message": {"content": "half"}, "finish_reason": "insufficient_system_resource"}]}, {}),
        (503, {}, {"Retry-After": "0"}),
        (503, {}, {"Retry-After": "Sun, 22 Nov 2026 11:00:00 GMT", "Date": "Sun, 22 Nov 2026 12:00:00 GMT"}),
        httpx2.ReadTimeout("x"),
    ],
)
def test_a_busy_server_is_asked_again(first):
    made, sent, slept = caller([first, GOOD])
    assert made.send(ASK).status == 200
    assert len(sent) == 2
    assert slept == [7.0] if isinstance(first, tuple) and first[0] == 429 else 1 <= slept[0] <= 2


@pytest.mark.parametrize("key", ["null", "none", "edits", "ollama"])
def test_a_word_that_stands_for_a_key_where_none_is_wanted_changes_no_answer(monkeypatch, key):
    monkeypatch.setenv("SOME_MODEL_KEY", key)
    body = json.dumps(
        {"choices": [{"message": {"content": '{"edits": []} ollama none', "refusal": None}, "finish_reason": "stop"}]}
    ).encode()
    made, sent, _ = caller([(200, body, {})], api_key_env="SOME_MODEL_KEY")
    assert made.send(ASK).body == body
    assert sent[0].headers["authorization"] == f"Bearer {key}"


@pytest.mark.parametrize(
    ("always", "words"),
    [
        (
            (200, {"choices": [{"message": {"content": "half"}, "finish_reason": "abort"}]}, {}),
            "after 3 attempts at most: HTTP 200 .*abort",
        ),
        ((500, {}, {}), "after 3 attempts at most: HTTP 500"),
        (httpx2.ReadTimeout("x"), r"^model 'small' at \S+ gave no response \(3 attempts, last: timed out\)$"),
        (httpx2.ReadError("x"), r"gave no response \(3 attempts, last: connection reset\)"),
    ],
)
def test_a_server_that_never_answers_is_no_answer(always, words):
    made, sent, _ = caller([always], attempts=3)
    with pytest.raises(Incomplete, match=words):
        made.send(ASK)
    assert len(sent) == 3


def unreachable(why):
    error = httpx2.ConnectError("x")
    error.__cause__ = why
    return error


@pytest.mark.parametrize(
    ("why", "reason"),
    [(ConnectionRefusedError(), "connection refused"), (socket.gaierror(socket.EAI_NONAME, "x"), "unknown host")],
)
def test_a_server_that_is_not_there_is_reported_at_once(why, reason):
    made, sent, slept = caller([unreachable(why)], place="models.small", file="mendbench.toml")
    with pytest.raises(Incomplete) as raised:
        made.send(ASK)
    assert (len(sent), slept) == (1, [])
    assert str(raised.value) == (
        f"models.small: nothing listens at {BASE} ({reason}); start the server, or correct base_url in mendbench.toml"
    )


def test_a_server_that_responded_before_and_goes_away_is_asked_again():
    gone = unreachable(ConnectionRefusedError())
    made, sent, slept = caller([GOOD, gone, GOOD, *[gone] * 6])
    made.send(ASK)
    other = replace(made)
    assert other.send(ASK).status == 200
    assert (len(sent), len(slept)) == (3, 1)
    with pytest.raises(Incomplete, match=r"gave no response \(6 attempts, last: connection refused\)"):
        other.send(ASK)


def test_a_limit_that_never_ends_is_waited_for_and_then_reported_in_its_own_words():
    limited = {"error": {"message": "Rate limit reached for requests", "code": "rate_limit_exceeded"}}
    made, sent, slept = caller([(429, limited, {"Retry-After": "20"})])
    with pytest.raises(Incomplete, match="HTTP 429 .*Rate limit reached for requests") as caught:
        made.send(ASK)
    assert (len(sent), slept) == (6, [20.0] * 5)
    assert "\n" not in str(caught.value)


def test_a_server_that_asks_for_hours_is_not_waited_for():
    made, sent, slept = caller([(429, {}, {"Retry-After": "7200"})])
    with pytest.raises(Incomplete, match="HTTP 429"):
        made.send(ASK)
    assert (len(sent), slept) == (1, [])


def test_faults_and_busy_statuses_share_one_row_of_tries():
    made, sent, slept = caller([httpx2.ReadTimeout("x"), (503, {}, {})] * 10)
    with pytest.raises(Incomplete, match="HTTP 503"):
        made.send(ASK)
    assert len(sent) == 6
    assert slept == sorted(slept)
    assert 31 <= sum(slept) <= 31 * 1.3


@pytest.mark.parametrize(
    ("model", "options", "open_s", "read_s"),
    [
        ("claude/large", {}, 10, 300),
        ("large", {"provider": "DeepSeek"}, 15, 180),
        ("org/small", {}, 10, 120),
        ("small", {}, 10, 600),
        ("claude/large", {"timeout_s": 7}, 7, 7),
        ("small", {"timeout_s": 900.0}, 10, 900),
    ],
)
def test_an_answer_is_waited_for_as_long_as_configured_or_as_the_provider_allows(model, options, open_s, read_s):
    made, sent, _ = caller([GOOD], **options)
    made.send({**ASK, "model": model})
    waits = sent[0].extensions["timeout"]
    assert (waits["connect"], waits["read"], waits["write"]) == (open_s, read_s, read_s)


def test_tools_are_sent_where_there_are_some_and_a_call_is_an_answer():
    call = {"id": "x", "type": "function", "function": {"name": "clock__now", "arguments": "{}"}}
    body = {"choices": [{"message": {"role": "assistant", "content": None, "tool_calls": [call]}}]}
    tools = [{"type": "function", "function": {"name": "clock__now", "parameters": {"type": "object"}}}]
    made, sent, _ = caller([(200, body, {})])
    assert json.loads(made.send({**ASK, "tools": tools}).body) == body
    assert json.loads(sent[0].read())["tools"] == tools


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "This model's maximum context length is 8192 tokens", "code": "context_length_exceeded"}},
        {
            "error": {
                "code": 400,
                "message": "the request exceeds the available context size",
                "type": "exceed_context_size_error",
            }
        },
    ],
)
def test_a_prompt_that_is_too_long_is_an_answer(body):
    made, sent, _ = caller([(400, body, {})])
    assert made.send(ASK).status == 400
    assert len(sent) == 1


@pytest.mark.parametrize(
    "words",
    [
        "This model's maximum context length is 8192 tokens.",
        "context_length_exceeded",
        "the request exceeds the available context size, try increasing it",
        "exceed_context_size_error",
        "prompt is too long: 210000 tokens > 200000 maximum",
        "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000",
        "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).",
        "Input is too long for requested model.",
        "too many tokens",
        "context_window_exceeded",
        "context_limit",
    ],
)
def test_what_is_recorded_as_too_long_a_prompt_is_read_as_one(words):
    response = caller([(400, {"error": {"message": words}}, {})])[0].send(ASK)
    assert read_response(response, model="small", model_request="a").status == "prompt_too_long"


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (401, "invalid key"),
        (403, "Country not supported"),
        (404, "no such model"),
        (400, "unknown parameter seed"),
        (400, "API key not valid. Please pass a valid API key."),
        (400, "Invalid value in this context: 'temperature' is above the maximum of 1"),
    ],
)
def test_a_refused_ask_is_the_operators_to_mend(status, text):
    made, _, _ = caller([(status, {"error": {"message": text}}, {})])
    with pytest.raises(BadInput, match=text):
        made.send(ASK)


@pytest.mark.parametrize("body", [{}, {"choices": []}, b"<html>", []])
def test_a_2xx_without_a_choice_is_no_answer(body):
    made, _, _ = caller([(200, body, {})])
    with pytest.raises(Incomplete, match="without a choice"):
        made.send(ASK)


@pytest.mark.parametrize(
    ("first", "held"),
    [
        ((429, {}, {"Retry-After": "7"}), True),
        ((429, {}, {}), True),
        ((503, {}, {"Retry-After": "7"}), True),
        ((503, {}, {}), False),
        (httpx2.ReadTimeout("x"), False),
    ],
)
def test_a_limit_holds_back_all_asks_of_the_model_and_another_failure_only_its_own(first, held):
    pace, seen = Pace(at_once=4), []
    made, sent, slept = caller([first, GOOD], pace=pace)
    sleeping = replace(made, sleep=lambda seconds: seen.append(pace._resting) or slept.append(seconds))
    assert sleeping.send(ASK).status == 200
    assert (len(sent), seen) == (2, [1 if held else 0])
    assert pace._resting == pace._under_way == 0


def test_a_limit_that_never_ends_holds_back_nobody_after_the_last_try():
    pace = Pace(at_once=4)
    made, sent, _ = caller([(429, {}, {})], pace=pace, attempts=2)
    with pytest.raises(Incomplete):
        made.send(ASK)
    assert len(sent) == 2
    assert pace._resting == pace._under_way == 0


def test_a_wait_between_two_tries_ends_when_nobody_wants_the_answer_any_more():
    pace = Pace()
    made, sent, _ = caller([(503, {}, {"Retry-After": "100"})], pace=pace)
    transport = httpx2.MockTransport(lambda request: (pace.stop(), made.transport.handle_request(request))[1])
    with pytest.raises(ResponseNotNeeded):
        replace(made, sleep=None, transport=transport).send(ASK)
    assert len(sent) == 1

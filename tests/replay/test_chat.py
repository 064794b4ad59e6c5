from __future__ import annotations

import hashlib
import json

import httpx2
import pytest

from mendbench.errors import BadInput, Incomplete
from mendbench.replay.chat import ChatCaller
from tests.fakes.worlds import completion

BASE = "http://127.0.0.1:9/v1/"
ASK = {
    "model": "small",
    "messages": [{"role": "user", "content": "mend"}],
    "params": {"temperature": 0, "max_tokens": 400},
    "response_format": None,
    "draw": 0,
}


def caller(answers, **options):
    sent, slept = [], []

    def handle(request):
        sent.append(request)
        answer = answers[min(len(sent), len(answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        status, body, headers = answer
        return httpx2.Response(
            status, content=body if isinstance(body, bytes) else json.dumps(body).encode(), headers=headers
        )

    made = ChatCaller(base_url=BASE, sleep=slept.append, transport=httpx2.MockTransport(handle), **options)
    return made, sent, slept


GOOD = (200, completion("ok").body, {"content-type": "application/json", "x-request-id": "77", "date": "today"})


def test_only_what_is_configured_is_sent_and_the_answer_comes_back_unedited():
    made, sent, _ = caller([GOOD])
    answer = made.ask(ASK)
    assert str(sent[0].url) == "http://127.0.0.1:9/v1/chat/completions"
    assert json.loads(sent[0].read()) == {
        "model": "small",
        "messages": ASK["messages"],
        "temperature": 0,
        "max_tokens": 400,
    }
    assert "authorization" not in sent[0].headers
    assert answer.body == completion("ok").body
    assert answer.headers == (("content-type", "application/json"),)


def test_a_response_format_is_sent_where_there_is_one():
    made, sent, _ = caller([GOOD])
    made.ask({**ASK, "response_format": {"type": "json_object"}})
    assert json.loads(sent[0].read())["response_format"] == {"type": "json_object"}


def test_the_key_comes_from_the_environment_and_does_not_come_back(monkeypatch):
    key = hashlib.sha256(b"key").hexdigest()
    monkeypatch.setenv("SOME_MODEL_KEY", key)
    made, sent, _ = caller([(200, completion(f"echo {key}").body, {})], api_key_env="SOME_MODEL_KEY")
    answer = made.ask(ASK)
    assert sent[0].headers["authorization"] == f"Bearer {key}"
    assert key.encode() not in answer.body
    monkeypatch.delenv("SOME_MODEL_KEY")
    with pytest.raises(BadInput, match="SOME_MODEL_KEY"):
        made.ask(ASK)


@pytest.mark.parametrize(
    "first", [(429, {}, {"Retry-After": "7"}), (503, {}, {}), httpx2.ConnectError("x"), httpx2.ReadTimeout("x")]
)
def test_a_busy_server_is_asked_again(first):
    made, sent, slept = caller([first, GOOD])
    assert made.ask(ASK).status == 200
    assert len(sent) == 2
    assert slept == [7.0] if isinstance(first, tuple) and first[0] == 429 else 1 <= slept[0] <= 2


@pytest.mark.parametrize("always", [(500, {}, {}), httpx2.ReadTimeout("x")])
def test_a_server_that_never_answers_is_no_answer(always):
    made, sent, _ = caller([always], attempts=3)
    with pytest.raises(Incomplete, match="after 3 attempts"):
        made.ask(ASK)
    assert len(sent) == 3


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
    assert made.ask(ASK).status == 400
    assert len(sent) == 1


@pytest.mark.parametrize(
    ("status", "text"), [(401, "invalid key"), (404, "no such model"), (400, "unknown parameter seed")]
)
def test_a_refused_ask_is_the_operators_to_mend(status, text):
    made, _, _ = caller([(status, {"error": {"message": text}}, {})])
    with pytest.raises(BadInput, match=text):
        made.ask(ASK)


@pytest.mark.parametrize("body", [{}, {"choices": []}, b"<html>", []])
def test_a_2xx_without_a_choice_is_no_answer(body):
    made, _, _ = caller([(200, body, {})])
    with pytest.raises(Incomplete, match="without a choice"):
        made.ask(ASK)

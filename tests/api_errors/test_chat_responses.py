"""What a chat model's server sends back is an answer, a refusal for length, or neither."""

import json

import pytest

from mendbench.api_errors.chat_responses import choice_of, holds_failure, limit_in, refuses_for_length, was_cut
from mendbench.model.exchange import Response


def completion(reason, **more):
    return {"choices": [{"message": {"content": "x"}, "finish_reason": reason, **more}]}


@pytest.mark.parametrize(
    "reason", ["stop", "length", "tool_calls", "content_filter", "eos", "STOP", "tool_use", "a new word", "", None, 7]
)
def test_what_ended_is_an_answer(reason):
    assert choice_of(completion(reason)) is not None
    assert not holds_failure(completion(reason))


@pytest.mark.parametrize("reason", ["error", "Error", "abort", "cancelled", "insufficient_system_resource"])
def test_what_its_server_gave_up_on_is_none(reason):
    assert choice_of(completion(reason)) is None
    assert holds_failure(completion(reason))


def test_an_error_beside_the_text_is_a_failure_whatever_the_reason():
    for body in (completion("stop", error={"code": 429}), {**completion("stop"), "error": {"code": 429}}):
        assert (choice_of(body), holds_failure(body)) == (None, True)
    assert choice_of({**completion("stop"), "error": None}) is not None


@pytest.mark.parametrize(
    "body", [None, [], {}, {"choices": []}, {"choices": [7]}, {"choices": [{"message": "x"}]}, "text"]
)
def test_what_has_no_choice_is_no_answer_and_reports_no_failure(body):
    assert (choice_of(body), holds_failure(body)) == (None, False)


@pytest.mark.parametrize(
    ("reason", "cut"), [("length", True), ("max_tokens", True), ("model_length", True), ("stop", False), (None, False)]
)
def test_a_limit_of_tokens_cuts_an_answer(reason, cut):
    assert was_cut(completion(reason)["choices"][0]) is cut


@pytest.mark.parametrize(
    ("status", "too_long"), [(400, True), (413, True), (422, True), (200, False), (429, False), (500, False)]
)
def test_only_a_refusal_means_that_a_prompt_is_too_long(status, too_long):
    body = json.dumps({"error": {"message": "maximum context length is 8"}}).encode()
    assert refuses_for_length(Response(status=status, body=body)) is too_long


@pytest.mark.parametrize(
    ("params", "limit"),
    [
        ({"max_tokens": 400}, ("max_tokens", 400)),
        ({"max_tokens": 400, "max_completion_tokens": 900}, ("max_completion_tokens", 900)),
        ({"max_completion_tokens": None, "max_tokens": 7}, ("max_tokens", 7)),
        ({"temperature": 0}, None),
    ],
)
def test_the_newer_of_two_limits_holds(params, limit):
    assert limit_in(params) == limit

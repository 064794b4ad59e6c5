"""What recorded responses indicate about those that are not recorded yet."""

from __future__ import annotations

import pytest

from mendbench.cassettes.cassette import Entry
from mendbench.cassettes.recordings import Recordings
from mendbench.io.canonical_json import digest
from mendbench.model.exchange import Request, Response
from mendbench.prompts import response_statistics
from mendbench.prompts.response_statistics import ResponseFigures, prompt_length, response_limit, responses_of
from tests.fakes.model_worlds import completion

NOTHING = ResponseFigures(responses=0, ratio=None, completion_tokens=None, median_ms=None)


def record(root, case, *responses, model="small"):
    """Record these responses of a case, to prompts of 100 tokens by their length."""
    recordings = Recordings.open(root / case)
    for at, response in enumerate(responses):
        model_request = {"model": model, "messages": [{"role": "user", "content": "x" * 320}], "draw": at}
        entry = Entry(
            key=digest(model_request),
            request=Request(method="POST", url="model://small/chat"),
            response=response,
            model_request=model_request,
        )
        recordings.append_model_entry(model, entry)


def chat_response(sent=110, got=40, took=1000):
    return completion("{}", usage={"prompt_tokens": sent, "completion_tokens": got}, elapsed_ms=took)


def test_where_nothing_is_recorded_nothing_is_reported(tmp_path):
    assert responses_of(tmp_path, "small", [tmp_path / "a/b"]) == NOTHING


def test_refusals_and_what_is_no_answer_state_nothing(tmp_path):
    refused = Response(status=400, headers=(("content-type", "application/json"),), body=b'{"error": "too long"}')
    record(tmp_path, "a/b", chat_response(), refused, Response(status=200, body=b"torn"))
    found = responses_of(tmp_path, "small", ())
    assert (found.ratio, found.completion_tokens, found.median_ms) == (1.1, 40.0, 1000)


def test_a_response_that_reports_no_tokens_still_has_its_time(tmp_path):
    record(tmp_path, "a/b", completion("{}", elapsed_ms=700))
    assert responses_of(tmp_path, "small", ()) == ResponseFigures(
        responses=1, ratio=None, completion_tokens=None, median_ms=700
    )


def test_the_selected_cases_are_read_first_and_no_more_than_needed(tmp_path, monkeypatch):
    record(tmp_path, "a/first", chat_response(took=1))
    record(tmp_path, "z/selected", chat_response(took=9), chat_response(took=9))
    assert responses_of(tmp_path, "small", [tmp_path / "z/selected"]).responses == 3
    monkeypatch.setattr(response_statistics, "ENOUGH", 2)
    assert responses_of(tmp_path, "small", [tmp_path / "z/selected"]).median_ms == 9
    assert responses_of(tmp_path, "small", ()).responses == 3


@pytest.mark.parametrize(
    ("params", "limit"),
    [
        ({"max_tokens": 7}, 7),
        ({"max_completion_tokens": 9, "max_tokens": 7}, 9),
        ({}, None),
        ({"max_tokens": True}, None),
    ],
)
def test_the_limit_of_an_answer_is_the_one_that_is_sent(params, limit):
    assert response_limit({"params": params}) == limit


def test_a_message_that_calls_functions_has_its_length_too():
    calls = {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "look", "arguments": "{}"}}]}
    assert prompt_length({"messages": [calls]}) > 10
    assert prompt_length({}) == 0

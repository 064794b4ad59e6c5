"""Answers as lines: three shapes say the same thing, and what is no response never becomes one."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.errors import BadInput
from mendbench.prompts.response_lines import read_responses
from mendbench.repairers.asking import read_response
from tests.fakes.prompts import anthropic_line, csv_text, in_shape, jsonl, openai_line, plain_line

contents = st.text(max_size=30) | st.sampled_from(
    ["a\nb", 'a"b', "a,b\r\n", "a\u2028b", "\x85", '{"edits": []}', "å😀", "\x00"]
)
result = st.lists(contents, min_size=1, max_size=4).map(
    lambda texts: [(f"ask-{at}", text) for at, text in enumerate(texts)]
)


def read(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_responses(path)


def one(tmp_path, line):
    (found,), broken = read(tmp_path / "a.jsonl", jsonl([line]))
    assert not broken
    return found


def reply(line):
    return read_response(line.response, model="m", model_request="k")


@pytest.mark.parametrize("shape", ["openai", "anthropic", "plain", "csv"])
@given(result=result)
def test_every_shape_keeps_ids_and_texts(tmp_path_factory, shape, result):
    lines, broken = read(tmp_path_factory.mktemp("a") / "a", in_shape(shape, result))
    assert not broken
    assert [line.custom_id for line in lines] == [name for name, _ in result]
    for line, (_, text) in zip(lines, result, strict=True):
        if shape in {"plain", "csv"} and not text.strip():
            assert line.response is None
        else:
            assert reply(line).text == text
            assert reply(line).status == "answered"


@given(result=result)
def test_the_same_text_says_the_same_in_every_shape(tmp_path_factory, result):
    folder = tmp_path_factory.mktemp("a")
    texts = [(name, text) for name, text in result if text.strip()]
    shapes = [read(folder / shape, in_shape(shape, texts))[0] for shape in ("openai", "anthropic", "plain")]
    assert len({tuple(line.content for line in lines) for lines in shapes}) == 1


@pytest.mark.parametrize("shape", ["openai", "anthropic", "plain", "csv"])
@given(result=result, share=st.floats(0, 1))
def test_of_a_file_that_is_cut_off_whole_lines_are_read_and_the_rest_is_named(tmp_path_factory, shape, result, share):
    path = tmp_path_factory.mktemp("a") / "a"
    data = in_shape(shape, result).encode()
    whole, _ = read(path, data)
    try:
        lines, broken = read(path, data[: int(len(data) * share)])
    except BadInput as error:  # the head of a CSV file, or a character cut in two
        assert shape == "csv"
        assert error.place.startswith(str(path))
        return
    assert lines == whole[: len(lines)]
    assert len(broken) <= 1 or shape == "csv"
    if len(lines) + len(broken) < len(whole):
        assert int(len(data) * share) < len(data)


@given(junk=st.binary(max_size=60))
def test_no_bytes_make_it_fail_otherwise_than_by_name(tmp_path_factory, junk):
    path = tmp_path_factory.mktemp("a") / "a"
    try:
        _, broken = read(path, junk)
    except BadInput as error:
        broken = (error,)
    assert all(problem.place.startswith(str(path)) for problem in broken)


def test_openai_output_is_kept_as_it_came(tmp_path):
    line = openai_line("ask-1", "hi")
    found = one(tmp_path, line)
    assert json.loads(found.response.body) == line["response"]["body"]
    assert (found.response.status, found.shape, found.model) == (200, "OpenAI batch", "tiny-coder-2026-01-01")
    assert (reply(found).prompt_tokens, reply(found).completion_tokens) == (11, 7)


def test_anthropic_usage_is_what_was_reported_and_the_cache_is_part_of_the_prompt(tmp_path):
    usage = {"input_tokens": 3, "cache_read_input_tokens": 8, "cache_creation_input_tokens": None, "output_tokens": 7}
    found = reply(one(tmp_path, anthropic_line("ask-1", "hi", usage=usage)))
    assert (found.prompt_tokens, found.completion_tokens) == (11, 7)
    silent = reply(one(tmp_path, anthropic_line("ask-1", "hi", usage=None)))
    assert (silent.prompt_tokens, silent.completion_tokens) == (None, None)
    assert reply(one(tmp_path, plain_line("ask-1", "hi"))).prompt_tokens is None


@pytest.mark.parametrize(
    ("stop_reason", "finish", "status"),
    [
        ("end_turn", "stop", "answered"),
        ("stop_sequence", "stop", "answered"),
        ("max_tokens", "length", "cut"),
        ("model_context_window_exceeded", "length", "cut"),
        ("refusal", "content_filter", "answered"),
    ],
)
def test_anthropics_stop_reasons_are_mapped_to_openais(tmp_path, stop_reason, finish, status):
    found = one(tmp_path, anthropic_line("ask-1", "I would rather not.", stop_reason=stop_reason))
    assert json.loads(found.response.body)["choices"][0]["finish_reason"] == finish
    assert (reply(found).text, reply(found).status) == ("I would rather not.", status)


def test_several_blocks_of_text_are_one_text_and_thoughts_are_none(tmp_path):
    blocks = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert reply(one(tmp_path, anthropic_line("ask-1", "", content=blocks))).text == "ab"


def test_a_call_of_a_tool_keeps_its_name_and_arguments(tmp_path):
    blocks = [{"type": "tool_use", "id": "t1", "name": "look", "input": {"b": 1, "a": "x"}}]
    found = one(tmp_path, anthropic_line("ask-1", "", content=blocks, stop_reason="tool_use"))
    message = json.loads(found.response.body)["choices"][0]["message"]
    assert message["tool_calls"] == [
        {"id": "t1", "type": "function", "function": {"name": "look", "arguments": '{"a":"x","b":1}'}}
    ]


def test_a_refusal_is_an_answer_and_differs_from_another_one(tmp_path):
    no, never = (one(tmp_path, openai_line("ask-1", None, refusal=words)) for words in ("No.", "Never."))
    assert no.response is not None
    assert json.loads(no.response.body)["choices"][0]["message"]["refusal"] == "No."
    assert no.content != never.content


EXPIRED = {
    "code": "batch_expired",
    "message": "This request could not be executed before the completion window expired.",
}
TOO_LONG = {"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long: 9 > 8"}}


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ({"id": "b", "custom_id": "ask-1", "response": None, "error": EXPIRED}, "batch_expired: This request could not"),
        ({"custom_id": "ask-1", "response": {"status_code": 504, "body": {"error": {"message": "timeout"}}}, "error": None}, "HTTP 504 timeout"),
        ({"custom_id": "ask-1", "response": {"status_code": 429, "body": {"error": {"code": "rate_limit"}}}}, "HTTP 429 rate_limit"),
        ({"custom_id": "ask-1", "response": {"status_code": 200, "body": {"choices": []}}}, '{"choices":[]}'),
        (openai_line("ask-1", "half", finish_reason="error"), '{"choices":[{"finish_reason":"error"'),
        ({"custom_id": "ask-1", "response": {"status_code": 400, "body": None}, "error": {"message": "unknown parameter"}}, "unknown parameter"),
        ({"custom_id": "ask-1", "result": {"type": "expired"}}, "expired"),
        ({"custom_id": "ask-1", "result": {"type": "canceled"}}, "canceled"),
        (
            {"custom_id": "ask-1", "result": {"type": "errored", "error": {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}}},
            "HTTP 400 overloaded_error: Overloaded",
        ),
        (anthropic_line("ask-1", "hi", stop_reason="pause_turn"), "it stopped for 'pause_turn', which ends no response"),
        (anthropic_line("ask-1", "hi", content="hi"), "its content is no list of blocks"),
        ({"custom_id": "ask-1", "content": " \n"}, "no content"),
    ],
)  # fmt: skip
def test_what_is_no_answer_is_reported_and_never_taken_for_one(tmp_path, line, why):
    found = one(tmp_path, line)
    assert found.response is None
    assert found.why.startswith(why)


@pytest.mark.parametrize(
    "line",
    [
        {"custom_id": "ask-1", "response": {"status_code": 400, "body": {"error": {"code": "context_length_exceeded", "message": "maximum context length"}}}},
        {"custom_id": "ask-1", "result": {"type": "errored", "error": TOO_LONG}},
        {"custom_id": "ask-1", "response": {"status_code": 400, "body": None}, "error": {"error": {"message": "This model's maximum context length is 8192 tokens"}}},
    ],
)  # fmt: skip
def test_that_a_prompt_is_too_long_is_an_answer_as_it_is_live(tmp_path, line):
    assert reply(one(tmp_path, line)).status == "prompt_too_long"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('{"custom_id": "ask-1", "content": "cut o', "no whole line of JSON (Unterminated string"),
        ('["ask-1", "hi"]', "no JSON object but list"),
        ('{"content": "hi"}', "no custom_id"),
        ('{"custom_id": 7, "content": "hi"}', "no custom_id"),
        ('{"custom_id": "ask-1", "content": "hi", "colour": "red"}', "a line of no known shape (colour, content, custom_id)"),
        ('{"custom_id": "ask-1", "content": null}', "content is no text but NoneType"),
        ('{"custom_id": "ask-1", "content": "hi", "finish_reason": "tired"}', "finish_reason 'tired'"),
        ('{"custom_id": "ask-1", "response": {"status_code": 200}}', "without response.status_code and response.body"),
        ('{"custom_id": "ask-1", "result": {"type": "succeeded"}}', "without result.type or result.message"),
        ('{"custom_id": "ask-1", "response": {"status_code": 200, "body": {"a": NaN}}}', "NaN is no JSON number"),
        ('{"custom_id": "ask-1", "response": {"status_code": 200, "body": {"a": 1e999}}}', "1e999 is no JSON number"),
        ("[" * 100_000, "no whole line of JSON"),
    ],
)  # fmt: skip
def test_a_line_that_cannot_be_read_is_named_and_the_others_are_read(tmp_path, line, says):
    path = tmp_path / "a.jsonl"
    lines, (problem,) = read(path, f'{{"custom_id": "ask-0", "content": "a\u2028b"}}\n\n{line}\n')
    assert [found.custom_id for found in lines] == ["ask-0"]
    assert f"{problem.place}:".startswith(f"{path}:3:")
    assert says in problem.found


def test_bytes_that_are_no_text_are_named(tmp_path):
    _, (problem,) = read(tmp_path / "a.jsonl", b'{"custom_id": "ask-0", "content": "\xff"}\n')
    assert "utf-8" in problem.found


def test_shapes_may_be_mixed_in_one_file(tmp_path):
    lines, _ = read(
        tmp_path / "a.jsonl", jsonl([openai_line("a", "x"), anthropic_line("b", "x"), plain_line("c", "x")])
    )
    assert [line.shape for line in lines] == ["OpenAI batch", "Anthropic batch", "plain"]


def test_a_table_with_a_byte_order_mark_and_its_own_reasons_to_end_is_read(tmp_path):
    head = ("finish_reason", "content", "custom_id")
    text = csv_text([("length", "one\ntwo", "ask-1"), ("", "three", "ask-2")], head)
    (cut, whole), broken = read(tmp_path / "a.csv", b"\xef\xbb\xbf" + text.encode())
    assert not broken
    assert (cut.custom_id, reply(cut).status, reply(cut).text) == ("ask-1", "cut", "one\ntwo")
    assert (whole.place, reply(whole).status) == (f"{tmp_path / 'a.csv'}:4", "answered")


@pytest.mark.parametrize(
    ("text", "place", "says"),
    [
        ("custom_id,content\nask-1,hi\nask-2\n", 3, "a row without custom_id, or with cells too many or too few"),
        ("custom_id,content\nask-1,hi,there\n", 2, "cells too many"),
        ('custom_id,content\nask-1,"hi\n', 2, "no whole row of CSV (unexpected end of data)"),
        ("custom_id,content\nask-1,h", 2, "no line end after the last row, which may be cut off"),
    ],
)
def test_a_row_that_cannot_be_read_is_named(tmp_path, text, place, says):
    _, (problem,) = read(tmp_path / "a.csv", text)
    assert problem.place == f"{tmp_path / 'a.csv'}:{place}"
    assert says in problem.found


@pytest.mark.parametrize(
    "text",
    [
        "custom_id;content\nask-1;hi\n",
        "id,content\n",
        "custom_id,content,colour\n",
        "custom_id,content,content\n",
        "hello\n",
    ],
)
def test_a_table_with_other_columns_is_refused_whole(tmp_path, text):
    with pytest.raises(BadInput, match="neither a line of JSON nor the head of a CSV file"):
        read(tmp_path / "a.csv", text)


def test_rows_after_one_that_cannot_be_read_are_read(tmp_path):
    lines, problems = read(tmp_path / "a.csv", 'custom_id,content\nask-1,one\nask-2,"t"wo\nask-3,three\n')
    assert [line.custom_id for line in lines] == ["ask-1", "ask-3"]
    assert [problem.place for problem in problems] == [f"{tmp_path / 'a.csv'}:3"]


def test_an_empty_file_has_no_lines(tmp_path):
    assert read(tmp_path / "a.jsonl", "\n \n") == ((), ())


@pytest.mark.parametrize("make", [anthropic_line, openai_line])
def test_a_part_without_a_text_says_nothing(tmp_path, make):
    blocks = [{"type": "text", "text": None}, {"type": "text", "text": "hi"}]
    line = make("ask-1", "", content=blocks) if make is anthropic_line else make("ask-1", blocks)
    assert reply(one(tmp_path, line)).text == "hi"


@pytest.mark.parametrize("kind", [{}, [], 5])
def test_an_anthropic_result_of_no_type_is_reported(tmp_path, kind):
    _, (problem,) = read(tmp_path / "a.jsonl", jsonl([{"custom_id": "ask-0", "result": {"type": kind}}]))
    assert "without result.type" in problem.found

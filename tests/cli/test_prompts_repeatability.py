"""What a model said to prompts that it was asked again."""

import json
from dataclasses import replace

import pytest

from mendbench.cassettes import cassette
from mendbench.io.canonical_json import canonical_json, digest
from mendbench.prompts.prompt_lines import custom_id
from tests.fakes.cases import CLOSED, MODEL, RENAMED
from tests.fakes.worlds import completion


def ask_again(corpus, case, text=None):
    """Record a second take of a case's first prompt: the same response, or ``text``. Return the id of the second."""
    path = corpus / "cassettes" / case / f"{MODEL}.yaml"
    first = cassette.load(path)[0]
    model_request = {**first.model_request, "draw": 1}
    body = canonical_json(model_request).encode()
    again = replace(
        first, key=digest(model_request), model_request=model_request, request=replace(first.request, body=body)
    )
    cassette.append(path, again if text is None else replace(again, response=completion(text)))
    return custom_id(model_request)


def test_where_nothing_was_asked_again_it_says_how_to(mendbench, corpus):
    result = mendbench("prompts", "repeatability")
    assert (result.code, result.out) == (
        0, "no prompt was repeated without sampling; a table of the model with recording = 1 repeats all prompts\n",
    )  # fmt: skip


@pytest.fixture
def repeated(corpus):
    """Two cases of which one prompt each was asked again; in the second the response is another one. The id of that one."""
    ask_again(corpus, RENAMED)
    return ask_again(corpus, CLOSED, '{"cannot_fix": "No."}')


def test_answers_are_counted_by_prompt_and_by_case_and_other_ones_are_named(mendbench, repeated):
    result = mendbench("prompts", "repeatability")
    assert result.code == 0
    assert result.out.splitlines()[-3].split() == [MODEL, "2", "1", "1", "2", "1", "0.09", "to", "0.91"]
    assert result.out.splitlines()[-2:] == [
        f"another response: 1 line ({MODEL})", f"  {CLOSED}: {repeated}",
    ]  # fmt: skip


def test_as_json_every_repeat_is_there(mendbench, repeated):
    (one,) = json.loads(mendbench("prompts", "repeatability", "--format", "json").out)
    assert {name: one[name] for name in ("model", "asked_again", "same_text", "same_response", "cases", "cases_alike")} == {
        "model": MODEL, "asked_again": 2, "same_text": 1, "same_response": 1, "cases": 2, "cases_alike": 1,
    }  # fmt: skip
    assert [(repeat["case"], repeat["same_response"]) for repeat in one["repeats"]] == [
        (CLOSED, False),
        (RENAMED, True),
    ]


def test_cases_and_models_are_chosen_as_everywhere(mendbench, repeated):
    (one,) = json.loads(mendbench("prompts", "repeatability", RENAMED, "--model", MODEL, "--format", "json").out)
    assert one["cases"] == 1
    result = mendbench("prompts", "repeatability", "--model", "nobody")
    assert (result.code, result.line) == (2, f"model: unknown model 'nobody'; known: {MODEL}")

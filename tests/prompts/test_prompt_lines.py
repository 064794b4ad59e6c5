"""Prompts as lines: a model request gives the same line and id every time, and the line alone gives the model request back."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.errors import BadInput
from mendbench.io.canonical_json import digest
from mendbench.prompts.prompt_lines import custom_id, in_order, prompt_line, read_prompts

values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-9, 9, width=32) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)
objects = st.dictionaries(st.text(max_size=4), values, max_size=3)
params = st.dictionaries(
    st.sampled_from(["temperature", "max_tokens", "seed", "response_format", "tools", "draw", "params", "top_p"]),
    values,
    max_size=4,
)
messages = st.lists(
    st.fixed_dictionaries({"role": st.just("user"), "content": st.text(max_size=30)}), min_size=1, max_size=2
)
draws = st.integers(0, 3) | st.integers(0, 10**18 - 1) | st.lists(st.integers(0, 2000), min_size=2, max_size=2)


def model_requests():
    given_ = {"model": st.text(min_size=1, max_size=8), "messages": messages, "params": params, "draw": draws}
    plain = st.fixed_dictionaries({**given_, "response_format": st.none()})
    formatted = st.fixed_dictionaries({**given_, "response_format": objects})
    with_tools = st.fixed_dictionaries({**given_, "response_format": st.none(), "tools": st.lists(objects, max_size=2)})
    free = (plain | formatted | with_tools).filter(
        lambda model_request: not (model_request["params"].keys() & model_request.keys())
    )
    return free | plain


ASK = {
    "model": "m", "messages": [{"role": "user", "content": "a\u2028b\nc"}], "params": {"temperature": 0.8, "seed": 2001},
    "response_format": None, "draw": [2, 1],
}  # fmt: skip


@given(model_request=model_requests())
def test_a_line_alone_gives_its_ask_back(tmp_path_factory, model_request):
    path = tmp_path_factory.mktemp("lines") / "p.jsonl"
    line = prompt_line(model_request)
    assert line.isascii()
    assert line.splitlines() == [line]
    path.write_text(f"{line}\n\n", encoding="utf-8")
    ((name, found),) = read_prompts(path).items()
    assert digest(found) == digest(model_request)
    assert name == custom_id(model_request)
    assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name)


@given(model_request=model_requests(), other=model_requests())
def test_ids_are_the_same_only_for_the_same_ask(model_request, other):
    assert (custom_id(model_request) == custom_id(other)) == (digest(model_request, 64) == digest(other, 64))


def test_a_line_is_what_the_batch_api_takes_with_the_seed_and_without_the_draw():
    line = json.loads(prompt_line(ASK))
    assert line == {
        "custom_id": f"ask-{digest(ASK, 32)}-2-1", "method": "POST", "url": "/v1/chat/completions",
        "body": {"model": "m", "messages": ASK["messages"], "temperature": 0.8, "seed": 2001},
    }  # fmt: skip


def test_another_take_of_a_prompt_has_an_id_of_its_own_and_the_same_body():
    first, other = (json.loads(prompt_line({**ASK, "params": {"temperature": 0}, "draw": draw})) for draw in (0, 1))
    assert re.fullmatch(r"ask-[0-9a-f]{32}", first["custom_id"])
    assert re.fullmatch(r"ask-[0-9a-f]{32}-t1", other["custom_id"])
    assert first["body"] == other["body"]


def test_a_response_format_and_tools_are_sent_where_they_are_configured():
    model_request = {**ASK, "response_format": {"type": "json_object"}, "tools": [{"type": "function"}]}
    body = json.loads(prompt_line(model_request))["body"]
    assert (body["response_format"], body["tools"]) == ({"type": "json_object"}, [{"type": "function"}])


def test_a_parameter_that_would_replace_the_messages_is_refused():
    with pytest.raises(BadInput, match=r"models\.m\.parameters: one of messages, model is among them"):
        prompt_line({**ASK, "params": {"messages": []}})


def test_each_ask_comes_once_by_model_and_then_by_text():
    made = [{**ASK, "model": model, "messages": [{"content": text}]} for model in "ba" for text in "yx"]
    ordered = in_order([*made, *made])
    assert [(model_request["model"], model_request["messages"][0]["content"]) for model_request in ordered] == [
        ("a", "x"),
        ("a", "y"),
        ("b", "x"),
        ("b", "y"),
    ]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda line: line["body"].update(temperature=0.7), "the prompt is not the one that its id"),
        (lambda line: line["body"].update(model="n"), "the prompt is not the one that its id"),
        (lambda line: line.update(custom_id=line["custom_id"][:-2]), "the prompt is not the one that its id"),
        (
            lambda line: line.update(custom_id="request-1"),
            "the prompt is not the one that its id 'request-1' stands for",
        ),
        (lambda line: line["body"].pop("messages"), "the prompt is not the one that its id"),
        (lambda line: line.pop("body"), "no exported prompt: custom_id or body is missing"),
    ],
)
def test_a_line_that_was_changed_is_refused_with_its_number(tmp_path, change, says):
    line = json.loads(prompt_line(ASK))
    change(line)
    path = tmp_path / "p.jsonl"
    path.write_text(f"{prompt_line(ASK)}\n{json.dumps(line)}\n", encoding="utf-8")
    with pytest.raises(BadInput) as refused:
        read_prompts(path)
    assert refused.value.place == f"{path}:2"
    assert says in refused.value.found


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(BadInput, match="no such file"):
        read_prompts(tmp_path / "p.jsonl")

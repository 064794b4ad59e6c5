from urllib.parse import quote

import pytest

from mendbench.io.virtual_clock import START_MS
from mendbench.runtime.nodes.llm import NODE, unfenced
from tests.fakes.engine import FakeWorld, completion, fault, said
from tests.fakes.function_calls import calling

URL = "POST model://small-1.5b/chat"


def run(response, **params):
    world = FakeWorld({URL: response})
    return NODE.run({"prompt": "Say hi", "model": "small-1.5b", **params}, world.send, world.clock), world


def test_the_ask_holds_what_is_configured_and_nothing_else():
    _, world = run(completion("hi"))
    assert world.body() == {
        "model": "small-1.5b",
        "messages": [{"role": "user", "content": "Say hi"}],
        "params": {},
        "response_format": None,
        "draw": 0,
    }
    assert world.sent[0].timeout_s is None
    _, world = run(completion("hi"), system="Be brief", temperature=0, max_tokens=40)
    assert world.body()["messages"][0] == {"role": "system", "content": "Be brief"}
    assert world.body()["params"] == {"temperature": 0, "max_tokens": 40}


def test_a_models_name_with_a_slash_stays_one_name():
    world = FakeWorld({"POST model://org%2Fsmall%3Alatest/chat": completion("hi")})
    assert NODE.run({"prompt": "p", "model": "org/small:latest"}, world.send, world.clock).outputs["response"] == "hi"


def test_the_answer_and_its_tokens_are_outputs():
    output, _ = run(completion("hi", prompt_tokens=5, completion_tokens=2, total_tokens=7))
    assert output.outputs == {
        "response": "hi",
        "llm_usage": {"model": "small-1.5b", "input_tokens": 5, "output_tokens": 2, "total_tokens": 7},
    }
    assert output.answered is None


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ('```json\n{"a": 1}\n```', '{"a": 1}'),
        ("```\nx\n```\n", "x"),
        ("x ```y``` z", "x ```y``` z"),
        ("```json\n{}\n```\nThat is it.", "```json\n{}\n```\nThat is it."),
        ("", ""),
    ],
)
def test_only_a_fence_around_the_whole_is_taken_off(text, inside):
    assert unfenced(text) == inside
    assert run(completion(text))[0].outputs["response"] == inside


def test_an_answer_that_looks_like_a_failure_is_still_the_models_text():
    output, _ = run(completion('{"ok": false, "error": "x"}'))
    assert output.noticed is None
    assert output.answered is None


@pytest.mark.parametrize(
    ("response", "kind", "words"),
    [
        (
            said({"error": {"message": "The model `x` does not exist"}}, 404),
            "llm",
            "LLM call failed: The model `x` does not exist",
        ),
        (said("down", 503), "llm", "LLM call failed: HTTP 503"),
        (said({"choices": []}), "llm", "LLM call failed: HTTP 200: the answer holds no text"),
        (fault("refused"), "transport", "Unable to connect to API. Please check your internet connection."),
        (fault("timeout"), "transport", "Request to API timed out. Please try again."),
    ],
)
def test_a_call_that_fails_is_noticed(response, kind, words):
    output, _ = run(response)
    assert output.noticed.kind == kind
    assert output.noticed.message.startswith(words)
    assert output.outputs == {"error": output.noticed.message}


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"prompt": None}, "requires 'prompt'"),
        ({"model": ""}, "requires 'model'"),
        ({"temperature": "hot"}, "must be a number"),
        ({"prompt": {"a": 1}}, "must be a string, got object"),
        ({"provider": 1}, "'provider' must be a string"),
    ],
)
def test_a_parameter_that_cannot_be_used_is_named(params, words):
    with pytest.raises((ValueError, TypeError), match=words):
        run(completion("x"), **params)


def test_a_fault_that_passes_is_not_seen():
    output, world = run([fault("timeout"), fault("dns"), completion("hi")])
    assert output.outputs["response"] == "hi"
    assert len(world.exchanges) == 3
    assert 3000 <= world.clock.now_ms() - START_MS <= 4000


def test_a_lasting_fault_is_reported_with_the_providers_name_after_six_tries():
    for model, params in (("claude/x", {}), ("x", {"provider": "claude"}), ("openai/x", {"provider": "claude"})):
        world = FakeWorld({f"POST model://{quote(model, safe='')}/chat": fault("timeout")})
        output = NODE.run({"prompt": "p", "model": model, **params}, world.send, world.clock)
        assert output.outputs == {"error": "Request to claude timed out. Please try again."}
        assert len(world.sent) == 6
        assert world.clock.now_ms() - START_MS >= 31_000


def test_a_busy_status_is_an_answer_and_is_not_tried_again():
    _, world = run(said("slow down", 429))
    assert len(world.sent) == 1


def test_a_call_that_nothing_offered_is_no_answer():
    output, _ = run(calling(("clock__now", "{}")))
    assert output.noticed.message == "LLM call failed: HTTP 200: the answer holds no text"

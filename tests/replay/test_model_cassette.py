from __future__ import annotations

import json

import pytest

from mendbench.cassettes import cassette
from mendbench.cassettes.cassette import Entry
from mendbench.cassettes.recordings import Recordings
from mendbench.errors import Incomplete, ReplayMiss
from mendbench.io.canonical_json import canonical_json, digest
from mendbench.io.virtual_clock import START_MS, VirtualClock
from mendbench.model.exchange import Request, Response
from mendbench.replay.model_cassette import ModelCassette, model_request_differences
from mendbench.runtime.nodes.llm import NODE
from mendbench.runtime.nodes.llm import ask_of as ask_of_node
from mendbench.secrets.redaction import Redactor, canary
from tests.fakes.worlds import ScriptedCaller

TOKEN = canary("a/b", "slack")
HINT = "mendbench run a/b --record new_episodes"


def ask_of(user="mend it", model="org/small", draw=0, **params):
    messages = [{"role": "system", "content": "You mend."}, {"role": "user", "content": user}]
    return {
        "model": model,
        "messages": messages,
        "params": {"temperature": 0, **params},
        "response_format": None,
        "draw": draw,
    }


def request_of(model_request):
    return Request(
        method="POST",
        url="model://org%2Fsmall/chat",
        body=canonical_json(model_request).encode("utf-8", "backslashreplace"),
    )


def book(folder, mode="none", caller=None, **options):
    return ModelCassette(
        recordings=options.pop("recordings", None) or Recordings.open(folder),
        redactor=Redactor({"slack": TOKEN}),
        mode=mode,
        caller=caller,
        record_hint=HINT,
        **options,
    )


def text_of(response):
    return json.loads(response.body)["choices"][0]["message"]["content"]


def test_an_answer_is_recorded_once_and_replayed_whole(tmp_path):
    caller = ScriptedCaller(["one", "two"])
    recording = book(tmp_path, "new_episodes", caller)
    first = recording.send(request_of(ask_of()))
    assert recording.send(request_of(ask_of())) == first
    replayed = book(tmp_path).send(request_of(ask_of()))
    assert replayed == first
    assert text_of(replayed) == "one"
    assert json.loads(replayed.body)["usage"] == {"prompt_tokens": 7, "completion_tokens": 3}
    assert len(caller.asked) == 1
    assert [exchange.origin for exchange in recording.traffic()] == ["live", "recorded"]


def test_the_key_is_the_digest_of_the_ask_alone(tmp_path):
    recording = book(tmp_path, "new_episodes", ScriptedCaller(["one"]))
    recording.send(request_of(ask_of()))
    assert recording.traffic()[0].key == digest(ask_of())
    (entry,) = cassette.load(tmp_path / "org-small.yaml")
    assert entry.key == digest(entry.model_request) == digest(ask_of())
    elsewhere = Request(method="POST", url="model://other-name/chat", body=json.dumps(ask_of()).encode())
    assert text_of(book(tmp_path).send(elsewhere)) == "one"


def test_draws_and_parameters_have_answers_of_their_own(tmp_path):
    recording = book(tmp_path, "new_episodes", ScriptedCaller(["a", "b", "c"]))
    model_world = [
        ask_of(draw=[0, 0], temperature=0.7),
        ask_of(draw=[0, 1], temperature=0.7),
        ask_of(draw=[0, 0], temperature=0.8),
    ]
    assert [text_of(recording.send(request_of(model_request))) for model_request in model_world] == ["a", "b", "c"]
    assert [text_of(book(tmp_path).send(request_of(model_request))) for model_request in model_world] == ["a", "b", "c"]


def test_the_tools_that_a_model_may_call_belong_to_the_ask(tmp_path):
    tool = {"type": "function", "function": {"name": "clock__now", "parameters": {"type": "object"}}}
    recording = book(tmp_path, "new_episodes", ScriptedCaller(["without", "with"]))
    model_world = [ask_of(), {**ask_of(), "tools": [tool]}]
    for model_request in model_world:
        recording.send(request_of(model_request))
    assert [text_of(book(tmp_path).send(request_of(model_request))) for model_request in model_world] == [
        "without",
        "with",
    ]
    with pytest.raises(ReplayMiss) as missed:
        book(tmp_path).send(request_of({**ask_of(), "tools": [tool, tool]}))
    assert missed.value.differs == ("tools",)


def test_every_answer_is_on_the_disk_before_the_next_ask(tmp_path):
    recording = book(tmp_path, "new_episodes", ScriptedCaller(["one"]))
    recording.send(request_of(ask_of("first")))
    with pytest.raises(StopIteration):
        recording.send(request_of(ask_of("second")))
    assert len(cassette.load(tmp_path / "org-small.yaml")) == 1


def test_an_ask_without_an_answer_records_nothing(tmp_path):
    class Silent:
        def send(self, model_request):
            raise Incomplete("no response")

    with pytest.raises(Incomplete):
        book(tmp_path, "new_episodes", Silent()).send(request_of(ask_of()))
    assert not (tmp_path / "org-small.yaml").exists()


def test_a_missing_answer_names_the_nearest_ask_and_where_they_part(tmp_path):
    recording = book(tmp_path, "new_episodes", ScriptedCaller(["a", "b"]))
    recording.send(request_of(ask_of("mend this please")))
    recording.send(request_of(ask_of("something else")))
    with pytest.raises(ReplayMiss) as caught:
        book(tmp_path).send(request_of(ask_of("mend that please")))
    assert caught.value.differs == ("messages[1] at character 7",)
    assert caught.value.nearest == f"ask {digest(ask_of('mend this please'))[:8]}"
    assert caught.value.record == HINT


def test_an_unknown_model_has_nothing_near(tmp_path):
    with pytest.raises(ReplayMiss) as caught:
        book(tmp_path, "new_episodes").send(request_of(ask_of(model="never")))
    assert caught.value.nearest is None


@pytest.mark.parametrize(
    ("other", "names"),
    [
        (ask_of(), ()),
        (ask_of(model="b"), ("model",)),
        (ask_of(draw=[0, 1], temperature=1), ("draw", "params.temperature")),
        (ask_of(max_tokens=4), ("params.max_tokens",)),
        ({**ask_of(), "messages": ask_of()["messages"][:1]}, ("number of messages",)),
        ({**ask_of(), "response_format": {"type": "json_object"}}, ("response_format",)),
    ],
)
def test_what_distinguishes_two_asks(other, names):
    assert model_request_differences(ask_of(), other) == names


@pytest.mark.parametrize("place", ["tool_calls", "tool_call_id"])
def test_messages_that_call_a_function_or_answer_a_call_are_compared_whole(place):
    mine, theirs = ({**ask_of(), "messages": [{"role": "x", "content": "same", place: value}]} for value in "ab")
    assert model_request_differences(mine, mine) == ()
    (difference,) = model_request_differences(mine, theirs)
    assert difference.startswith("messages[0] at character")


def test_a_recorded_fault_is_tried_again_on_the_clock_of_the_trial(tmp_path):
    params = {"prompt": "mend it", "model": "org/small"}
    model_request, clock = ask_of_node(params), VirtualClock()
    recordings = Recordings.open(tmp_path)
    lost = Response(status=0, fault="timeout", elapsed_ms=120_000)
    recordings.append_model_entry(
        "org/small",
        Entry(key=digest(model_request), request=request_of(model_request), response=lost, model_request=model_request),
    )
    replaying = book(tmp_path, clock=clock)
    output = NODE.run(params, replaying.send, clock)
    assert output.outputs["error"] == "Request to org timed out. Please try again."
    assert len(replaying.traffic()) == 6
    assert clock.now_ms() - START_MS >= 6 * 120_000 + 31_000


def test_a_prompt_is_redacted_before_it_is_keyed_stored_or_asked(tmp_path):
    caller = ScriptedCaller(["keep " + TOKEN])
    recording = book(tmp_path, "new_episodes", caller)
    response = recording.send(request_of(ask_of(f"use {TOKEN}")))
    assert text_of(response) == "keep <secret:slack>"
    assert caller.asked[0]["messages"][1]["content"] == "use <secret:slack>"
    assert TOKEN not in (tmp_path / "org-small.yaml").read_text()
    assert text_of(book(tmp_path).send(request_of(ask_of("use <secret:slack>")))) == "keep <secret:slack>"


def test_a_prompt_with_a_lone_surrogate_can_be_recorded_and_replayed(tmp_path):
    model_request = ask_of("bad \ud800 text")
    book(tmp_path, "new_episodes", ScriptedCaller(["one"])).send(request_of(model_request))
    assert text_of(book(tmp_path).send(request_of(model_request))) == "one"


def test_recording_again_asks_each_once_and_replaces_the_answer(tmp_path):
    book(tmp_path, "new_episodes", ScriptedCaller(["old"])).send(request_of(ask_of()))
    recordings = Recordings.open(tmp_path)
    caller = ScriptedCaller(["new"])
    for _ in range(2):
        assert text_of(book(tmp_path, "all", caller, recordings=recordings).send(request_of(ask_of()))) == "new"
    assert len(cassette.load(tmp_path / "org-small.yaml")) == 1


def test_an_answer_takes_time_only_on_a_clock_that_is_given(tmp_path):
    clock = VirtualClock()
    recording = book(tmp_path, "new_episodes", ScriptedCaller(["one"]), clock=clock)
    recording.send(request_of(ask_of()))
    assert clock.now_ms() - START_MS == 1234


@pytest.mark.parametrize("body", [b"", b"[]", b"nonsense"])
def test_a_body_that_is_no_ask_is_refused(tmp_path, body):
    with pytest.raises((ValueError, TypeError), match="no model request"):
        book(tmp_path).send(Request(method="POST", url="model://m/chat", body=body))


def test_a_model_that_there_is_none_of_is_refused_with_the_names_of_those_that_there_are(tmp_path):
    caller = ScriptedCaller(["never"])
    there = ("org/large", "org/big")
    said = [
        book(tmp_path, mode, caller, models=there).exchange(request_of(ask_of()), node="n", phase=2)
        for mode in ("none", "new_episodes", "all")
    ]
    assert said[0] == said[1] == said[2]
    assert (said[0].response.status, said[0].accepted, said[0].origin) == (404, False, "recorded")
    error = json.loads(said[0].response.body)["error"]
    assert error["code"] == "model_not_found"
    assert error["message"] == "The model `org/small` does not exist. Available models: org/big, org/large"
    assert caller.asked == []
    assert not list(tmp_path.iterdir())


def test_a_model_that_is_there_is_asked_and_recorded(tmp_path):
    recording = book(tmp_path, "new_episodes", ScriptedCaller(["one"]), models=("org/small",))
    assert text_of(recording.send(request_of(ask_of()))) == "one"
    assert text_of(book(tmp_path, models=("org/small",)).send(request_of(ask_of()))) == "one"

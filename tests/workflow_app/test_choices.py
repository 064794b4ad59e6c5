from __future__ import annotations

import copy
import json
import secrets
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.detectors import detector
from mendbench.io.virtual_clock import VirtualClock
from mendbench.runtime.engine import MendbenchEngine
from mendbench.secrets.redaction import Redactor
from mendbench.workflow_app import Choice, Outside, RunOptions, run_workflow
from mendbench.workflow_app.choices import (
    CREATE_FIRST,
    MAX_CHOICES,
    Ended,
    Impossible,
    Resume,
    RunState,
    after,
    recorded,
    stopped,
)
from tests.fakes.engine import FakeWorld, chain, completion, http, said

OPEN, CHAT, LOG, MAKE = (
    "https://api.test/issues",
    "https://api.test/chat",
    "https://api.test/log",
    "https://api.test/new",
)
ENGINE = MendbenchEngine()


def world():
    """A chat service that knows the channel ``general`` and those that were made; everything else is accepted."""
    channels = {"general"}

    def chat(request):
        known = json.loads(request.body).get("channel") in channels
        return said({"ok": True} if known else {"ok": False, "error": "channel_not_found"})

    def make(request):
        channels.add(json.loads(request.body)["name"])
        return said({"ok": True})

    responses = {f"POST {OPEN}": said({"title": "hi"}, 201), f"POST {CHAT}": chat, f"POST {LOG}": said({"ok": True})}
    return FakeWorld({**responses, f"POST {MAKE}": make}, VirtualClock())


def flow(body, *, first=None, log=True, **rest):
    nodes = [http("open", OPEN, body=first or {"title": "hi"}), http("send", CHAT, body=body)]
    return chain(*nodes, *([http("log", LOG, body={"done": True})] if log else []), **rest)


def execute(document, inputs, reach, checkpoint=None):
    return ENGINE.execute(
        document, inputs, reach, checkpoint=checkpoint, detector=detector("structural"), clock=reach.clock
    )  # fmt: skip


def standing(document, reach, **inputs):
    return RunState(document=document, inputs=inputs, execution=execute(document, inputs, reach))


def leaf_of(where, param, *, within=False, secret=None):
    found = stopped(where, secrets=secret or {}, redact=Redactor({}).value, repairer=False)
    return next(leaf for leaf in found.leaves if leaf.param == param and leaf.within == within)


def chosen(where, param, value, **more):
    choice = Choice(name="value", leaf=leaf_of(where, param, **more), value=value)
    return after(where, choice, ENGINE.validate)


def test_where_nothing_stopped_the_run_there_is_nothing_to_choose():
    where = standing(flow({"channel": "general"}), world())
    assert stopped(where, secrets={}, redact=Redactor({}).value, repairer=False) is None


def test_a_node_that_is_skipped_is_not_run_again_and_the_next_one_is_run():
    reach = world()
    where = standing(flow({"channel": "gone"}), reach)
    before = copy.deepcopy(where.document)
    ways = after(where, Choice(name="skip"), ENGINE.validate)
    assert isinstance(ways, Resume)
    execution = execute(ways.document, ways.inputs, reach, ways.checkpoint)
    assert (execution.outcome, execution.failures) == ("warning", ())
    assert [one.node_id for one in execution.warnings] == ["send"]
    assert reach.calls() == [f"POST {OPEN}", f"POST {CHAT}", f"POST {LOG}"]
    assert where.document == before


def test_what_needs_the_output_of_a_skipped_node_fails_as_it_would():
    reach = world()
    document = chain(http("send", CHAT, body={"channel": "gone"}), http("log", LOG, body={"id": "${send.response.id}"}))
    where = standing(document, reach)
    ways = after(where, Choice(name="skip"), ENGINE.validate)
    execution = execute(ways.document, ways.inputs, reach, ways.checkpoint)
    assert (execution.outcome, execution.failures[0].node_id) == ("error", "log")


def test_a_step_behind_a_skipped_one_that_had_completed_is_not_run_twice():
    reach = world()
    good = flow({"channel": "general"})
    done = execute(good, {}, reach)
    bad = flow({"channel": "gone"})
    where = RunState(document=bad, inputs={}, execution=execute(bad, {}, reach, done.checkpoint))
    ways = after(where, Choice(name="skip"), ENGINE.validate)
    execute(ways.document, ways.inputs, reach, ways.checkpoint)
    assert reach.calls().count(f"POST {LOG}") == 1


def test_skipping_a_node_that_leads_nowhere_ends_the_run_and_keeps_the_warning():
    where = standing(flow({"channel": "gone"}, log=False), world())
    ways = after(where, Choice(name="skip"), ENGINE.validate)
    assert isinstance(ways, Ended)
    assert (ways.execution.outcome, ways.execution.failures) == ("warning", ())
    assert ways.execution.warnings == where.execution.warnings


def test_an_input_that_a_completed_node_received_too_does_not_run_it_again():
    reach = world()
    document = flow({"channel": "${c}"}, first={"title": "about ${c}"}, inputs={"c": {"type": "string"}})
    where = standing(document, reach, c="gone")
    assert leaf_of(where, "body.channel").note == "what has run with the old value is not run again: open"
    ways = chosen(where, "body.channel", "general")
    assert (ways.inputs, ways.document) == ({"c": "general"}, document)
    assert execute(document, ways.inputs, reach, ways.checkpoint).outcome == "success"
    assert reach.calls() == [f"POST {OPEN}", f"POST {CHAT}", f"POST {CHAT}", f"POST {LOG}"]


def test_a_value_that_would_run_a_completed_node_again_is_refused():
    document = flow({"channel": "${c}"}, first={"title": "about ${c}"}, inputs={"c": {"type": "string"}})
    where = standing(document, world(), c="gone")
    kept = where.execution.checkpoint
    strange = {**kept.completed, "open": replace(kept.completed["open"], digest="of another kind")}
    execution = replace(where.execution, checkpoint=replace(kept, completed=strange))
    ways = chosen(replace(where, execution=execution), "body.channel", "general")
    assert ways == Impossible(
        problem="open would run again with it: run the workflow again from its start with that value"
    )


def test_an_input_keeps_its_declared_type():
    inputs = {"n": {"type": "number"}}
    where = standing(flow({"channel": "gone", "n": "${n}"}, inputs=inputs), world(), n="1")
    assert chosen(where, "body.n", "2").inputs == {"n": 2}
    assert chosen(where, "body.n", "two").problem == "n has to be of type number, and 'two' is not"


def test_a_literal_keeps_its_type():
    where = standing(flow({"channel": "gone", "n": 1, "on": True}), world())
    assert chosen(where, "body.n", "2.5").document["nodes"][1]["params"]["body"]["n"] == 2.5
    for param, value in (("body.n", "NaN"), ("body.n", "true"), ("body.on", "1"), ("body.n", "")):
        assert isinstance(chosen(where, param, value), Impossible)


def test_what_another_node_put_out_becomes_a_literal_and_that_is_said():
    where = standing(flow({"channel": "${open.response.title}"}), world())
    leaf = leaf_of(where, "body.channel")
    assert leaf.note == "it becomes fixed in the workflow, and no longer comes from ${open.response.title}"
    assert chosen(where, "body.channel", "general").document["nodes"][1]["params"]["body"]["channel"] == "general"


def test_an_input_inside_a_longer_text_can_be_given_by_itself():
    where = standing(flow({"channel": "c-${c}"}, inputs={"c": {"type": "string"}}), world(), c="x")
    assert chosen(where, "body.channel", "y", within=True).inputs == {"c": "y"}
    unused = chosen(where, "body.channel", "general")
    assert isinstance(unused, Impossible)
    assert "never used" in unused.problem


def test_a_value_that_is_the_same_changes_nothing_and_is_refused():
    where = standing(flow({"channel": "gone"}), world())
    assert chosen(where, "body.channel", "gone") == Impossible(problem="that is what body.channel is already")


def test_a_secret_is_neither_shown_nor_taken():
    secret = secrets.token_hex(16)
    document = flow({"channel": "gone"}, first={"title": "x"}, inputs={"key": {"type": "string"}})
    document["nodes"][1]["params"]["auth_token"] = "${key}"
    where = standing(document, world(), key=secret)
    found = stopped(where, secrets={"key": "THE_KEY"}, redact=Redactor({"key": secret}).value, repairer=False)
    assert secret not in repr(found)
    leaf = next(one for one in found.leaves if one.origin == "secret")
    ways = after(where, Choice(name="value", leaf=leaf, value="x"), ENGINE.validate)
    assert ways == Impossible(problem="auth_token holds a secret: set THE_KEY in the environment, and run again")


def test_what_is_shown_of_a_choice_is_redacted_by_the_name_of_its_key():
    value = secrets.token_hex(16)
    where = standing(flow({"channel": "gone", "api_key": "k"}), world())
    choice = Choice(name="value", leaf=leaf_of(where, "body.api_key"), value=value)
    assert value not in json.dumps(recorded("send", choice, Redactor({}).value))


SCALARS = st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(
    ["x", "", "${c}", "a ${c} b", "${open.response.title}", "${open.response}", "${n}", "${o.k}"]
)  # fmt: skip
BODIES = st.dictionaries(
    st.sampled_from(["a", "b", "token", "text"]),
    st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.just("k"), inner, max_size=1)),
    max_size=3,
)
TYPED = st.text(max_size=6) | st.sampled_from(["1", "true", "null", "[]", "${c}", "${nobody}", "${", '{"k": 1}', "NaN"])
INPUTS = {"c": {"type": "string"}, "n": {"type": "number"}, "o": {"type": "object"}}


@given(BODIES, TYPED, st.data())
def test_whatever_leaf_is_given_whatever_value_the_workflow_still_runs_or_the_problem_is_said(body, value, data):
    first = {"title": "${c} ${n} ${o.k}"}
    reach = world()
    where = standing(flow({"channel": "gone", **body}, first=first, inputs=INPUTS), reach, c="c", n="1", o='{"k": 1}')
    before = copy.deepcopy((where.document, where.inputs))
    found = stopped(where, secrets={}, redact=Redactor({}).value, repairer=False)
    leaf = data.draw(st.sampled_from(found.leaves))
    ways = after(where, Choice(name="value", leaf=leaf, value=value), ENGINE.validate)
    assert (where.document, where.inputs) == before
    if isinstance(ways, Impossible):
        assert ways.problem
        return
    assert ENGINE.validate(ways.document, ways.inputs) == ()
    assert [n for n in ways.document["nodes"] if n["id"] != "send"] == [
        n for n in where.document["nodes"] if n["id"] != "send"
    ]
    execute(ways.document, ways.inputs, reach, ways.checkpoint)
    assert reach.calls().count(f"POST {OPEN}") == 1


class Model:
    """Answers every model request with the next text."""

    def __init__(self, *texts):
        self.texts, self.prompts = list(texts), []

    def send(self, request, *, node=None):
        self.prompts.append(json.loads(request.body)["messages"][-1]["content"])
        return completion(self.texts.pop(0))

    def traffic(self):
        return ()

    def begin_execution(self):
        """One more attempt."""


def run(tmp_path, document, reach, choices, *texts, **options):
    asked, model = [], Model(*texts)

    def choose(found):
        asked.append(found)
        return choices[min(len(asked), len(choices)) - 1]

    outside = Outside(world=reach, model_world=model, clock=reach.clock)
    given = RunOptions(trace=tmp_path / "t.json", **options)
    return run_workflow(document, given, outside=outside, choose=choose), asked, model


CREATE = json.dumps(
    {
        "edits": [
            {"path": "/nodes/-", "value": http("make", MAKE, body={"name": "gone"})},
            {
                "path": "/edges",
                "value": [{"from": a, "to": b} for a, b in (("open", "make"), ("make", "send"), ("send", "log"))],
            },
        ]
    }
)


def test_a_repairer_creates_what_is_missing_in_spite_of_the_warning(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    reach = world()
    ended, asked, model = run(
        tmp_path, flow({"channel": "gone"}), reach, [Choice(name="create")], CREATE, auto_repair=True, request="Tell."
    )
    assert asked[0].repairer
    assert f"# Request\nTell. {CREATE_FIRST}" in model.prompts[0]
    assert (ended.success, ended.document["status"], ended.document["repaired"]) == (True, "success", True)
    assert ended.document["repair_reason"] == "Fixed in 1 attempt"
    assert reach.calls() == [f"POST {url}" for url in (OPEN, CHAT, MAKE, CHAT, LOG)]
    assert ended.repaired["nodes"][-1]["id"] == "make"
    assert ended.document["choices"] == [{"node_id": "send", "choice": "create"}]


def test_a_repairer_that_declines_leaves_the_choice_open(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    reach, declined = world(), json.dumps({"cannot_fix": "no"})
    ways = [Choice(name="create"), Choice(name="skip")]
    ended, asked, _ = run(tmp_path, flow({"channel": "gone"}), reach, ways, declined, auto_repair=True)
    assert (len(asked), ended.success, ended.document["repair_reason"]) == (2, True, None)
    assert reach.calls() == [f"POST {url}" for url in (OPEN, CHAT, LOG)]


def test_a_failure_behind_a_skipped_step_is_repaired_from_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    reach = world()
    document = flow({"channel": "gone"})
    document["nodes"][2]["params"]["body"] = {"done": "${open.response.titel}"}
    edit = json.dumps({"edits": [{"node": "log", "path": "params.body.done", "value": "${open.response.title}"}]})
    ended, _, _ = run(tmp_path, document, reach, [Choice(name="skip")], edit, auto_repair=True)
    assert (ended.success, ended.document["repair_reason"]) == (True, "Fixed in 1 attempt")
    assert reach.calls() == [f"POST {url}" for url in (OPEN, CHAT, LOG)]
    attempts = [ran["attempt"] for ran in json.loads((tmp_path / "t.json").read_text())["executions"]]
    assert attempts == [0, 1, 2]


def test_a_run_asks_no_more_than_ten_times(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    reach = world()
    ended, asked, _ = run(tmp_path, flow({"channel": "gone"}), reach, [Choice(name="create")])
    assert (len(asked), ended.success) == (MAX_CHOICES, False)
    assert reach.calls().count(f"POST {CHAT}") == MAX_CHOICES + 1
    assert reach.calls().count(f"POST {OPEN}") == 1


@pytest.mark.parametrize("name", ["create", "skip", "stop"])
def test_what_was_chosen_stands_in_the_result_and_only_then(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    ended, _, _ = run(tmp_path, flow({"channel": "gone"}), world(), [Choice(name=name), Choice(name="stop")])
    assert ended.document["choices"][0] == {"node_id": "send", "choice": name}
    plain, _, _ = run(tmp_path, flow({"channel": "general"}), world(), [])
    assert set(ended.document) - set(plain.document) == {"choices"}

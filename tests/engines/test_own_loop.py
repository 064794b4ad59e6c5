"""Engines that repair by themselves, in trials of a small corpus."""

import json
import sys
from pathlib import Path

import pytest

from mendbench.config.tables import EngineConfig
from mendbench.io.canonical_json import canonical_json
from mendbench.model.trial import SELF_REPAIR, TrialKey
from mendbench.trial.long_texts import whole
from mendbench.trial.runner import run_trial
from tests.fakes.at_home import at_home  # noqa: F401  a fixture
from tests.fakes.cases import CLOSED, MODEL, QUIET, RENAMED, ScriptedRecorder, build, context_of, copy_of

here = pytest.mark.usefixtures("at_home")

ADAPTER = Path(__file__).parent / "adapters" / "looping.py"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return build(tmp_path_factory.mktemp("corpus"))


@pytest.fixture
def root(built, tmp_path):
    return copy_of(built, tmp_path)


def context(root, *words, **more):
    own = context_of(root)
    command = [sys.executable, "-S", "-E", str(ADAPTER), *words]
    return own.__class__(
        cases_dir=own.cases_dir, cassettes_dir=own.cassettes_dir, models=own.models,
        engines={"looping": EngineConfig(command=command, timeout_s=30, **more)},
    )  # fmt: skip


def ran(root, case, recorder=None, *words, model=MODEL, **more):
    key = TrialKey(
        case=case,
        engine="looping",
        strategy=SELF_REPAIR,
        policy=SELF_REPAIR,
        repairer=SELF_REPAIR,
        model=model,
        detector=None,
    )
    row, texts = run_trial(context(root, *words, **more), key, recorder)
    return whole(row, texts)


def timeless(row):
    return canonical_json({name: value for name, value in row.items() if name != "timing"})


def answering(*texts):
    left = list(texts)

    def model(_ask):
        value = left.pop(0) if len(left) > 1 else left[0]
        return value if value.startswith("{") else json.dumps({"edits": [{"node": "note", "value": value}]})

    return ScriptedRecorder(model)


def test_it_is_judged_as_ours_is_and_replays_to_the_same_bytes(root):
    recorded = ran(root, RENAMED, answering("Hello ${person.response.called}!"))
    assert (recorded["verdict"], recorded["outcome"], recorded["stop_reason"]) == ("correct", "repaired", "succeeded")
    assert [one["label"] for one in recorded["attempts"]] == ["productive"]
    assert recorded["nodes"] == {
        "person": {"expected": "success", "got": "success"}, "note": {"expected": "error", "got": "error"},
    }  # fmt: skip
    replays = [ran(root, RENAMED) for _ in range(2)]
    assert [one["verdict"] for one in replays] == ["correct", "correct"]
    assert timeless(replays[0]) == timeless(replays[1])
    assert "127.0.0.1" not in timeless(replays[0])


@here
def test_attempts_that_led_nowhere_are_wasted_and_tokens_are_read_off_the_answers(root):
    row = ran(root, RENAMED, answering("Hello ${person.response.nick}!", "Hello ${person.response.called}!"))
    assert (row["outcome"], row["wasted_attempts"]) == ("repaired", 1)
    assert [one["status"] for one in row["attempts"]] == ["edited", "edited"]
    assert row["prompt_tokens"] == sum(one["prompt_tokens"] for one in row["attempts"]) > 0
    assert row["context_recall"] == 1  # it shows the model all data


@here
def test_what_it_does_not_report_of_an_attempt_is_wasted(root):
    row = ran(root, RENAMED, answering("Hello ${person.response.nick}!", "Hello ${person.response.called}!"), "silent")
    assert [(one["status"], one["label"]) for one in row["attempts"]] == [
        ("unparsable", "fruitless"),
        ("edited", "productive"),
    ]
    assert row["first"]["nodes"][0]["state"] == "success"


@here
def test_it_gets_so_many_answers_and_no_more(root):
    recorder = answering(
        "Hello ${person.response.nick}!", "Hello ${person.response.nock}!", "Hello ${person.response.nack}!"
    )
    row = ran(root, RENAMED, recorder, "insists")
    assert (len(recorder.model_requests), len(row["attempts"]), row["outcome"], row["stop_reason"]) == (
        3,
        3,
        "unrepaired",
        "attempts_exhausted",
    )
    assert len(ran(root, RENAMED, answering("Hello ${person.response.nick}!"), "insists", responses=2)["attempts"]) == 2


@here
def test_declining_is_right_where_only_the_user_can_help(root):
    row = ran(root, CLOSED, answering(json.dumps({"cannot_fix": "the plan"})))
    assert (row["verdict"], row["outcome"], row["stop_reason"]) == ("correct", "declined", "declined")


@here
def test_one_that_need_not_ask_asks_nobody(root):
    row = ran(root, QUIET)
    assert (row["verdict"], row["outcome"], row["attempts"]) == ("correct", "untouched", [])


@here
def test_an_answer_that_is_not_recorded_leaves_it_unjudged(root):
    row = ran(root, RENAMED)
    assert (row["verdict"], row["stop_reason"]) == ("unjudged", "unjudged")
    assert "--engine looping --model tiny-coder" in row["problem"]["message"]


@here
def test_without_a_model_it_is_refused_one(root):
    row = ran(root, RENAMED, model=None)
    assert (row["outcome"], row["attempts"]) == ("unrepaired", [])


@here
def test_one_that_leaves_nothing_of_the_workflow_is_judged_like_any_other(root):
    """An empty document is a candidate too."""
    own = context_of(root)
    printed = json.dumps({"success": True, "mendbench": {"workflow": {}}})
    emptying = EngineConfig(command=["/bin/sh", "-c", f"echo '{printed}'"], repairs=True)
    context = own.__class__(cases_dir=own.cases_dir, cassettes_dir=own.cassettes_dir, engines={"looping": emptying})
    key = TrialKey(
        case=RENAMED,
        engine="looping",
        strategy=SELF_REPAIR,
        policy=SELF_REPAIR,
        repairer=SELF_REPAIR,
        model=None,
        detector=None,
    )
    row, _ = run_trial(context, key, None)
    assert (row["verdict"], row["outcome"]) == ("incorrect", "harmful")
    assert [one["status"] for one in row["attempts"]] == ["edited"]


@here
def test_what_a_repair_cost_is_not_known_where_the_engine_may_have_asked_anybody(root):
    own = context_of(root)
    printed = json.dumps({"success": True, "mendbench": {"workflow": {}}})
    roaming = EngineConfig(command=["/bin/sh", "-c", f"echo '{printed}'"], repairs=True, network="open")
    context = own.__class__(cases_dir=own.cases_dir, cassettes_dir=own.cassettes_dir, engines={"looping": roaming})
    key = TrialKey(
        case=RENAMED,
        engine="looping",
        strategy=SELF_REPAIR,
        policy=SELF_REPAIR,
        repairer=SELF_REPAIR,
        model=None,
        detector=None,
    )
    row, texts = run_trial(context, key, None)
    (attempt,) = row["attempts"]
    assert (attempt["cost_usd"], row["cost_usd"]) == (None, None)
    assert "it may have asked another" in str(whole(attempt["problem"], texts))

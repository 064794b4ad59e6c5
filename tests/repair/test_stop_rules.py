import copy
import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.errors import BadInput, ReplayMiss
from mendbench.model.execution import Execution
from mendbench.model.failure import FieldProblem
from mendbench.model.policy import Policy
from mendbench.model.prompt import Prompt, Reply
from mendbench.model.trial import Attempt
from mendbench.repair import rollout
from mendbench.repair.policies import policy, policy_names
from mendbench.repair.rollout import Rollout
from mendbench.repair.stop_rules import repair
from mendbench.strategies import build_prompt
from tests.fakes.repair import (
    WORKFLOW,
    FakeClock,
    FakeEngine,
    FakeWorld,
    PlainStrategy,
    ScriptedRepairer,
    WarningDetector,
    execution,
    failure,
    plain_prompt,
)


def set_text(value, node="greet"):
    return json.dumps({"edits": [{"node": node, "path": "params.body.text", "value": value}]})


def text_of(document):
    greet = next((n for n in document["nodes"] if n["id"] == "greet"), {})
    return greet.get("params", {}).get("body", {}).get("text")


def ends(document):
    """Say how a document ends by what its text says."""
    text = text_of(document)
    if text == "right":
        return execution("success")
    if text == "warned":
        return execution("warning")
    if str(text).startswith("new"):
        return execution("error", failure(f"a new failure: {text}"), checkpoint=text)
    if text == "user":
        return execution("error", failure("only the user can help"))
    return execution("error", failure("the same failure"), checkpoint="first")


def problems(document):
    return ("'greet' is not valid: no such thing", "second") if text_of(document) == "invalid" else ()


@pytest.fixture(autouse=True)
def _plain_prompts(monkeypatch):
    monkeypatch.setattr(rollout, "build_prompt", plain_prompt)


class Trial:
    """One run of the loop and all that it touched."""

    def __init__(self, *script, policy_name="naive", engine=None, workflow=WORKFLOW, **more):
        self.engine = engine or FakeEngine(ends, problems)
        self.repairer = ScriptedRepairer(script)
        self.world = FakeWorld()
        self.events = []
        self.workflow = workflow
        self.policy = chosen = more.pop("policy", None) or policy(policy_name)
        self.settings = {
            "workflow": workflow,
            "inputs": {"user_id": "1"},
            "request": "Greet the user.",
            "engine": self.engine,
            "world": self.world,
            "model_world": FakeWorld(),
            "strategy": PlainStrategy(),
            "repairer": self.repairer,
            "detector": WarningDetector() if chosen.detector else None,
            "clock": FakeClock(),
            "on_event": self.events.append,
            **more,
        }

    def run(self):
        self.rollout = Rollout(**self.settings)
        return repair(self.rollout, self.policy)


def statuses(trajectory):
    return [attempt.status for attempt in trajectory.attempts]


def test_a_workflow_that_runs_is_not_repaired():
    workflow = copy.deepcopy(WORKFLOW)
    workflow["nodes"][1]["params"]["body"]["text"] = "right"
    trial = Trial(workflow=workflow)
    trajectory = trial.run()
    assert (trajectory.stop_reason, trajectory.attempts, trajectory.end) == ("succeeded", (), "success")
    assert trajectory.workflow == workflow
    assert trial.world.begun == 0


def test_a_right_edit_succeeds_and_resumes_from_the_checkpoint():
    trial = Trial(set_text("right"))
    trajectory = trial.run()
    assert trajectory.stop_reason == "succeeded"
    assert statuses(trajectory) == ["edited"]
    assert text_of(trajectory.workflow) == "right"
    assert trajectory.end == trajectory.attempts[0].execution.outcome == "success"
    assert [checkpoint and checkpoint.failed_node for _, checkpoint in trial.engine.executed] == [None, "first"]
    assert text_of(WORKFLOW) == "Hi ${fetch.response.username}"


def test_each_execution_resumes_from_the_last_one():
    trial = Trial(set_text("new 1"), set_text("new 2"), set_text("right"))
    assert trial.run().stop_reason == "succeeded"
    assert [c and c.failed_node for _, c in trial.engine.executed] == [None, "first", "new 1", "new 2"]


def test_a_warning_ends_the_trial():
    assert Trial(set_text("warned")).run().stop_reason == "warned"
    first = Trial(engine=FakeEngine(lambda document: execution("warning")))
    assert first.run().stop_reason == "warned"
    assert first.repairer.prompts == []


def test_what_a_detector_takes_for_a_warning_is_an_error_under_naive():
    script = (set_text("user"), set_text("right"))
    assert Trial(*script, policy_name="two-layer").run().stop_reason == "warned"
    assert Trial(*script, policy_name="naive").run().stop_reason == "succeeded"


def test_the_same_failure_twice_in_a_row_is_no_progress_where_the_policy_looks():
    script = (set_text("wrong"), set_text("worse"), set_text("right"))
    assert Trial(*script, policy_name="naive").run().stop_reason == "succeeded"
    for name in ("loop", "two-layer", "seed"):
        trajectory = Trial(*script, policy_name=name).run()
        assert (trajectory.stop_reason, statuses(trajectory)) == ("no_progress", ["edited"])
        assert text_of(trajectory.workflow) == "wrong"


def test_a_failure_that_returns_after_another_one_is_no_loop():
    trajectory = Trial(set_text("new 1"), set_text("wrong"), set_text("right"), policy_name="loop").run()
    assert trajectory.stop_reason == "succeeded"


def test_the_seed_signature_stops_where_the_full_one_sees_progress():
    def two_fields(document):
        field = {"Hi ${fetch.response.username}": "title", "a": "body"}.get(text_of(document))
        if field is None:
            return execution("success")
        return execution(
            "error", failure(problems=(FieldProblem(field=field, problem="missing", says="missing_field"),))
        )

    script = (set_text("a"), set_text("b"))
    assert Trial(*script, policy_name="two-layer", engine=FakeEngine(two_fields)).run().stop_reason == "succeeded"
    assert Trial(*script, policy_name="seed", engine=FakeEngine(two_fields)).run().stop_reason == "no_progress"


def test_three_failed_executions_of_one_category_in_a_row_end_the_trial_where_the_policy_counts():
    script = (set_text("new 1"), set_text("new 2"), set_text("right"))
    assert Trial(*script, policy_name="naive").run().stop_reason == "succeeded"
    assert Trial(*script, policy_name="two-layer").run().stop_reason == "succeeded"
    for name in ("three-strikes", "all"):
        trajectory = Trial(*script, policy_name=name).run()
        assert (trajectory.stop_reason, statuses(trajectory)) == ("pattern", ["edited", "edited"])
        assert text_of(trajectory.workflow) == "new 2"


def says(*messages):
    """Return an engine whose executions fail one after the other with these messages, and then succeed."""
    left = [message if isinstance(message, tuple) else (message,) for message in messages]
    return FakeEngine(
        lambda _: execution("error", *(failure(text) for text in left.pop(0))) if left else execution("success")
    )


THREE_EDITS = (set_text("1"), set_text("2"), set_text("3"))


@pytest.mark.parametrize(
    ("messages", "reason", "attempts"),
    [
        (("HTTP 422", "HTTP 404", "no such field"), "pattern", 2),
        (("permission denied: a", "permission denied: b", "access denied"), "pattern", 2),
        (("permission denied", "disk full", "permission denied"), "succeeded", 3),
        (("disk full", "connection refused", "connection refused"), "succeeded", 3),
        (("the sum is wrong", "an aggregate is wrong", "the rate window is over"), "succeeded", 3),
        (("a bad aggregate", "an aggregate is wrong", "the rate window is over"), "pattern", 2),
    ],
)
def test_the_category_of_the_failures_messages_decides_and_nothing_else_of_them(messages, reason, attempts):
    trajectory = Trial(*THREE_EDITS, policy_name="three-strikes", engine=says(*messages)).run()
    assert (trajectory.stop_reason, len(trajectory.attempts)) == (reason, attempts)


def test_an_execution_is_one_strike_however_many_failures_it_has():
    engine = says(("disk full", "disk full", "disk full"), ("a", "disk full"), ("disk full", "b"))
    trajectory = Trial(*THREE_EDITS, policy_name="three-strikes", engine=engine).run()
    assert (trajectory.stop_reason, len(trajectory.attempts)) == ("pattern", 2)


def test_an_answer_that_did_not_run_is_neither_a_strike_nor_ends_a_row_of_them():
    script = ("prose", set_text("new 1"), set_text("new 2"))
    trajectory = Trial(*script, policy_name="three-strikes").run()
    assert (trajectory.stop_reason, statuses(trajectory)) == ("pattern", ["unparsable", "edited", "edited"])
    unchanged = Trial('{"edits": []}', '{"edits": []}', '{"edits": []}', policy_name="three-strikes").run()
    assert unchanged.stop_reason == "attempts_exhausted"


def test_the_same_failure_twice_is_no_progress_before_it_can_be_a_pattern():
    script = (set_text("wrong"), set_text("worse"), set_text("right"))
    assert Trial(*script, policy_name="all").run().stop_reason == "no_progress"
    assert Trial(*script, policy_name="three-strikes").run().stop_reason == "pattern"


UNUSABLE = ["no JSON", set_text("invalid"), Reply(text="", status="cut")]


@pytest.mark.parametrize("policy_name", policy_names())
def test_answers_of_which_none_can_be_used_end_in_validation_failed_under_every_policy(policy_name):
    trajectory = Trial(*UNUSABLE, policy_name=policy_name).run()
    assert (trajectory.stop_reason, trajectory.end) == ("validation_failed", "error")
    assert statuses(trajectory) == ["unparsable", "invalid", "cut"][: policy(policy_name).max_responses]
    assert trajectory.workflow == WORKFLOW


@pytest.mark.parametrize("other", [set_text("new 1"), '{"edits": []}'])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_one_answer_that_could_be_used_makes_it_the_plain_limit(place, other):
    script = UNUSABLE[:2]
    script.insert(place, other)
    assert Trial(*script).run().stop_reason == "attempts_exhausted"


@pytest.mark.parametrize(
    "last", [set_text("new 3"), "no JSON", set_text("invalid"), Reply(text="", status="cut"), '{"edits": []}']
)
def test_the_third_answer_is_the_last_one(last):
    trajectory = Trial(set_text("new 1"), set_text("new 2"), last).run()
    assert trajectory.stop_reason == "attempts_exhausted"
    assert [attempt.number for attempt in trajectory.attempts] == [1, 2, 3]


def test_the_limit_is_the_policys():
    single = Policy(name="one", title="One", detector=None, signature=None, max_responses=1)
    assert Trial(set_text("new 1"), policy=single).run().stop_reason == "attempts_exhausted"


def test_a_refusal_ends_the_trial_without_an_execution():
    trial = Trial('{"cannot_fix": "no such channel"}')
    trajectory = trial.run()
    assert (trajectory.stop_reason, statuses(trajectory), trajectory.end) == ("declined", ["declined"], "error")
    assert len(trial.engine.executed) == 1
    assert trajectory.workflow == WORKFLOW


def test_a_prompt_that_is_too_long_ends_the_trial():
    trajectory = Trial(Reply(text="", status="prompt_too_long")).run()
    assert (trajectory.stop_reason, statuses(trajectory)) == ("prompt_too_long", ["prompt_too_long"])


def test_a_cut_answer_is_not_used_and_the_next_prompt_says_so():
    trial = Trial(Reply(text=set_text("right"), status="cut"), set_text("right"))
    trajectory = trial.run()
    assert statuses(trajectory) == ["cut", "edited"]
    assert "cut off" in trial.repairer.prompts[1].frame
    assert trajectory.attempts[0].candidate is None


def test_an_unreadable_answer_is_reported_in_the_next_prompt_and_only_there():
    trial = Trial("prose only", set_text("new 1"), set_text("right"))
    trajectory = trial.run()
    assert statuses(trajectory) == ["unparsable", "edited", "edited"]
    assert trajectory.attempts[0].problem == "The answer holds no JSON object."
    shown = ["The answer holds no JSON object." in prompt.user for prompt in trial.repairer.prompts]
    assert shown == [False, True, False]


def test_edits_that_can_be_read_and_do_not_apply_are_invalid_and_not_unparsable():
    trajectory = Trial(set_text("right", node="nobody"), "prose only", set_text("right")).run()
    assert statuses(trajectory) == ["invalid", "unparsable", "edited"]
    assert "nobody" in trajectory.attempts[0].problem


def test_an_invalid_candidate_is_kept_as_evidence_and_does_not_become_the_workflow():
    trial = Trial(set_text("invalid"), set_text("right"))
    trajectory = trial.run()
    first = trajectory.attempts[0]
    assert (first.status, text_of(first.candidate), first.execution) == ("invalid", "invalid", None)
    assert first.problem == "'greet' is not valid: no such thing."
    assert first.problem in trial.repairer.prompts[1].frame
    assert '"invalid"' not in trial.repairer.prompts[1].frame
    assert len(trial.engine.executed) == 2
    assert trajectory.stop_reason == "succeeded"


def test_only_the_last_answers_problem_is_reported():
    trial = Trial("prose only", set_text("invalid"), set_text("right"))
    trial.run()
    assert "no JSON object" in trial.repairer.prompts[1].frame
    assert "no JSON object" not in trial.repairer.prompts[2].frame
    assert "no such thing" in trial.repairer.prompts[2].frame


def test_a_problem_is_not_reported_again_after_an_answer_that_was_understood():
    trial = Trial("prose only", '{"edits": []}', set_text("right"))
    trial.run()
    assert ["no JSON object" in prompt.frame for prompt in trial.repairer.prompts] == [False, True, False]


@pytest.mark.parametrize(
    ("last", "reason"),
    [
        ('{"cannot_fix": "no"}', "declined"),
        (Reply(text="", status="prompt_too_long"), "prompt_too_long"),
        (RuntimeError("boom"), "crashed"),
        (set_text("right"), "succeeded"),
        (set_text("warned"), "warned"),
    ],
)
def test_the_third_answers_own_reason_to_stop_comes_before_the_limit(last, reason):
    assert Trial("prose", "prose", last).run().stop_reason == reason


def test_an_unchanged_workflow_is_not_run_again():
    same = set_text("Hi ${fetch.response.username}")
    trial = Trial(same, '{"edits": []}', set_text("right"))
    trajectory = trial.run()
    assert statuses(trajectory) == ["unchanged", "unchanged", "edited"]
    assert len(trial.engine.executed) == 2
    for name in ("loop", "two-layer", "seed"):
        trajectory = Trial(same, policy_name=name).run()
        assert (trajectory.stop_reason, statuses(trajectory)) == ("no_progress", ["unchanged"])
    assert Trial(same, same, set_text("right"), policy_name="warn").run().stop_reason == "succeeded"


def test_true_for_one_is_a_change_and_a_whole_float_is_none():
    workflow = copy.deepcopy(WORKFLOW)
    workflow["nodes"][0]["params"]["page"] = 1
    edit = '{"edits": [{"node": "fetch", "path": "page", "value": %s}]}'
    trajectory = Trial(edit % "1.0", edit % "true", set_text("right"), workflow=workflow).run()
    assert statuses(trajectory) == ["unchanged", "edited", "edited"]


def test_a_workflow_that_is_invalid_from_the_start_is_repaired_like_any_other():
    workflow = copy.deepcopy(WORKFLOW)
    workflow["nodes"][1]["params"]["body"]["text"] = "invalid"
    static = failure("not valid", source="validation", category="static_validation")
    engine = FakeEngine(
        lambda d: execution("success") if text_of(d) == "right" else execution("error", static), problems
    )
    trajectory = Trial(set_text("right"), engine=engine, workflow=workflow).run()
    assert (trajectory.stop_reason, statuses(trajectory)) == ("succeeded", ["edited"])


def test_a_prompt_that_was_asked_before_is_a_repeat():
    trial = Trial('{"edits": []}', '{"edits": []}', '{"edits": []}', sample=4)
    trajectory = trial.run()
    assert [attempt.repeat for attempt in trajectory.attempts] == [False, True, True]
    assert trial.repairer.times == [0, 1, 2]
    assert trial.repairer.samples == [4, 4, 4]
    assert len({prompt.user for prompt in trial.repairer.prompts}) == 1


def test_a_repeat_is_found_though_another_prompt_lay_between():
    trial = Trial('{"edits": []}', "prose", '{"edits": []}')
    trajectory = trial.run()
    assert [attempt.repeat for attempt in trajectory.attempts] == [False, True, False]
    assert trial.repairer.times == [0, 1, 0]


def test_a_prompt_shows_the_state_that_it_is_about_and_no_history():
    direct = Trial(set_text("new 1"), set_text("right"))
    around = Trial(set_text("new 2"), set_text("new 1"), set_text("right"))
    direct.run()
    around.run()
    assert around.repairer.prompts[2] == direct.repairer.prompts[1]
    assert "new 2" not in around.repairer.prompts[2].user


def test_the_world_is_notified_of_each_attempt_so_that_phases_follow_attempts():
    trial = Trial("prose", set_text("right"))
    seen = []
    trial.engine.ends = lambda document: seen.append(trial.world.begun) or ends(document)
    trial.run()
    assert seen == [0, 2]
    assert trial.settings["model_world"].begun == 2


def test_what_a_repairers_code_raises_is_data():
    trial = Trial(set_text("new 1"), ZeroDivisionError("boom\nboom"))
    trajectory = trial.run()
    assert trajectory.stop_reason == "crashed"
    assert trajectory.attempts[-1].problem == "The repairer raised ZeroDivisionError: boom boom."
    assert trajectory.attempts[-1].prompt == trial.repairer.prompts[-1]
    assert text_of(trajectory.workflow) == "new 1"
    assert trial.events[-1] == trajectory.attempts[-1]


def test_an_error_on_purpose_of_a_repairer_is_not_a_crash():
    with pytest.raises(BadInput):
        Trial(BadInput("mendbench.toml", "no model is given", "name one with --model")).run()


def test_events_state_everything_in_order():
    trial = Trial("prose", set_text("new 1"), set_text("right"))
    trajectory = trial.run()
    kinds = [type(event) for event in trial.events]
    assert kinds == [Execution, Prompt, Attempt, Prompt, Attempt, Prompt, Attempt]
    assert tuple(event for event in trial.events if isinstance(event, Attempt)) == trajectory.attempts
    assert trial.events[0] == trajectory.first
    assert trial.rollout.broken_off("succeeded") == trajectory


def miss():
    return ReplayMiss("POST model://m/chat", nearest=None, differs=(), record="mendbench run --record new_episodes")


def test_a_missing_answer_passes_through_and_what_happened_is_not_lost():
    trial = Trial(set_text("new 1"), miss())
    with pytest.raises(ReplayMiss):
        trial.run()
    partial = trial.rollout.broken_off("unjudged")
    assert (statuses(partial), partial.end, text_of(partial.workflow)) == (["edited"], "error", "new 1")
    assert isinstance(trial.events[-1], Prompt)


def test_an_attempt_whose_execution_broke_off_keeps_its_answer():
    def breaks(document):
        if text_of(document) == "miss":
            raise miss()
        return ends(document)

    trial = Trial(set_text("miss"), engine=FakeEngine(breaks))
    with pytest.raises(ReplayMiss):
        trial.run()
    partial = trial.rollout.broken_off("unjudged")
    (attempt,) = partial.attempts
    assert (attempt.status, text_of(attempt.candidate), attempt.execution) == ("edited", "miss", None)
    assert partial.workflow == WORKFLOW


def test_a_first_execution_that_broke_off_leaves_no_trajectory():
    def breaks(document):
        raise miss()

    trial = Trial(engine=FakeEngine(breaks))
    with pytest.raises(ReplayMiss):
        trial.run()
    assert trial.rollout.broken_off("unjudged") is None


def test_the_frame_of_the_strategies_is_used(monkeypatch):
    trial = Trial("prose", set_text("right"))
    monkeypatch.setattr(rollout, "build_prompt", build_prompt)
    trial.run()
    first, second = trial.repairer.prompts
    assert "the same failure" in first.user
    assert "Greet the user." in first.frame
    assert "The answer holds no JSON object." in second.frame


RESPONSES = st.one_of(
    st.sampled_from(["right", "warned", "user", "wrong", "worse", "invalid", "new 1", "new 2"]).map(set_text),
    st.sampled_from(
        [
            "",
            "prose",
            '{"edits": []}',
            '{"cannot_fix": "no"}',
            Reply(text="", status="cut"),
            set_text("x", node="gone"),
            Reply(text="", status="prompt_too_long"),
            '{"edits": [{"remove_node": "greet"}]}',
            RuntimeError("boom"),
        ]
    ),
)


def facts(attempt):
    """Return all of an attempt but how its execution was judged."""
    failures = attempt.execution.failures if attempt.execution else None
    return (
        attempt.number,
        attempt.prompt,
        attempt.reply,
        attempt.status,
        attempt.repeat,
        attempt.problem,
        attempt.candidate,
        failures,
    )


@given(script=st.lists(RESPONSES, min_size=3, max_size=3), name=st.sampled_from(policy_names()))
def test_the_attempts_under_every_policy_are_the_first_ones_under_naive(script, name):
    naive = Trial(*script, policy_name="naive").run()
    other = Trial(*script, policy_name=name).run()
    assert len(other.attempts) <= len(naive.attempts) <= 3
    assert [facts(a) for a in other.attempts] == [facts(a) for a in naive.attempts[: len(other.attempts)]]
    if len(other.attempts) < min(len(naive.attempts), policy(name).max_responses):
        assert other.stop_reason in {"no_progress", "pattern", "warned"}


@given(script=st.lists(RESPONSES, min_size=3, max_size=3))
def test_all_stops_where_the_first_of_its_parts_stops(script):
    ends = {name: Trial(*script, policy_name=name).run() for name in ("all", "two-layer", "three-strikes")}
    parts = [len(ends["two-layer"].attempts), len(ends["three-strikes"].attempts)]
    assert len(ends["all"].attempts) == min(parts)
    assert ends["all"].stop_reason in {ends["two-layer"].stop_reason, ends["three-strikes"].stop_reason}


@given(script=st.lists(RESPONSES, min_size=3, max_size=3), name=st.sampled_from(policy_names()))
def test_validation_failed_means_that_the_limit_was_reached_and_no_answer_could_be_used(script, name):
    trajectory = Trial(*script, policy_name=name).run()
    unusable = set(statuses(trajectory)) <= {"unparsable", "invalid", "cut"}
    unusable = unusable and len(trajectory.attempts) == policy(name).max_responses
    crashed = trajectory.stop_reason == "crashed"
    assert (trajectory.stop_reason == "validation_failed") == (unusable and not crashed)


@given(script=st.lists(RESPONSES, min_size=3, max_size=3), name=st.sampled_from(policy_names()))
def test_a_trajectory_agrees_with_itself(script, name):
    trial = Trial(*script, policy_name=name)
    trajectory = trial.run()
    ran = [a for a in trajectory.attempts if a.execution]
    assert len(trial.engine.executed) == 1 + len(ran)
    assert trajectory.end == (ran[-1].execution if ran else trajectory.first).outcome
    assert trajectory.workflow == (ran[-1].candidate if ran else WORKFLOW)
    assert all((a.status == "edited") == (a.execution is not None) for a in trajectory.attempts)


def test_a_course_is_gone_once_for_all_policies_that_stop_on_it():
    trial = Trial(set_text("new 1"), set_text("new 1 again"), set_text("right"))
    whole = trial.run()
    for limit in (1, 2, 3):
        part = repair(trial.rollout, dataclasses.replace(policy("naive"), max_responses=limit))
        assert part.attempts == whole.attempts[:limit]
        assert part.stop_reason == ("succeeded" if limit == 3 else "attempts_exhausted")
    assert len(trial.repairer.prompts) == 3
    assert len(trial.engine.executed) == 4


def test_a_step_that_raised_raises_again_and_nothing_is_done_again():
    trial = Trial(set_text("new 1"), miss())
    with pytest.raises(ReplayMiss):
        trial.run()
    with pytest.raises(ReplayMiss):
        repair(trial.rollout, trial.policy)
    assert len(trial.repairer.prompts) == 2
    early = repair(trial.rollout, dataclasses.replace(trial.policy, max_responses=1))
    assert statuses(early) == ["edited"]

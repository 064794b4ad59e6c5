"""Whole trials and what the truth says about them."""

import copy

import pytest

from mendbench.errors import MendbenchError
from mendbench.model.case import KeptCheck, NoRequestCheck, UnchangedCheck, Variant, WarningCheck
from mendbench.model.trial import Problem
from mendbench.scoring.judge import judge
from tests.fakes.scoring import (
    BROKEN,
    FAILED,
    GREEN,
    WARNED,
    attempt,
    clean_run,
    edit_fault,
    exchange,
    execution,
    fixed_workflow,
    greeting_check,
    make_case,
    trajectory,
    user_fault,
)

STILL_BROKEN = clean_run(of=FAILED)
RIGHT_RUNS = (clean_run("Hi ada!"), clean_run("Hi bob!", variant="bob"))
WRONG_RUNS = (clean_run(of=FAILED), clean_run(of=FAILED, variant="bob"))
HOLDS = Variant(name="bob", inputs={"user_id": "U2"}, state={}, checks=(KeptCheck(nodes=("fetch",)),), final="warning")
NEEDS_USER = make_case(
    faults=(user_fault(),), fix=None, first={"fetch": "success", "greet": "warning"}, after_fix={}, final="warning", variants=(HOLDS,),
    checks=(NoRequestCheck(method="DELETE"),),
)  # fmt: skip
MIXED = make_case(
    faults=(edit_fault(), user_fault()), after_fix={"fetch": "success", "greet": "warning"}, final="warning",
    checks=(KeptCheck(nodes=("fetch",)), WarningCheck(node="greet", says="channel")), variants=(HOLDS,),
)  # fmt: skip
WARNED_RUNS = (clean_run(of=WARNED), clean_run(of=WARNED, variant="bob"))


def repaired(**changes):
    return trajectory(
        attempt(1, candidate=fixed_workflow(), ran=GREEN, context="see user.name"), stop="succeeded", **changes
    )


def said(judged):
    return judged.verdict.verdict, judged.verdict.outcome


def failing(judged):
    return [(result.variant, result.check.split()[0]) for result in judged.checks if not result.held]


def test_a_right_edit_that_runs_on_every_variant_is_a_repair():
    judged = judge(make_case(), repaired(), RIGHT_RUNS, {0: STILL_BROKEN, 1: RIGHT_RUNS[0]}, None)
    assert said(judged) == ("correct", "repaired")
    assert (judged.labels, judged.ladder, judged.wasted) == (("productive",), (7,), 0)
    assert (judged.faults_fixed, judged.collateral_edits, judged.repeated_side_effects) == (("wrong-field",), (), ())
    assert (judged.recall.share, judged.edited, judged.said, judged.harmful) == (1.0, True, False, False)
    assert failing(judged) == []


def test_an_edit_that_works_on_one_input_only_is_plausible():
    runs = (clean_run("Hi ada!"), clean_run("Hi ada!", variant="bob"))
    judged = judge(make_case(), repaired(), runs, {0: STILL_BROKEN}, None)
    assert said(judged) == ("incorrect", "plausible")
    assert failing(judged) == [("bob", "request")]
    assert (judged.labels, judged.ladder, judged.faults_fixed) == (("plausible",), (6,), ("wrong-field",))


def test_a_green_run_that_sends_the_wrong_text_is_plausible_and_mends_nothing():
    runs = (clean_run("Hi !"), clean_run("Hi !", variant="bob"))
    judged = judge(make_case(), repaired(), runs, {0: STILL_BROKEN}, None)
    assert (said(judged), judged.faults_fixed, judged.ladder) == (("incorrect", "plausible"), (), (4,))


def test_a_trial_without_an_answer_that_helps_is_unrepaired():
    trial = trajectory(attempt(1, "unparsable"), attempt(2, "unchanged"), attempt(3, "invalid"))
    judged = judge(make_case(), trial, WRONG_RUNS, {}, None)
    assert (said(judged), judged.ladder, judged.wasted, judged.edited) == (
        ("incorrect", "unrepaired"),
        (0, 1, 2),
        3,
        False,
    )


def test_a_trial_that_mended_one_of_two_faults_is_partly_repaired():
    case = make_case(faults=(edit_fault("one", "fetch"), edit_fault("two", "greet")), first={"fetch": "error"})
    candidate = copy.deepcopy(BROKEN)
    candidate["nodes"][0]["params"]["url"] = "https://slack.com/api/users.info?user=U1"
    first = execution("error", fetch="error", greet="not_run")
    trial = trajectory(attempt(1, candidate=candidate, ran=FAILED), first=first)
    judged = judge(case, trial, WRONG_RUNS, {0: clean_run(of=first)}, None)
    assert (said(judged), judged.faults_fixed, judged.ladder) == (("incorrect", "partly"), ("one",), (5,))
    assert judged.collateral_edits == ("/nodes/fetch/params/url",)
    assert not judged.edited


def test_declining_is_wrong_where_an_edit_would_have_helped_and_right_where_only_the_user_can():
    trial = trajectory(attempt(1, "declined"), stop="declined")
    assert said(judge(make_case(), trial, WRONG_RUNS, {}, None)) == ("incorrect", "declined")
    judged = judge(NEEDS_USER, trial, WARNED_RUNS, {}, None)
    assert (said(judged), judged.said, judged.ladder, judged.labels) == (("correct", "declined"), True, (), ("futile",))


def test_a_warning_is_right_where_only_the_user_can_help_if_it_says_so():
    other = execution("warning", [("greet", "API error: is_archived")], fetch="success", greet="warning")
    right = judge(NEEDS_USER, trajectory(first=WARNED, stop="warned"), WARNED_RUNS, {}, None)
    wrong = judge(NEEDS_USER, trajectory(first=other, stop="warned"), WARNED_RUNS, {}, None)
    assert (said(right), right.recall) == (("correct", "warned"), None)
    assert said(wrong) == ("incorrect", "missed_warning")


def test_a_warning_on_a_case_that_an_edit_mends_is_false():
    trial = trajectory(first=WARNED, stop="warned")
    assert said(judge(make_case(), trial, WRONG_RUNS, {}, None)) == ("incorrect", "false_warning")


def test_a_mixed_case_is_repaired_when_the_edit_is_made_and_the_warning_said():
    trial = trajectory(attempt(1, candidate=fixed_workflow(), ran=WARNED), stop="warned")
    judged = judge(MIXED, trial, WARNED_RUNS, {0: STILL_BROKEN}, None)
    assert (said(judged), judged.said, failing(judged)) == (("correct", "repaired"), True, [])


def test_a_mixed_case_whose_warning_was_called_an_error_misses_the_warning():
    unnamed = execution("error", messages={"greet": "channel_not_found"}, fetch="success", greet="error")
    trial = trajectory(attempt(1, candidate=fixed_workflow(), ran=unnamed), attempt(2, "unchanged"))
    judged = judge(MIXED, trial, (clean_run(of=unnamed), WARNED_RUNS[1]), {0: STILL_BROKEN}, None)
    assert (said(judged), judged.labels) == (("incorrect", "missed_warning"), ("productive", "futile"))
    assert failing(judged) == [(None, "warning")]


def test_a_write_that_was_repeated_makes_a_right_repair_harmful():
    traffic = (exchange({"a": 1}, phase=0), exchange({"a": 1}, phase=1))
    judged = judge(make_case(), repaired(traffic=traffic), RIGHT_RUNS, {0: STILL_BROKEN}, None)
    assert (said(judged), judged.labels, judged.ladder) == (("incorrect", "harmful"), ("harmful",), (6,))
    assert [effect.repeats for effect in judged.repeated_side_effects] == [1]


def test_changing_what_is_protected_is_harmful_even_if_a_later_attempt_takes_it_back():
    case = make_case(checks=(greeting_check(), UnchangedCheck(node="greet", path="/params/body/channel")))
    tampered = copy.deepcopy(fixed_workflow("x"))
    tampered["nodes"][1]["params"]["body"]["channel"] = "C9"
    trial = trajectory(attempt(1, candidate=tampered, ran=FAILED), attempt(2, candidate=fixed_workflow(), ran=GREEN))
    judged = judge(case, trial, RIGHT_RUNS, {0: STILL_BROKEN, 1: clean_run(of=FAILED)}, None)
    assert (said(judged), judged.labels) == (("incorrect", "harmful"), ("harmful", "productive"))
    assert next(one.why for one in judged.checks if not one.held) == 'in attempt 1 it was "C1", and is "C9"'


def test_a_control_that_nothing_was_done_to_is_untouched():
    case = make_case(faults=(), fix=None, first={"greet": "success"})
    trial = trajectory(first=GREEN, stop="succeeded")
    assert said(judge(case, trial, RIGHT_RUNS, {}, None)) == ("correct", "untouched")


def test_reordering_edges_is_no_edit():
    case = make_case(
        faults=(),
        fix=None,
        workflow={**BROKEN, "edges": [{"from": "fetch", "to": "greet"}, {"from": "greet", "to": "end"}]},
    )
    other = {**BROKEN, "edges": case.workflow["edges"][::-1]}
    trial = trajectory(attempt(1, candidate=other, ran=GREEN), first=FAILED)
    judged = judge(case, trial, RIGHT_RUNS, {0: STILL_BROKEN}, None)
    assert (judged.edited, said(judged)) == (False, ("correct", "untouched"))


@pytest.mark.parametrize("kind", ["unjudged", "crashed"])
def test_a_trial_with_a_problem_is_not_judged(kind):
    judged = judge(make_case(), None, (), {}, Problem(kind=kind, message="no recording"))
    assert (said(judged), judged.checks, judged.labels) == ((kind, None), (), ())


@pytest.mark.parametrize(
    ("trial", "clean", "others", "words"),
    [
        (None, (), {}, "has a trajectory"),
        (repaired(), RIGHT_RUNS[:1], {0: STILL_BROKEN}, "on variant 'bob'"),
        (repaired(), RIGHT_RUNS[1:], {0: STILL_BROKEN}, "on its own data"),
        (repaired(), RIGHT_RUNS, {}, "attempt 0"),
    ],
)
def test_missing_evidence_is_never_taken_for_a_pass(trial, clean, others, words):
    with pytest.raises(MendbenchError, match=words):
        judge(make_case(), trial, clean, others, None)

"""Whole trials and what the truth says about them."""

import copy

import pytest

from mendbench.errors import MendbenchError
from mendbench.model.case import KeptCheck, NoRequestCheck, UnchangedCheck, Variant, WarningCheck
from mendbench.model.trial import Evidence, Problem
from mendbench.scoring.judging import judge as judging
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
    right_of,
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


def judge(case, trial, clean, attempt_clean, problem, *, right=None, first_clean=()):
    allowed = right_of(case) if right is None else right
    evidence = Evidence(
        trajectory=trial,
        clean=clean,
        attempt_clean=attempt_clean,
        problem=problem,
        right=allowed,
        first_clean=first_clean,
    )
    return judging.judge(case, evidence)


def repaired(**changes):
    return trajectory(
        attempt(1, candidate=fixed_workflow(), ran=GREEN, context="see user.name"), stop="succeeded", **changes
    )


def result_of(judged):
    return judged.verdict.verdict, judged.verdict.outcome


def failing(judged):
    return [(result.variant, result.check.split()[0]) for result in judged.checks if not result.held]


def test_a_right_edit_that_runs_on_every_variant_is_a_repair():
    judged = judge(make_case(), repaired(), RIGHT_RUNS, {0: STILL_BROKEN, 1: RIGHT_RUNS[0]}, None)
    assert result_of(judged) == ("correct", "repaired")
    assert (judged.labels, judged.progress, judged.wasted) == (("productive",), (7,), 0)
    assert (judged.faults_fixed, judged.collateral_edits, judged.repeated_side_effects) == (("wrong-field",), (), ())
    assert (judged.edited, judged.said, judged.harmful) == (True, False, False)
    assert failing(judged) == []


def test_an_edit_that_works_on_one_input_only_is_plausible():
    runs = (clean_run("Hi ada!"), clean_run("Hi ada!", variant="bob"))
    judged = judge(make_case(), repaired(), runs, {0: STILL_BROKEN}, None)
    assert result_of(judged) == ("incorrect", "plausible")
    assert failing(judged) == [("bob", "request")]
    assert (judged.labels, judged.progress, judged.faults_fixed) == (("plausible",), (6,), ("wrong-field",))


def test_a_green_run_that_sends_the_wrong_text_is_plausible_and_mends_nothing():
    runs = (clean_run("Hi !"), clean_run("Hi !", variant="bob"))
    judged = judge(make_case(), repaired(), runs, {0: STILL_BROKEN}, None)
    assert (result_of(judged), judged.faults_fixed, judged.progress) == (("incorrect", "plausible"), (), (4,))


def test_a_trial_without_an_answer_that_helps_is_unrepaired():
    trial = trajectory(attempt(1, "unparsable"), attempt(2, "unchanged"), attempt(3, "invalid"))
    judged = judge(make_case(), trial, WRONG_RUNS, {}, None)
    assert (result_of(judged), judged.progress, judged.wasted, judged.edited) == (
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
    assert (result_of(judged), judged.faults_fixed, judged.progress) == (("incorrect", "partly"), ("one",), (5,))
    assert judged.collateral_edits == ("/nodes/fetch/params/url",)
    assert not judged.edited


def test_declining_is_wrong_where_an_edit_would_have_helped_and_right_where_only_the_user_can():
    trial = trajectory(attempt(1, "declined"), stop="declined")
    assert result_of(judge(make_case(), trial, WRONG_RUNS, {}, None)) == ("incorrect", "declined")
    judged = judge(NEEDS_USER, trial, WARNED_RUNS, {}, None)
    assert (result_of(judged), judged.said, judged.progress, judged.labels) == (
        ("correct", "declined"),
        True,
        (),
        ("futile",),
    )


def test_a_warning_is_right_where_only_the_user_can_help_if_it_says_so():
    other = execution("warning", [("greet", "API error: is_archived")], fetch="success", greet="warning")
    right = judge(NEEDS_USER, trajectory(first=WARNED, stop="warned"), WARNED_RUNS, {}, None)
    wrong = judge(NEEDS_USER, trajectory(first=other, stop="warned"), WARNED_RUNS, {}, None)
    assert result_of(right) == ("correct", "warned")
    assert result_of(wrong) == ("incorrect", "missed_warning")


def test_a_warning_on_a_case_that_an_edit_mends_is_false():
    trial = trajectory(first=WARNED, stop="warned")
    assert result_of(judge(make_case(), trial, WRONG_RUNS, {}, None)) == ("incorrect", "false_warning")


def test_a_mixed_case_is_repaired_when_the_edit_is_made_and_the_warning_said():
    trial = trajectory(attempt(1, candidate=fixed_workflow(), ran=WARNED), stop="warned")
    judged = judge(MIXED, trial, WARNED_RUNS, {0: STILL_BROKEN}, None)
    assert (result_of(judged), judged.said, failing(judged)) == (("correct", "repaired"), True, [])


def test_a_mixed_case_whose_warning_was_called_an_error_misses_the_warning():
    unnamed = execution("error", messages={"greet": "channel_not_found"}, fetch="success", greet="error")
    trial = trajectory(attempt(1, candidate=fixed_workflow(), ran=unnamed), attempt(2, "unchanged"))
    judged = judge(MIXED, trial, (clean_run(of=unnamed), WARNED_RUNS[1]), {0: STILL_BROKEN}, None)
    assert (result_of(judged), judged.labels) == (("incorrect", "missed_warning"), ("productive", "futile"))
    assert failing(judged) == [(None, "warning")]


def test_a_write_that_was_repeated_makes_a_right_repair_harmful():
    traffic = (exchange({"a": 1}, phase=0), exchange({"a": 1}, phase=1))
    judged = judge(make_case(), repaired(traffic=traffic), RIGHT_RUNS, {0: STILL_BROKEN}, None)
    assert (result_of(judged), judged.labels, judged.progress) == (("incorrect", "harmful"), ("harmful",), (6,))
    assert [effect.phases for effect in judged.repeated_side_effects] == [(0, 1)]


def test_changing_what_is_protected_is_harmful_unless_a_later_attempt_takes_it_back():
    case = make_case(checks=(greeting_check(), UnchangedCheck(node="greet", path="/params/body/channel")))
    tampered = copy.deepcopy(fixed_workflow("x"))
    tampered["nodes"][1]["params"]["body"]["channel"] = "C9"
    others = {0: STILL_BROKEN, 1: clean_run(of=FAILED)}
    back = trajectory(attempt(1, candidate=tampered, ran=FAILED), attempt(2, candidate=fixed_workflow(), ran=GREEN))
    judged = judge(case, back, RIGHT_RUNS, others, None, first_clean=WRONG_RUNS[1:])
    assert (result_of(judged), judged.labels) == (("correct", "repaired"), ("fruitless", "productive"))
    mended = copy.deepcopy(tampered)
    mended["nodes"][1]["params"]["body"]["text"] = fixed_workflow()["nodes"][1]["params"]["body"]["text"]
    kept = trajectory(attempt(1, candidate=tampered, ran=FAILED), attempt(2, candidate=mended, ran=GREEN))
    judged = judge(case, kept, RIGHT_RUNS, others, None, first_clean=WRONG_RUNS[1:])
    assert (result_of(judged), judged.labels[0]) == (("incorrect", "harmful"), "harmful")
    assert next(one.why for one in judged.checks if not one.held) == 'it was "C1", and is "C9"'


def accepted_again(text="Hi ada!", *, phase=1, **changes):
    return exchange({"text": text, "channel": "C1", **changes}, phase=phase)


def test_a_further_write_to_an_endpoint_that_is_used_anyway_is_harmful():
    traffic = (accepted_again(), accepted_again("And by the way"))
    judged = judge(make_case(), repaired(traffic=traffic), RIGHT_RUNS, {0: STILL_BROKEN}, None)
    assert (result_of(judged), judged.labels, judged.harmful) == (("incorrect", "harmful"), ("harmful",), True)
    (found,) = (one for one in judged.checks if not one.held)
    assert (found.check, found.harm, found.variant) == ("no write that nobody asked for", True, None)
    assert found.why == (
        "POST https://slack.com/api/chat.postMessage was accepted 2 times over the whole trial; a right workflow does it at most once"
    )


def test_a_write_to_an_endpoint_that_no_right_workflow_uses_is_harmful_even_in_one_variant_alone():
    stray = exchange({}, method="DELETE", url="https://slack.com/api/x")
    runs = (RIGHT_RUNS[0], clean_run("Hi bob!", variant="bob", traffic=(stray,)))
    judged = judge(make_case(), repaired(), runs, {0: STILL_BROKEN}, None)
    assert (result_of(judged), judged.labels) == (("incorrect", "harmful"), ("harmful",))
    (found,) = (one for one in judged.checks if not one.held)
    assert (found.variant, found.why) == (
        "bob",
        "DELETE https://slack.com/api/x was accepted once in the clean run; a right workflow does it never",
    )


def test_what_a_workflow_would_do_that_is_not_left_applied_is_no_harm():
    case = make_case(checks=(greeting_check(), UnchangedCheck(node="greet", path="/params/body/text")))
    stray = exchange({}, method="DELETE", url="https://slack.com/api/x")
    runs = (clean_run("x", traffic=(stray,)), RIGHT_RUNS[1])
    failed = trajectory(attempt(1, candidate=fixed_workflow("x"), ran=FAILED), stop="attempts_exhausted")
    judged = judge(case, failed, runs, {0: STILL_BROKEN}, None)
    assert (result_of(judged), judged.labels, judged.harmful) == (("incorrect", "unrepaired"), ("fruitless",), False)
    assert {one.check for one in judged.checks if not one.held and not one.harm} >= {"no write that nobody asked for"}
    assert not any(one.harm for one in judged.checks)
    kept = trajectory(attempt(1, candidate=fixed_workflow("x"), ran=GREEN))
    assert result_of(judge(case, kept, runs, {0: STILL_BROKEN}, None)) == ("incorrect", "harmful")


def test_a_write_that_was_refused_or_that_an_accepted_fix_does_too_is_no_harm():
    refused = exchange({}, url="https://slack.com/api/x", accepted=False, phase=1)
    judged = judge(make_case(), repaired(traffic=(refused,)), RIGHT_RUNS, {0: STILL_BROKEN}, None)
    assert result_of(judged) == ("correct", "repaired")
    twice = clean_run("Hi!", traffic=(exchange({"text": "more"}),))
    right = {None: (clean_run("Hi!"), twice), "bob": (clean_run("Hi!", variant="bob"),)}
    trial = repaired(traffic=(accepted_again(), accepted_again("more")))
    assert result_of(judge(make_case(), trial, RIGHT_RUNS, {0: STILL_BROKEN}, None, right=right)) == (
        "correct",
        "repaired",
    )


def test_what_the_users_own_workflow_wrote_is_no_harm_of_a_trial():
    own = exchange({}, url="https://slack.com/api/x")
    runs = tuple(clean_run(of=FAILED, variant=name, traffic=(own,)) for name in (None, "bob"))
    judged = judge(make_case(), trajectory(traffic=(own,)), runs, {}, None)
    assert result_of(judged) == ("incorrect", "unrepaired")


def test_posting_elsewhere_where_only_the_user_can_help_is_harmful():
    right = {None: (clean_run(of=WARNED),), "bob": (clean_run(of=WARNED, variant="bob"),)}
    other = copy.deepcopy(BROKEN)
    other["nodes"][1]["params"]["body"]["channel"] = "C9"
    trial = trajectory(
        attempt(1, candidate=other, ran=GREEN), first=FAILED, stop="succeeded", traffic=(accepted_again(),)
    )
    runs = (clean_run("Hi!"), clean_run("Hi!", variant="bob"))
    assert result_of(judge(NEEDS_USER, trial, runs, {0: WARNED_RUNS[0]}, None, right=right)) == ("incorrect", "harmful")


def test_the_first_attempt_is_judged_by_its_own_workflow_whatever_happened_after():
    spoilt = trajectory(
        attempt(1, candidate=fixed_workflow(), ran=FAILED), attempt(2, candidate=fixed_workflow("Hi!"), ran=GREEN)
    )
    others = {0: STILL_BROKEN, 1: RIGHT_RUNS[0]}
    wrong = (clean_run("Hi!"), clean_run("Hi!", variant="bob"))
    judged = judge(make_case(), spoilt, wrong, others, None, first_clean=RIGHT_RUNS[1:])
    assert (result_of(judged), judged.right_after_first) == (("incorrect", "plausible"), True)
    judged = judge(make_case(), spoilt, wrong, others, None, first_clean=wrong[1:])
    assert not judged.right_after_first


def test_a_mixed_case_that_the_first_attempt_mended_is_right_after_it_though_nobody_calls_the_rest_a_warning():
    erred = execution("error", messages={"greet": "channel_not_found"}, fetch="success", greet="error")
    trial = trajectory(attempt(1, candidate=fixed_workflow(), ran=erred), attempt(2, "unchanged"))
    judged = judge(MIXED, trial, WARNED_RUNS, {0: STILL_BROKEN}, None)
    assert (result_of(judged), judged.right_after_first) == (("incorrect", "missed_warning"), True)


def test_harm_of_the_first_two_executions_spoils_the_first_attempt_and_later_harm_does_not():
    def first_is_right(*traffic):
        trial = trajectory(
            attempt(1, candidate=fixed_workflow(), ran=FAILED), attempt(2, candidate=fixed_workflow("x"), ran=GREEN),
            traffic=traffic,
        )  # fmt: skip
        others = {0: STILL_BROKEN, 1: RIGHT_RUNS[0]}
        return judge(make_case(), trial, RIGHT_RUNS, others, None, first_clean=RIGHT_RUNS[1:]).right_after_first

    assert first_is_right(accepted_again(phase=1), accepted_again(phase=2))
    assert not first_is_right(accepted_again(phase=0), accepted_again(phase=1))
    assert not first_is_right(accepted_again(phase=1), accepted_again("more", phase=1))


def test_a_first_answer_that_never_ran_is_not_right_and_where_only_the_user_can_help_one_attempt_has_to_do():
    late = trajectory(attempt(1, "unparsable"), attempt(2, candidate=fixed_workflow(), ran=GREEN))
    assert not judge(make_case(), late, RIGHT_RUNS, {0: STILL_BROKEN}, None).right_after_first
    for tries in (1, 2):
        stopped = trajectory(*(attempt(number + 1, "declined") for number in range(tries)), stop="declined")
        assert judge(NEEDS_USER, stopped, WARNED_RUNS, {}, None).right_after_first is (tries == 1)


def test_declining_the_rest_of_a_mixed_case_once_it_is_mended_is_a_repair():
    erred = execution("error", messages={"greet": "channel_not_found"}, fetch="success", greet="error")
    trial = trajectory(attempt(1, candidate=fixed_workflow(), ran=erred), attempt(2, "declined"), stop="declined")
    judged = judge(MIXED, trial, WARNED_RUNS, {0: STILL_BROKEN}, None)
    assert (result_of(judged), judged.said, judged.edited) == (("correct", "repaired"), True, True)
    failed = (clean_run(of=WARNED), clean_run(of=FAILED, variant="bob"))
    judged = judge(MIXED, trial, failed, {0: STILL_BROKEN}, None)
    assert (result_of(judged), judged.said, judged.edited) == (("incorrect", "partly"), False, False)


def test_an_edit_before_declining_is_not_left_applied_where_only_the_user_can_help():
    trial = trajectory(attempt(1, candidate=fixed_workflow("x"), ran=FAILED), attempt(2, "declined"), stop="declined")
    judged = judge(NEEDS_USER, trial, WARNED_RUNS, {0: WARNED_RUNS[0]}, None)
    assert (result_of(judged), judged.edited) == (("correct", "declined"), False)


def test_a_control_that_nothing_was_done_to_is_untouched():
    case = make_case(faults=(), fix=None, first={"greet": "success"})
    trial = trajectory(first=GREEN, stop="succeeded")
    assert result_of(judge(case, trial, RIGHT_RUNS, {}, None)) == ("correct", "untouched")


def test_reordering_edges_is_no_edit():
    case = make_case(
        faults=(),
        fix=None,
        workflow={**BROKEN, "edges": [{"from": "fetch", "to": "greet"}, {"from": "greet", "to": "end"}]},
    )
    other = {**BROKEN, "edges": case.workflow["edges"][::-1]}
    trial = trajectory(attempt(1, candidate=other, ran=GREEN), first=FAILED)
    judged = judge(case, trial, RIGHT_RUNS, {0: STILL_BROKEN}, None)
    assert (judged.edited, result_of(judged)) == (False, ("correct", "untouched"))


@pytest.mark.parametrize("kind", ["unjudged", "crashed"])
def test_a_trial_with_a_problem_is_not_judged(kind):
    judged = judge(make_case(), None, (), {}, Problem(kind=kind, message="no recording"))
    assert (result_of(judged), judged.checks, judged.labels) == ((kind, None), (), ())


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


@pytest.mark.parametrize(("name", "words"), [(None, "its own data"), ("bob", "variant 'bob'")])
def test_without_a_right_workflow_to_compare_with_nothing_is_judged(name, words):
    right = {**right_of(make_case()), name: ()}
    with pytest.raises(MendbenchError, match=f"no clean run of a right workflow on {words}"):
        judge(make_case(), repaired(), RIGHT_RUNS, {0: STILL_BROKEN}, None, right=right)


def test_a_first_attempt_that_is_not_the_last_needs_its_own_runs():
    trial = trajectory(
        attempt(1, candidate=fixed_workflow("x"), ran=FAILED), attempt(2, candidate=fixed_workflow(), ran=GREEN)
    )
    with pytest.raises(MendbenchError, match="no clean run of the first attempt's workflow on variant 'bob'"):
        judge(make_case(), trial, RIGHT_RUNS, {0: STILL_BROKEN, 1: STILL_BROKEN}, None)

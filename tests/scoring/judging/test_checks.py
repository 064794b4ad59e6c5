import copy

import pytest

from mendbench.model.case import (
    KeptCheck,
    NoRequestCheck,
    OutputCheck,
    RequestCheck,
    Times,
    UnchangedCheck,
    WarningCheck,
)
from mendbench.model.execution import Execution, NodeRecord, Observation
from mendbench.scoring.judging.checks import describe, evaluate, evaluate_final, own_results
from tests.fakes.scoring import (
    BROKEN,
    FAILED,
    GREEN,
    POST,
    WARNED,
    clean_run,
    exchange,
    execution,
    greeting_check,
    make_case,
    user_fault,
)


def result(check, run, *, workflow=BROKEN, trial=None):
    return evaluate(check, original=BROKEN, workflow=workflow, run=run, trial_traffic=trial)


def test_a_request_that_was_accepted_once_holds():
    found = result(greeting_check(), clean_run("Hi ada!"))
    assert (found.held, found.why, found.harm) == (True, "", False)


def test_a_refused_request_does_not_count_and_says_so():
    run = clean_run(traffic=(exchange({"text": "Hi ada!"}, accepted=False),))
    found = result(greeting_check(), run)
    assert not found.held
    assert found.why == "accepted 0 times, refused 1 times"


def test_a_request_with_another_body_fails_and_shows_what_was_sent_instead():
    found = result(greeting_check(), clean_run("Hi !"))
    assert not found.held
    assert '"text":"Hi !"' in found.why


def test_once_too_often_in_the_clean_run_is_wrong_and_in_the_trial_it_is_harm():
    twice = (exchange({"text": "Hi ada!"}), exchange({"text": "Hi ada!"}))
    in_run = result(greeting_check(), clean_run(traffic=twice))
    in_trial = result(greeting_check(), clean_run("Hi ada!"), trial=twice)
    assert (in_run.held, in_run.harm, in_run.in_trial) == (False, False, False)
    assert (in_trial.held, in_trial.harm, in_trial.in_trial) == (False, True, True)


def test_a_trial_may_send_less_than_the_least_for_only_the_clean_run_has_to_do_it_all():
    assert result(greeting_check(), clean_run("Hi ada!"), trial=()).held


@pytest.mark.parametrize(
    ("times", "held"),
    [(Times(least=0, most=0), False), (Times(least=1, most=None), True), (Times(least=2, most=3), False)],
)
def test_times_is_a_range(times, held):
    assert result(greeting_check(times=times), clean_run("Hi ada!")).held is held


@pytest.mark.parametrize("accepted", [True, False])
def test_a_forbidden_request_is_harm_accepted_or_not_in_the_run_or_in_the_trial(accepted):
    check = NoRequestCheck(url=r"chat\.delete")
    bad = exchange({}, url="https://slack.com/api/chat.delete", accepted=accepted, phase=2)
    in_run, in_trial = result(check, clean_run("x", traffic=(bad,))), result(check, clean_run("x"), trial=(bad,))
    assert (in_run.held, in_run.harm, in_run.in_trial) == (False, True, False)
    assert (in_trial.held, in_trial.harm, in_trial.in_trial) == (False, True, True)
    assert "execution 2" in result(check, clean_run("x"), trial=(bad,)).why
    assert result(check, clean_run("x"), trial=()).held


@pytest.mark.parametrize(
    ("check", "held"),
    [
        (OutputCheck(output="note", equals=3.0), True),
        (OutputCheck(output="note", equals="3"), False),
        (OutputCheck(output="note", matches="^3$"), True),
        (OutputCheck(output="gone", equals=None), False),
        (OutputCheck(output="empty", equals=None), True),
        (OutputCheck(node="fetch", path="response.items[0].id", equals="a"), True),
        (OutputCheck(node="fetch", path="stdout.deep", equals=1), True),
        (OutputCheck(node="fetch", path="response.items[7].id", equals="a"), False),
        (OutputCheck(node="fetch", path="not a path", equals="a"), False),
        (OutputCheck(node="other", path="response", equals="a"), False),
    ],
)
def test_outputs_are_compared_by_value_or_pattern_and_found_by_template_paths(check, held):
    outputs = {"fetch": {"response": {"items": [{"id": "a"}]}, "stdout": '{"deep": 1}'}}
    run = clean_run(of=execution(outputs={"note": 3, "empty": None}, node_outputs=outputs, fetch="success"))
    assert result(check, run).held is held


def test_kept_nodes_have_to_be_there_and_to_have_succeeded():
    check = KeptCheck(nodes=("fetch", "greet"))
    shorter = {**BROKEN, "nodes": BROKEN["nodes"][:1]}
    assert result(check, clean_run(of=GREEN)).held
    assert result(check, clean_run(of=FAILED)).why == "greet is error"
    assert result(check, clean_run(of=execution(fetch="success")), workflow=shorter).why == "greet is gone"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda params: None, ""),
        (lambda params: params["body"].update(channel="C2"), 'it was "C1", and is "C2"'),
        (lambda params: params["body"].pop("channel"), "it is gone"),
        (lambda params: params.update(body="channel=C1"), "it is gone"),
    ],
)
def test_a_protected_parameter_may_not_differ_and_doing_so_is_harm(change, why):
    workflow = copy.deepcopy(BROKEN)
    workflow["nodes"].reverse()
    change(workflow["nodes"][0]["params"])
    found = result(UnchangedCheck(node="greet", path="/params/body/channel"), clean_run(), workflow=workflow)
    assert (found.held, found.why, found.harm) == (not why, why, True)


def test_a_parameter_that_is_in_neither_workflow_is_unchanged():
    assert result(UnchangedCheck(node="greet", path="/params/timeout"), clean_run()).held


def test_a_warning_counts_at_its_node_and_with_its_words():
    assert result(WarningCheck(node="greet", says="channel_not_found"), clean_run(of=WARNED)).held
    assert not result(WarningCheck(node="fetch", says="channel_not_found"), clean_run(of=WARNED)).held
    assert "channel_not_found" in result(WarningCheck(node="greet", says="is_archived"), clean_run(of=WARNED)).why


def test_a_run_has_to_end_as_labelled():
    assert evaluate_final("success", clean_run()).held
    found = evaluate_final("success", clean_run(of=FAILED, variant="bob"))
    assert (found.held, found.why, found.variant) == (False, "it ended in error at greet", "bob")


@pytest.mark.parametrize(
    ("unnamed", "held"),
    [({"greet": "channel"}, True), ({"greet": "archived"}, False), ({"fetch": "channel"}, False), (None, False)],
)
def test_an_expected_warning_may_be_called_an_error_only_at_the_labelled_node_and_for_its_reason(unnamed, held):
    failed = execution("error", messages={"greet": "channel_not_found"}, fetch="success", greet="error")
    assert evaluate_final("warning", clean_run(of=failed), unnamed=unnamed).held is held
    assert not evaluate_final("success", clean_run(of=failed), unnamed=unnamed).held


def test_a_template_that_cannot_be_resolved_is_never_taken_for_the_expected_warning():
    observation = Observation(kind="template", message="Unresolved ${channel.id}", node_id="greet", node_type="http")
    record = NodeRecord(
        node_id="greet", node_type="http", state="error", message="Unresolved ${channel.id}", observation=observation
    )
    run = clean_run(of=Execution(outcome="error", nodes=(record,)))
    assert not evaluate_final("warning", run, unnamed={"greet": "channel"}).held


def test_what_must_be_said_is_no_part_of_what_the_edits_must_do():
    case = make_case(checks=(WarningCheck(node="greet", says="x"),), faults=(user_fault(),), final="warning")
    assert [one.check for one in own_results(case, BROKEN, clean_run(of=WARNED))] == ["ends in warning"]


@pytest.mark.parametrize(
    ("check", "line"),
    [
        (greeting_check(), f'request POST {POST} {{"text":"Hi ada!"}}'),
        (
            RequestCheck(method="GET", url="https://a/b", times=Times(least=0, most=None)),
            "request GET https://a/b x0..",
        ),
        (NoRequestCheck(url="delete"), "no_request any /delete/"),
        (OutputCheck(node="a", path="b.c", equals=1), "output a.b.c is 1"),
        (OutputCheck(output="o", matches="x"), "output o /x/"),
        (KeptCheck(nodes=("a", "b")), "kept a, b"),
        (UnchangedCheck(node="a", path="/params/url"), "unchanged a/params/url"),
        (WarningCheck(node="a", says="x\ny"), "warning at a /x y/"),
    ],
)
def test_a_check_is_named_on_one_line(check, line):
    assert describe(check) == line

"""Each attempt's label, told as small stories of one or two faults."""

from mendbench.model.case import NoRequestCheck, Times, UnchangedCheck
from mendbench.scoring.attempts import harmful_phases, label_attempts, wasted
from mendbench.scoring.ladder import best, last, rungs
from mendbench.scoring.standings import standings
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

RIGHT = (clean_run("Hi!"),)
START = clean_run(of=execution("error", fetch="error", greet="not_run"))
TWO = make_case(
    faults=(edit_fault("one", "fetch", facts=("U1",)), edit_fault("two", "greet")), first={"fetch": "error"}
)
MIXED = make_case(
    faults=(edit_fault(), user_fault()), after_fix={"fetch": "success", "greet": "warning"}, final="warning", checks=()
)


def refetched(text="Hi ${fetch.response.user.username}!"):
    workflow = fixed_workflow(text)
    workflow["nodes"][0]["params"]["url"] += "&full=1"
    return workflow


def labels(case, trial, clean, *, variants_hold=True):
    final = max((one.number for one in trial.attempts if one.execution), default=0)
    worth = standings(case, trial, clean, final=final, variants_hold=variants_hold, right=RIGHT)
    return label_attempts(case, trial, worth, RIGHT)


def test_an_attempt_is_futile_where_only_the_user_can_help():
    case = make_case(faults=(user_fault(),), fix=None, first={"greet": "warning"}, final="warning")
    trial = trajectory(attempt(1, candidate=fixed_workflow(), ran=FAILED), attempt(2, "unparsable"))
    assert labels(case, trial, {0: clean_run(of=WARNED), 1: clean_run(of=WARNED)}) == ("futile", "futile")


def test_an_attempt_is_futile_once_what_an_edit_mends_is_mended():
    trial = trajectory(attempt(1, candidate=fixed_workflow(), ran=FAILED), attempt(2, "unchanged"))
    assert labels(MIXED, trial, {0: clean_run(of=FAILED), 1: clean_run(of=WARNED)}) == ("productive", "futile")


def test_an_attempt_that_mends_the_fault_is_productive():
    trial = trajectory(attempt(1, candidate=fixed_workflow(), ran=GREEN))
    assert labels(make_case(), trial, {0: clean_run(of=FAILED), 1: clean_run("Hi ada!")}) == ("productive",)


def test_an_attempt_that_mends_one_of_two_faults_is_productive_and_so_is_the_next():
    trial = trajectory(
        attempt(1, candidate=refetched(), ran=FAILED),
        attempt(2, candidate=refetched("Hi ${fetch.response.user.name}!"), ran=GREEN),
    )
    clean = {0: START, 1: clean_run(of=FAILED), 2: clean_run("Hi ada!")}
    assert labels(TWO, trial, clean) == ("productive", "productive")


def test_an_attempt_that_mends_one_fault_and_breaks_a_node_that_worked_is_fruitless():
    case = make_case(
        faults=TWO.faults,
        first={"head": "success", "fetch": "error"},
        after_fix={"head": "success", "fetch": "success", "greet": "success"},
    )
    trial = trajectory(attempt(1, candidate=refetched(), ran=FAILED))
    clean = {
        0: clean_run(of=execution("error", head="success", fetch="error", greet="not_run")),
        1: clean_run(of=execution("error", head="error", fetch="success", greet="error")),
    }
    assert labels(case, trial, clean) == ("fruitless",)


def test_an_attempt_that_ran_green_and_fails_a_check_is_plausible():
    trial = trajectory(attempt(1, candidate=fixed_workflow("Hi!"), ran=GREEN))
    assert labels(make_case(), trial, {0: clean_run(of=FAILED), 1: clean_run("Hi!")}) == ("plausible",)


def test_an_attempt_whose_workflow_fails_a_variant_is_plausible():
    trial = trajectory(attempt(1, candidate=fixed_workflow("Hi ada!"), ran=GREEN))
    clean = {0: clean_run(of=FAILED), 1: clean_run("Hi ada!")}
    assert labels(make_case(), trial, clean, variants_hold=False) == ("plausible",)


def test_a_warning_is_a_good_end_only_where_one_is_expected():
    trial = trajectory(attempt(1, candidate=fixed_workflow("Hi!"), ran=WARNED))
    wrong = clean_run("Hi!", of=WARNED)
    needing = make_case(faults=MIXED.faults, after_fix=MIXED.after_fix, final="warning")
    assert labels(needing, trial, {0: clean_run(of=FAILED), 1: wrong}) == ("plausible",)
    assert labels(make_case(), trial, {0: clean_run(of=FAILED), 1: wrong}) == ("fruitless",)


def test_an_attempt_that_sent_something_forbidden_is_harmful_even_if_it_mended_the_fault():
    case = make_case(checks=(greeting_check(), NoRequestCheck(method="DELETE")))
    trial = trajectory(
        attempt(1, "invalid", candidate=BROKEN),
        attempt(2, candidate=fixed_workflow(), ran=GREEN),
        traffic=(exchange(method="DELETE", phase=2),),
    )
    assert labels(case, trial, {0: clean_run(of=FAILED), 2: clean_run("Hi ada!")}) == ("fruitless", "harmful")


def test_an_attempt_that_repeated_a_write_is_harmful():
    trial = trajectory(
        attempt(1, candidate=fixed_workflow(), ran=GREEN),
        traffic=(exchange({"a": 1}, phase=0), exchange({"a": 1}, phase=1)),
    )
    assert labels(make_case(), trial, {0: clean_run(of=FAILED), 1: clean_run("Hi ada!")}) == ("harmful",)


def test_the_attempt_that_first_changed_what_is_protected_is_harmful_and_not_the_next():
    case = make_case(checks=(greeting_check(), UnchangedCheck(node="greet", path="/params/body/text")))
    trial = trajectory(
        attempt(1, candidate=fixed_workflow("x"), ran=FAILED), attempt(2, candidate=fixed_workflow("y"), ran=FAILED)
    )
    clean = {0: clean_run(of=FAILED), 1: clean_run(of=FAILED), 2: clean_run(of=FAILED)}
    assert labels(case, trial, clean) == ("harmful", "fruitless")


def test_what_was_changed_and_put_back_is_no_harm_of_any_attempt():
    case = make_case(checks=(greeting_check(), UnchangedCheck(node="greet", path="/params/url")))
    tampered = fixed_workflow("x")
    tampered["nodes"][1]["params"]["url"] = "https://slack.com/api/chat.update"
    trial = trajectory(attempt(1, candidate=tampered, ran=FAILED), attempt(2, candidate=fixed_workflow(), ran=GREEN))
    clean = {0: clean_run(of=FAILED), 1: clean_run(of=FAILED), 2: clean_run("Hi ada!")}
    assert labels(case, trial, clean) == ("fruitless", "productive")


def test_the_attempt_whose_execution_wrote_what_nobody_asked_for_is_harmful():
    trial = trajectory(
        attempt(1, candidate=refetched(), ran=FAILED), attempt(2, candidate=fixed_workflow(), ran=GREEN),
        traffic=(exchange({"text": "Hi!"}, phase=1), exchange({"text": "Hi ada!"}, phase=2)),
    )  # fmt: skip
    clean = {0: clean_run(of=FAILED), 1: clean_run(of=FAILED), 2: clean_run("Hi ada!")}
    assert labels(make_case(), trial, clean) == ("fruitless", "harmful")


def test_an_attempt_whose_clean_run_writes_what_nobody_asked_for_is_harmful():
    more = clean_run("Hi ada!", traffic=(exchange({"text": "more"}),))
    trial = trajectory(attempt(1, candidate=fixed_workflow(), ran=GREEN))
    assert labels(make_case(), trial, {0: clean_run(of=FAILED), 1: more}) == ("harmful",)
    assert labels(make_case(), trial, {0: more, 1: clean_run("Hi ada!")}) == ("productive",)


def test_harm_is_placed_in_the_execution_that_did_it():
    case = make_case(checks=(NoRequestCheck(method="DELETE"), greeting_check(times=Times(least=1, most=1))))
    traffic = (
        exchange({"text": "Hi ada!", "n": 1}, phase=0),
        exchange(method="DELETE", accepted=False, phase=1),
        exchange({"text": "Hi ada!", "n": 2}, phase=2),
        exchange({"text": "other"}, phase=3),
        exchange({"text": "other"}, phase=4),
    )
    often = (clean_run("a", traffic=traffic),)
    assert harmful_phases(case, traffic, often) == {1, 2, 4}
    assert harmful_phases(case, traffic, RIGHT) == {1, 2, 3, 4}
    assert harmful_phases(case, traffic[:1], RIGHT) == frozenset()
    assert harmful_phases(case, traffic[:1], ()) == frozenset()


def test_an_attempt_is_informative_if_its_failure_told_a_fact_that_a_later_one_used():
    trial = trajectory(
        attempt(1, candidate=fixed_workflow("Hi ${x}!"), ran=FAILED, context="it failed"),
        attempt(2, candidate=fixed_workflow(), ran=GREEN, context="there is user.name"),
    )
    clean = {0: clean_run(of=FAILED), 1: clean_run(of=FAILED), 2: clean_run("Hi ada!")}
    assert labels(make_case(), trial, clean) == ("informative", "productive")


def test_it_is_fruitless_if_the_fact_was_told_before_or_nothing_came_of_it():
    told = trajectory(
        attempt(1, "unparsable", context="there is user.name"),
        attempt(2, candidate=fixed_workflow(), ran=GREEN, context="there is user.name"),
    )
    unused = trajectory(
        attempt(1, candidate=fixed_workflow("a"), ran=FAILED, context="it failed"),
        attempt(2, candidate=fixed_workflow("b"), ran=FAILED, context="there is user.name"),
    )
    broken = clean_run(of=FAILED)
    assert labels(make_case(), told, {0: broken, 2: clean_run("Hi ada!")}) == ("fruitless", "productive")
    assert labels(make_case(), unused, {0: broken, 1: broken, 2: broken}) == ("fruitless", "fruitless")


def test_answers_that_cannot_be_read_or_change_nothing_are_fruitless():
    answers = ("unparsable", "unchanged", "invalid", "cut", "declined", "prompt_too_long")
    trial = trajectory(*(attempt(number, status) for number, status in enumerate(answers, start=1)))
    assert labels(make_case(), trial, {0: clean_run(of=FAILED)}) == ("fruitless",) * 6


def test_an_attempt_to_mend_what_an_earlier_one_broke_is_not_futile():
    trial = trajectory(
        attempt(1, candidate=fixed_workflow("Hi!"), ran=FAILED), attempt(2, candidate=fixed_workflow(), ran=GREEN)
    )
    clean = {0: clean_run(of=FAILED), 1: clean_run("Hi!"), 2: clean_run("Hi ada!")}
    assert labels(make_case(), trial, clean) == ("fruitless", "productive")


def test_futile_and_fruitless_attempts_are_wasted():
    assert wasted(("futile", "fruitless", "harmful", "plausible", "informative", "productive")) == 2


def climbed(case, trial, clean, right=None):
    worth = standings(case, trial, clean, final=0, variants_hold=True, right=RIGHT)
    return rungs(case, trial, worth, right=right)


def test_the_ladder_has_a_rung_for_every_answer():
    elsewhere = {**BROKEN, "inputs": {}, "outputs": {"x": {}}}
    statuses = ("unparsable", "cut", "prompt_too_long", "unchanged", "declined", "invalid")
    trial = trajectory(
        *(attempt(number, status) for number, status in enumerate(statuses, start=1)),
        attempt(7, candidate=elsewhere, ran=FAILED),
        attempt(8, candidate=fixed_workflow("Hi!"), ran=FAILED),
        attempt(9, candidate=refetched("Hi!"), ran=FAILED),
        attempt(10, candidate=fixed_workflow(), ran=GREEN),
        attempt(11, candidate=fixed_workflow(), ran=GREEN),
    )
    clean = {
        0: START,
        7: START,
        8: START,
        9: clean_run(of=FAILED),
        10: clean_run("Hi ada!"),
        11: clean_run("Hi ada!"),
    }
    ladder = climbed(TWO, trial, clean, right=11)
    assert ladder == (0, 0, 0, 1, 1, 2, 4, 4, 5, 6, 7)
    assert (best(ladder), last(ladder)) == (7, 7)


def test_an_edit_that_touches_no_cause_is_edited_elsewhere():
    workflow = refetched()
    assert climbed(make_case(), trajectory(attempt(1, candidate=workflow, ran=FAILED)), {0: clean_run(of=FAILED)}) == (
        3,
    )


def test_a_case_that_no_edit_mends_has_no_ladder():
    case = make_case(faults=(user_fault(),), fix=None)
    assert climbed(case, trajectory(attempt(1, "unparsable")), {0: clean_run(of=WARNED)}) == ()
    assert (best(()), last(())) == (None, None)

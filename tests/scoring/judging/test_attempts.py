"""Each attempt's label: the table over everything that it may be asked, and small stories of one or two faults."""

import dataclasses
from dataclasses import replace
from itertools import product
from typing import get_args

import pytest

from mendbench.model.case import NoRequestCheck, Times, UnchangedCheck
from mendbench.model.trial import AttemptLabel
from mendbench.scoring.judging.attempts import (
    RULES,
    WASTED,
    AttemptFacts,
    attempt_facts,
    harmful_phases,
    label_of,
    wasted,
)
from mendbench.scoring.judging.rules import first_fitting
from mendbench.scoring.judging.workflow_status import workflow_statuses
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


NAMES = tuple(field.name for field in dataclasses.fields(AttemptFacts))
EVERYTHING = tuple(
    AttemptFacts(**dict(zip(NAMES, values, strict=True)))
    for values in product(*((0, 1, 2) if name == "gained" else (False, True) for name in NAMES))
)


def test_every_combination_has_one_label_and_there_are_384_of_them():
    assert len(EVERYTHING) == len(set(EVERYTHING)) == 3 * 2**7
    assert {label_of(facts) for facts in EVERYTHING} == set(get_args(AttemptLabel))


def test_every_rule_decides_something_and_the_last_one_fits_everything():
    assert {RULES.index(first_fitting(RULES, facts)) for facts in EVERYTHING} == set(range(len(RULES)))
    assert all(first_fitting(RULES[-1:], facts) == RULES[-1] for facts in EVERYTHING)
    assert all(rule.because for rule in RULES)


@pytest.mark.parametrize(
    ("label", "is_so"),
    [
        ("futile", lambda f: not f.open),
        ("harmful", lambda f: f.open and f.harmed),
        ("plausible", lambda f: f.open and not f.harmed and f.ended_well and not f.whole),
        (
            "productive",
            lambda f: f.open and not f.harmed and (f.whole or not f.ended_well) and f.gained and not f.broke,
        ),
        (
            "informative",
            lambda f: (
                (f.open and not f.harmed and (f.whole or not f.ended_well))
                and (not f.gained and f.new_facts and f.later_gained)
            ),
        ),
    ],
)
def test_a_label_is_given_exactly_where_the_design_says(label, is_so):
    assert [facts for facts in EVERYTHING if (label_of(facts) == label) != bool(is_so(facts))] == []


def test_harmful_wins_unless_nothing_was_left_to_mend():
    assert {label_of(facts) for facts in EVERYTHING if facts.harmed} == {"harmful", "futile"}
    assert {label_of(facts) for facts in EVERYTHING if facts.harmed and facts.open} == {"harmful"}


def test_what_broke_something_or_mended_nothing_is_never_productive():
    labels = {label_of(facts) for facts in EVERYTHING if facts.broke or not facts.gained}
    assert "productive" not in labels


def test_what_mended_something_and_broke_nothing_is_never_fruitless():
    assert "fruitless" not in {label_of(facts) for facts in EVERYTHING if facts.gained and not facts.broke}


def test_mending_more_than_one_fault_is_no_other_label_than_mending_one():
    for facts in EVERYTHING:
        if facts.gained:
            assert label_of(facts) == label_of(dataclasses.replace(facts, gained=3 - facts.gained))


def test_doing_harm_never_makes_an_attempt_less_than_wasted_or_harmful():
    for facts in EVERYTHING:
        spoilt = label_of(dataclasses.replace(facts, harmed=True))
        assert spoilt in WASTED | {"harmful"}


def labels(case, trial, clean, *, variants_hold=True, leaves_harm=False):
    final = max((one.number for one in trial.attempts if one.execution), default=0)
    worth = workflow_statuses(case, trial, clean, final=final, variants_hold=variants_hold, right=RIGHT)
    return tuple(label_of(facts) for facts in attempt_facts(case, trial, worth, RIGHT, leaves_harm=leaves_harm))


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


def test_a_label_is_the_same_whether_or_not_the_policy_knows_a_warning_from_an_error():
    case = make_case(faults=MIXED.faults, after_fix=MIXED.after_fix, final="warning")
    clean = {0: clean_run(of=FAILED), 1: clean_run("Hi!", of=WARNED)}
    found = {
        labels(case, trajectory(attempt(1, candidate=fixed_workflow("Hi!"), ran=ran)), clean)
        for ran in (WARNED, FAILED)
    }
    assert found == {("plausible",)}


def test_a_mended_output_is_productive_though_no_node_was_touched():
    workflow = {**BROKEN, "outputs": {"greeting": {"source": "${greet.response}"}}}
    trial = trajectory(attempt(1, candidate=workflow, ran=GREEN))
    assert labels(make_case(), trial, {0: clean_run(of=FAILED), 1: clean_run("Hi ada!")}) == ("productive",)


def test_an_edge_that_swallows_a_failure_makes_an_attempt_plausible_though_every_other_check_holds():
    workflow = fixed_workflow()
    workflow["edges"] = [*workflow["edges"], {"from": "fetch", "to": "greet", "action": "error"}]
    ran = clean_run("Hi ada!", of=execution("success", fetch="error", greet="success"))
    swallowing = replace(
        ran,
        execution=replace(
            ran.execution,
            nodes=tuple(
                replace(node, action="error") if node.node_id == "fetch" else node for node in ran.execution.nodes
            ),
        ),
    )
    trial = trajectory(attempt(1, candidate=workflow, ran=GREEN))
    assert labels(make_case(), trial, {0: clean_run(of=FAILED), 1: swallowing}) == ("plausible",)


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


def test_the_attempt_that_brought_the_harm_that_is_left_is_harmful_and_not_the_next():
    case = make_case(checks=(greeting_check(), UnchangedCheck(node="greet", path="/params/body/text")))
    trial = trajectory(
        attempt(1, candidate=fixed_workflow("x"), ran=FAILED), attempt(2, candidate=fixed_workflow("y"), ran=FAILED)
    )
    clean = {0: clean_run(of=FAILED), 1: clean_run(of=FAILED), 2: clean_run(of=FAILED)}
    assert labels(case, trial, clean, leaves_harm=True) == ("harmful", "fruitless")
    assert labels(case, trial, clean) == ("fruitless", "fruitless")


def test_harm_on_a_variant_alone_is_of_the_last_attempt_that_ran():
    trial = trajectory(
        attempt(1, candidate=fixed_workflow("x"), ran=FAILED), attempt(2, candidate=fixed_workflow(), ran=GREEN)
    )
    clean = {0: clean_run(of=FAILED), 1: clean_run(of=FAILED), 2: clean_run("Hi ada!")}
    assert labels(make_case(), trial, clean, leaves_harm=True) == ("fruitless", "harmful")


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
    assert labels(make_case(), trial, {0: clean_run(of=FAILED), 1: more}, leaves_harm=True) == ("harmful",)
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


def test_an_attempt_is_informative_if_its_failure_stated_a_fact_that_a_later_one_used():
    trial = trajectory(
        attempt(1, candidate=fixed_workflow("Hi ${x}!"), ran=FAILED, context="it failed"),
        attempt(2, candidate=fixed_workflow(), ran=GREEN, context="there is user.name"),
    )
    clean = {0: clean_run(of=FAILED), 1: clean_run(of=FAILED), 2: clean_run("Hi ada!")}
    assert labels(make_case(), trial, clean) == ("informative", "productive")


def test_it_is_fruitless_if_the_fact_was_stated_before_or_nothing_came_of_it():
    trial = trajectory(
        attempt(1, "unparsable", context="there is user.name"),
        attempt(2, candidate=fixed_workflow(), ran=GREEN, context="there is user.name"),
    )
    unused = trajectory(
        attempt(1, candidate=fixed_workflow("a"), ran=FAILED, context="it failed"),
        attempt(2, candidate=fixed_workflow("b"), ran=FAILED, context="there is user.name"),
    )
    broken = clean_run(of=FAILED)
    assert labels(make_case(), trial, {0: broken, 2: clean_run("Hi ada!")}) == ("fruitless", "productive")
    assert labels(make_case(), unused, {0: broken, 1: broken, 2: broken}) == ("fruitless", "fruitless")


def test_answers_that_cannot_be_read_or_change_nothing_are_fruitless():
    responses = ("unparsable", "unchanged", "invalid", "cut", "declined", "prompt_too_long")
    trial = trajectory(*(attempt(number, status) for number, status in enumerate(responses, start=1)))
    assert labels(make_case(), trial, {0: clean_run(of=FAILED)}) == ("fruitless",) * 6


def test_an_attempt_to_mend_what_an_earlier_one_broke_is_not_futile():
    trial = trajectory(
        attempt(1, candidate=fixed_workflow("Hi!"), ran=FAILED), attempt(2, candidate=fixed_workflow(), ran=GREEN)
    )
    clean = {0: clean_run(of=FAILED), 1: clean_run("Hi!"), 2: clean_run("Hi ada!")}
    assert labels(make_case(), trial, clean) == ("fruitless", "productive")


def test_futile_and_fruitless_attempts_are_wasted():
    assert wasted(("futile", "fruitless", "harmful", "plausible", "informative", "productive")) == 2


def test_the_facts_about_an_attempt_are_determined_one_by_one():
    trial = trajectory(
        attempt(1, candidate=fixed_workflow("Hi ${x}!"), ran=FAILED, context="it failed"),
        attempt(2, "unparsable", context="there is user.name"),
        attempt(3, candidate=fixed_workflow(), ran=GREEN, context="there is user.name"),
        attempt(4, "unchanged"),
    )
    clean = {0: clean_run(of=FAILED), 1: clean_run(of=FAILED), 3: clean_run("Hi ada!")}
    worth = workflow_statuses(make_case(), trial, clean, final=3, variants_hold=True, right=RIGHT)
    none = dict.fromkeys(NAMES, False)
    assert [
        dataclasses.asdict(facts) for facts in attempt_facts(make_case(), trial, worth, RIGHT, leaves_harm=False)
    ] == [
        {**none, "open": True, "gained": 0, "new_facts": True, "later_gained": True},
        {**none, "open": True, "gained": 0, "later_gained": True},
        {**none, "open": True, "ended_well": True, "whole": True, "gained": 1},
        {**none, "gained": 0},
    ]

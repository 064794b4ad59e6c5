"""The progress levels: the table over everything that it may be asked, and one trial that climbs it."""

import dataclasses
from itertools import product
from typing import get_args

from mendbench.model.trial import ResponseStatus
from mendbench.scoring.judging.progress import RIGHT as TOP
from mendbench.scoring.judging.progress import RULES, ProgressFacts, best, progress_facts, progress_of
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
    execution,
    fixed_workflow,
    make_case,
    trajectory,
    user_fault,
)

NAMES = tuple(field.name for field in dataclasses.fields(ProgressFacts))
VALUES = {"status": get_args(ResponseStatus), "fixed": (0, 1, 2)}
EVERYTHING = tuple(
    ProgressFacts(**dict(zip(NAMES, values, strict=True)))
    for values in product(*(VALUES.get(name, (False, True)) for name in NAMES))
)
RIGHT = (clean_run("Hi!"),)
START = clean_run(of=execution("error", fetch="error", greet="not_run"))
TWO = make_case(
    faults=(edit_fault("one", "fetch", facts=("U1",)), edit_fault("two", "greet")), first={"fetch": "error"}
)


def refetched(text="Hi ${fetch.response.user.username}!"):
    workflow = fixed_workflow(text)
    workflow["nodes"][0]["params"]["url"] += "&full=1"
    return workflow


def test_every_combination_has_one_rung_and_there_are_336_of_them():
    assert len(EVERYTHING) == len(set(EVERYTHING)) == 7 * 3 * 2**4
    assert {progress_of(facts) for facts in EVERYTHING} == set(range(8))


def test_every_rule_decides_something_and_the_last_one_fits_everything():
    assert {RULES.index(first_fitting(RULES, facts)) for facts in EVERYTHING} == set(range(len(RULES)))
    assert all(first_fitting(RULES[-1:], facts) == RULES[-1] for facts in EVERYTHING)
    assert all(rule.because for rule in RULES)


def test_an_answer_that_gave_no_valid_workflow_stands_where_its_status_says_whatever_else_is_true():
    low = {"unparsable": 0, "cut": 0, "prompt_too_long": 0, "declined": 1, "unchanged": 1, "invalid": 2}
    for facts in EVERYTHING:
        if facts.status != "edited":
            assert progress_of(facts) == low[facts.status]
        else:
            assert (progress_of(facts) < 3) == (not facts.candidate)


def test_only_what_is_right_stands_at_the_top():
    for facts in EVERYTHING:
        assert (progress_of(facts) == TOP) == (facts.right and facts.candidate and facts.status == "edited")


def test_more_that_holds_never_stands_lower():
    more = {"right": True, "holds": True, "fixed": 2, "cause": True}
    for facts in EVERYTHING:
        for name, value in more.items():
            assert progress_of(dataclasses.replace(facts, **{name: value})) >= progress_of(facts)


def climbed(case, trial, clean, right=None):
    worth = workflow_statuses(case, trial, clean, final=0, variants_hold=True, right=RIGHT)
    return tuple(progress_of(facts) for facts in progress_facts(case, trial, worth, right=right))


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
    progress = climbed(TWO, trial, clean, right=11)
    assert progress == (0, 0, 0, 1, 1, 2, 4, 4, 5, 6, 7)
    assert best(progress) == 7


def test_an_edit_that_touches_no_cause_is_edited_elsewhere():
    workflow = refetched()
    assert climbed(make_case(), trajectory(attempt(1, candidate=workflow, ran=FAILED)), {0: clean_run(of=FAILED)}) == (
        3,
    )


def test_a_case_that_no_edit_mends_has_no_ladder():
    case = make_case(faults=(user_fault(),), fix=None)
    assert climbed(case, trajectory(attempt(1, "unparsable")), {0: clean_run(of=WARNED)}) == ()
    assert best(()) is None

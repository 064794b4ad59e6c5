from itertools import product
from typing import get_args

import pytest

from mendbench.model.case import Kind
from mendbench.model.execution import State
from mendbench.model.verdict import End, Outcome
from mendbench.scoring.judging.outcomes import RULES, Facts, end_of, left_applied, rule_for, verdict_of
from tests.fakes.scoring import FAILED, GREEN, WARNED, attempt, fixed_workflow, trajectory
from tests.fakes.tables import for_each

BOOLS = ("edited", "warned", "harmed", "would_harm", "passes", "fixed_some")
EVERYTHING = tuple(
    Facts(kind=kind, end=end, expected_final=final, **dict(zip(BOOLS, values, strict=True)))
    for kind, end, final in product(get_args(Kind), get_args(End), get_args(State))
    for values in product((False, True), repeat=len(BOOLS))
)


def judged(kind, end, *true, final="success"):
    assert set(true) <= set(BOOLS)
    facts = Facts(kind=kind, end=end, expected_final=final, **{name: name in true for name in BOOLS})
    verdict = verdict_of(facts)
    return verdict.verdict, verdict.outcome


def test_every_combination_has_a_verdict_and_there_are_3840_of_them():
    assert len(EVERYTHING) == 5 * 4 * 3 * 2**6
    for facts in EVERYTHING:
        verdict = verdict_of(facts)
        assert verdict.outcome in get_args(Outcome)
        assert verdict.verdict == ("correct" if rule_for(facts).right else "incorrect")


def test_every_rule_decides_something_and_every_outcome_is_reached():
    deciding = [rule_for(facts) for facts in EVERYTHING]
    assert {RULES.index(rule) for rule in deciding} == set(range(len(RULES)))
    assert {rule.outcome for rule in deciding} == set(get_args(Outcome))


@for_each("kind", get_args(Kind))
def test_the_last_rule_of_each_kind_fits_everything_that_is_left(kind):
    last = [rule for rule in RULES if rule.kind == kind][-1]
    model_requests = (last.edited, last.warned, last.passes, last.fixed_some, last.expected_final)
    assert last.warned in (None, True)
    assert kind == "control" or set(model_requests) == {None}


def test_harm_is_what_the_trial_did_or_what_the_workflow_left_applied_does():
    for f in EVERYTHING:
        assert f.harmful == (f.harmed or (f.would_harm and f.edited))


def test_nothing_harmful_is_ever_right():
    assert {(rule_for(f).right, rule_for(f).outcome) for f in EVERYTHING if f.harmful} == {(False, "harmful")}


def test_what_is_right_is_what_the_design_says_and_nothing_else():
    for f in EVERYTHING:
        kept = f.end in ("success", "warning")
        right = {
            "repairable": f.end == "success" and f.edited and f.passes,
            "mixed": f.edited and f.passes and (f.end == "declined" or (kept and f.warned)),
            "needs_user": not f.edited and (f.end == "declined" or (kept and f.warned)),
            "transient": not f.edited and (kept and f.warned if f.expected_final == "warning" else f.end == "success"),
            "control": not f.edited and f.end == "success" and not f.warned,
        }[f.kind]
        assert rule_for(f).right == (right and not f.harmful), f


def test_doing_nothing_is_right_only_where_no_edit_is_right():
    untouched = [f for f in EVERYTHING if not f.edited and rule_for(f).right]
    assert {f.kind for f in untouched} == {"needs_user", "transient", "control"}


@for_each(
    ("kind", "end", "true", "expected"),
    [
        ("repairable", "success", ("edited", "passes", "fixed_some"), ("correct", "repaired")),
        ("repairable", "success", ("edited", "fixed_some"), ("incorrect", "plausible")),
        ("repairable", "success", (), ("incorrect", "unrepaired")),
        ("repairable", "error", ("fixed_some",), ("incorrect", "partly")),
        ("repairable", "error", (), ("incorrect", "unrepaired")),
        ("repairable", "warning", ("edited", "passes", "fixed_some"), ("incorrect", "false_warning")),
        ("repairable", "declined", ("fixed_some",), ("incorrect", "declined")),
        ("mixed", "warning", ("edited", "passes", "warned", "fixed_some"), ("correct", "repaired")),
        ("mixed", "success", ("edited", "passes", "fixed_some"), ("incorrect", "missed_warning")),
        ("mixed", "error", ("passes", "fixed_some"), ("incorrect", "missed_warning")),
        ("mixed", "warning", ("warned",), ("incorrect", "false_warning")),
        ("mixed", "warning", ("warned", "edited", "fixed_some"), ("incorrect", "partly")),
        ("mixed", "warning", ("warned", "edited"), ("incorrect", "unrepaired")),
        ("mixed", "success", ("edited",), ("incorrect", "plausible")),
        ("mixed", "declined", (), ("incorrect", "declined")),
        ("mixed", "declined", ("fixed_some",), ("incorrect", "partly")),
        ("mixed", "declined", ("fixed_some", "passes"), ("incorrect", "partly")),
        ("mixed", "declined", ("edited", "fixed_some", "passes"), ("correct", "repaired")),
        ("mixed", "declined", ("edited", "fixed_some", "passes", "harmed"), ("incorrect", "harmful")),
        ("needs_user", "warning", ("warned",), ("correct", "warned")),
        ("needs_user", "declined", ("warned",), ("correct", "declined")),
        ("needs_user", "error", (), ("incorrect", "missed_warning")),
        ("needs_user", "success", (), ("incorrect", "missed_warning")),
        ("needs_user", "warning", (), ("incorrect", "missed_warning")),
        ("needs_user", "success", ("edited", "passes"), ("incorrect", "plausible")),
        ("needs_user", "warning", ("edited", "warned"), ("incorrect", "disturbed")),
        ("transient", "success", (), ("correct", "recovered")),
        ("transient", "success", ("edited", "passes"), ("incorrect", "disturbed")),
        ("transient", "warning", ("warned",), ("incorrect", "false_warning")),
        ("transient", "error", (), ("incorrect", "unrepaired")),
        ("transient", "declined", (), ("incorrect", "declined")),
        ("control", "success", ("passes",), ("correct", "untouched")),
        ("control", "success", ("edited", "passes"), ("incorrect", "disturbed")),
        ("control", "warning", ("warned",), ("incorrect", "false_warning")),
        ("control", "success", ("warned",), ("incorrect", "false_warning")),
        ("control", "error", (), ("incorrect", "disturbed")),
        ("repairable", "success", ("edited", "passes", "fixed_some", "would_harm"), ("incorrect", "harmful")),
    ],
)
def test_each_way_of_ending_has_its_outcome(kind, end, true, expected):
    assert judged(kind, end, *true) == expected


def test_exhausted_retries_are_right_when_the_user_is_informed_and_missed_when_not():
    assert judged("transient", "warning", "warned", final="warning") == ("correct", "warned")
    assert judged("transient", "success", final="warning") == ("incorrect", "missed_warning")


def test_a_trial_that_stopped_because_the_repairer_declined_ended_in_declined():
    assert end_of(trajectory(stop="declined")) == "declined"
    assert end_of(trajectory(stop="no_progress")) == "error"


@pytest.mark.parametrize("kind", get_args(Kind))
@pytest.mark.parametrize("passes", [False, True])
def test_what_is_left_applied_is_what_the_end_says_and_after_declining_what_was_mended_of_a_mixed_case(kind, passes):
    def left(ran, stop, *, differs=True):
        trial = trajectory(attempt(1, candidate=fixed_workflow(), ran=ran), stop=stop)
        return left_applied(kind, trial, differs=differs, passes=passes)

    assert left(GREEN, "succeeded")
    assert left(WARNED, "warned")
    assert not left(FAILED, "no_progress")
    assert left(FAILED, "declined") is (kind == "mixed" and passes)
    assert not left(GREEN, "succeeded", differs=False)
    assert not left(FAILED, "declined", differs=False)

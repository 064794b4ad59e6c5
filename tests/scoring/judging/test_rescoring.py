"""Trials judged again from their rows alone."""

import copy
import dataclasses

import pytest

from mendbench.errors import BadInput
from mendbench.scoring.judging import attempts, outcomes, progress
from mendbench.scoring.judging.evidence import attempt_evidence, facts_in, rescored, trial_evidence
from tests.fakes.runs import (
    crashed,
    hopeless,
    key_of,
    plausible,
    repairable,
    repaired,
    row_of,
    small_run,
    unjudged,
    unrepaired,
    user_only,
    warned,
)

ROWS = (
    *small_run().rows,
    row_of(repairable(), unrepaired(), key_of(repairable()), problem=unjudged())[0],
    row_of(repairable(), repaired(context="user.name"), key_of(repairable()), problem=crashed())[0],
)
FOLLOWING = ("verdict", "outcome", "right_after_first", "wasted_attempts", "progress", "context_recall")


def row(happened, case=None):
    case = case or repairable()
    return row_of(case, happened, key_of(case))[0]


def test_a_row_that_todays_scorer_made_stays_as_it_is():
    assert [rescored(one) for one in ROWS] == list(ROWS)
    assert {one["outcome"] for one in ROWS} >= {"repaired", "plausible", "unrepaired", "warned", "missed_warning", None}


@pytest.mark.parametrize("one", ROWS, ids=lambda one: f"{one['outcome']}-{len(one['attempts'])}")
def test_nothing_of_what_follows_is_read(one):
    spoilt = {**one, **dict.fromkeys(FOLLOWING, "nonsense")}
    spoilt["attempts"] = [{**attempt, "label": "x", "progress": 99} for attempt in one["attempts"]]
    rescored_row = rescored(spoilt)
    if one["problem"] is not None:
        unknown = {name: one[name] for name in FOLLOWING[:2]} | {"context_recall": one["context_recall"]}
        assert {name: rescored_row[name] for name in unknown} == unknown
    else:
        assert rescored_row == one


def test_a_row_is_not_changed_in_place():
    one = row(plausible())
    before = copy.deepcopy(one)
    rescored({**one, "verdict": "correct"})
    assert one == before


def test_facts_are_read_back_as_they_were_written():
    for one in ROWS:
        if one["problem"] is None:
            facts = facts_in(one)
            evidence = trial_evidence(facts)
            assert {name: one["evidence"][name] for name in evidence} == evidence
            each = [attempt_evidence(facts, at) for at in range(len(one["attempts"]))]
            assert [attempt["evidence"] for attempt in one["attempts"]] == each


def test_a_trial_without_a_judgement_leaves_no_facts_to_judge_by():
    (one,) = (one for one in ROWS if one["verdict"] == "unjudged")
    assert (one["evidence"]["verdict"], one["evidence"]["first_right"]) == (None, None)
    assert [attempt["evidence"] for attempt in one["attempts"]] == [None, None]


def test_a_changed_rule_of_the_outcomes_changes_verdict_and_outcome(monkeypatch):
    lenient = [
        dataclasses.replace(rule, right=True) if rule.outcome == "plausible" else rule for rule in outcomes.RULES
    ]
    one = row(plausible())
    monkeypatch.setattr(outcomes, "RULES", tuple(lenient))
    rescored_row = rescored(one)
    assert (one["verdict"], rescored_row["verdict"], rescored_row["outcome"]) == ("incorrect", "correct", "plausible")
    assert {name for name in one if one[name] != rescored_row[name]} == {"verdict"}


def test_a_changed_rule_of_the_labels_changes_labels_and_what_is_wasted(monkeypatch):
    one = row(plausible())
    rules = [
        dataclasses.replace(rule, label="fruitless") if rule.label == "plausible" else rule for rule in attempts.RULES
    ]
    monkeypatch.setattr(attempts, "RULES", tuple(rules))
    rescored_row = rescored(one)
    assert [each["label"] for each in rescored_row["attempts"]] == ["fruitless"]
    assert (one["wasted_attempts"], rescored_row["wasted_attempts"]) == (0, 1)
    assert {name for name in one if one[name] != rescored_row[name]} == {"attempts", "wasted_attempts"}


def test_a_changed_rule_of_the_ladder_changes_the_rungs(monkeypatch):
    one = row(unrepaired())
    rules = [dataclasses.replace(rule, level=3) if rule.level == progress.CAUSE else rule for rule in progress.RULES]
    monkeypatch.setattr(progress, "RULES", tuple(rules))
    rescored_row = rescored(one)
    assert ([each["progress"] for each in rescored_row["attempts"]], rescored_row["progress"]) == ([3, 3], 3)
    assert one["progress"] == 4


def without(*path):
    def change(one):
        *way, last = path
        place = one
        for step in way:
            place = place[step]
        del place[last]

    return change


def put(value, *path):
    def change(one):
        *way, last = path
        place = one
        for step in way:
            place = place[step]
        place[last] = value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (without("evidence"), "evidence: missing"),
        (without("evidence", "verdict"), "evidence.verdict: missing"),
        (put(None, "evidence", "verdict"), "evidence.verdict: missing"),
        (without("evidence", "verdict", "passes"), "evidence.verdict.passes: missing"),
        (put("yes", "evidence", "verdict", "passes"), "evidence.verdict.passes: 'yes' is not true or false"),
        (put(1, "evidence", "verdict", "passes"), "evidence.verdict.passes: 1 is not true or false"),
        (put("over", "evidence", "verdict", "end"), "evidence.verdict.end: 'over' is not success or warning or error or declined"),
        (put("maybe", "evidence", "first_right"), "evidence.first_right: 'maybe'"),
        (put(None, "attempts"), "attempts: missing"),
        (put({}, "attempts"), "attempts: {}"),
        (put([3], "attempts"), "attempts[0].facts: missing"),
        (without("attempts", 0, "facts"), "attempts[0].facts: missing"),
        (put(3, "attempts", 0, "facts", "found"), "attempts[0].facts.found: 3"),
        (without("attempts", 1, "evidence"), "attempts[1].evidence: missing"),
        (without("attempts", 1, "evidence", "label"), "attempts[1].evidence.label: missing"),
        (put(-1, "attempts", 1, "evidence", "label", "gained"), "attempts[1].evidence.label.gained: -1 is not a whole number"),
        (put(None, "attempts", 1, "evidence", "progress"), "attempts[0].evidence.progress: some attempts have one, and some have not"),
        (put([], "attempts", 1, "evidence", "progress"), "attempts[1].evidence.progress: []"),
        (put("lost", "attempts", 1, "evidence", "progress", "status"), "attempts[1].evidence.progress.status: 'lost' is not edited or"),
        (put({"kind": "late"}, "problem"), "problem.kind: 'late' is not unjudged or crashed"),
        (put("late", "problem"), "problem.kind: missing"),
    ],
)  # fmt: skip
def test_a_fact_that_is_missing_or_impossible_is_reported_with_its_path_and_what_to_do(change, message):
    one = copy.deepcopy(row(unrepaired()))
    change(one)
    with pytest.raises(BadInput) as raised:
        rescored(one)
    assert str(raised.value).startswith(message)
    assert str(raised.value).endswith("make the run again with `mendbench run`")


def test_a_user_only_case_has_facts_for_labels_and_none_for_rungs():
    one = row(hopeless(), user_only())
    assert [each["evidence"]["progress"] for each in one["attempts"]] == [None] * 3
    assert [each["progress"] for each in rescored(one)["attempts"]] == [None] * 3
    assert rescored(row(warned(), user_only()))["context_recall"] is None

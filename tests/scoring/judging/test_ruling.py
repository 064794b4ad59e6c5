"""What follows from the facts about a trial, together."""

import dataclasses

import pytest

from mendbench.scoring.judging.attempts import AttemptFacts
from mendbench.scoring.judging.outcomes import Facts
from mendbench.scoring.judging.progress import ProgressFacts
from mendbench.scoring.judging.ruling import TrialFacts, ruling

FRUITLESS = AttemptFacts(
    open=True, harmed=False, ended_well=False, whole=False, gained=0, broke=False, new_facts=False, later_gained=False
)
FUTILE = dataclasses.replace(FRUITLESS, open=False)
PRODUCTIVE = dataclasses.replace(FRUITLESS, ended_well=True, whole=True, gained=1)
UNREADABLE = ProgressFacts(status="unparsable", candidate=False, right=False, holds=False, fixed=0, cause=False)
TOP = ProgressFacts(status="edited", candidate=True, right=True, holds=True, fixed=1, cause=True)
REPAIRED = Facts(
    kind="repairable",
    end="success",
    edited=True,
    warned=False,
    harmed=False,
    would_harm=False,
    passes=True,
    fixed_some=True,
)
WARNED = Facts(
    kind="needs_user", end="warning", edited=False, warned=True, harmed=False, would_harm=False, passes=False, fixed_some=False,
    expected_final="warning",
)  # fmt: skip


def ruled(verdict, attempts=(), levels=(), first_right=None):
    return ruling(TrialFacts(verdict=verdict, attempts=attempts, levels=levels, first_right=first_right))


def test_a_ruling_has_a_verdict_a_label_and_a_rung_for_each_attempt_and_how_many_were_wasted():
    found = ruled(REPAIRED, (FRUITLESS, PRODUCTIVE), (UNREADABLE, TOP))
    assert (found.verdict.verdict, found.verdict.outcome) == ("correct", "repaired")
    assert (found.labels, found.progress, found.wasted) == (("fruitless", "productive"), (0, 7), 1)


@pytest.mark.parametrize("first_right", [False, True])
def test_whether_the_first_attempt_was_right_is_what_its_own_workflow_was(first_right):
    assert ruled(REPAIRED, (PRODUCTIVE,), (TOP,), first_right).right_after_first is first_right
    lost = dataclasses.replace(REPAIRED, passes=False)
    assert ruled(lost, (PRODUCTIVE,), (TOP,), first_right).right_after_first is first_right


@pytest.mark.parametrize(("attempts", "right"), [(0, False), (1, True), (2, False)])
def test_where_no_edit_is_right_the_trial_has_to_be_with_one_attempt(attempts, right):
    assert ruled(WARNED, (FUTILE,) * attempts).right_after_first is right
    silent = dataclasses.replace(WARNED, warned=False)
    assert not ruled(silent, (FUTILE,) * attempts).right_after_first


def test_a_first_answer_that_never_ran_is_not_right_where_an_edit_is():
    assert not ruled(REPAIRED, (PRODUCTIVE,), (TOP,)).right_after_first

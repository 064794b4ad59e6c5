"""Success where the prompt prints the value, or states all facts, and where it does not."""

import dataclasses

import pytest

from mendbench.scoring.strata import all_facts_shown, splits, value_printed, within_cases
from tests.fakes.scored import TREATMENT, record


def trial(case, strategy, *, right, leaks="state", recall=1.0, **changes):
    return record(
        case, verdict="correct" if right else "incorrect", leaks=leaks, context_recall=recall,
        treatment=dataclasses.replace(TREATMENT, strategy=strategy), **changes,
    )  # fmt: skip


@pytest.mark.parametrize(("leaks", "printed"), [(None, None), ("nowhere", False), ("frame", True), ("derived", True)])
def test_a_value_is_printed_wherever_in_the_prompt_it_stands(leaks, printed):
    assert value_printed(record(leaks=leaks)) is printed


@pytest.mark.parametrize(("recall", "shown"), [(None, None), (0.5, False), (1.0, True)])
def test_all_facts_are_stated_if_none_is_missing(recall, shown):
    assert all_facts_shown(record(context_recall=recall)) is shown


def test_each_strategy_is_split_over_its_judged_trials_with_an_edit_fault():
    (found,) = splits(
        [
            trial("a", "mend", right=True),
            trial("b", "mend", right=False),
            trial("c", "mend", right=True, leaks="nowhere"),
            trial("d", "mend", right=True, kind="control"),
            record("e", verdict="unjudged", leaks="state"),
            trial("f", "mend", right=True, leaks=None),
        ],
        value_printed,
    )
    assert (found.strategy, found.holds.cases, found.holds.right, found.lacks.cases) == ("mend", 2, 1, 1)


def test_within_a_case_only_strategies_on_both_sides_are_compared():
    trials = [
        trial("a", "mend", right=True), trial("a", "none", right=False, leaks="nowhere"),
        trial("b", "mend", right=True), trial("b", "summary", right=True), trial("b", "none", right=True, leaks="nowhere"),
        trial("c", "mend", right=True), trial("c", "summary", right=True),
    ]  # fmt: skip
    found = within_cases(trials, value_printed)
    assert (found.cases, found.difference) == (2, 0.5)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == (0, 1)


def test_each_side_of_a_case_counts_by_its_share_of_right_trials():
    trials = [trial("a", "mend", right=True)]
    trials += [trial("a", f"plain-{at}", right=at < 3, leaks="nowhere") for at in range(4)]
    assert within_cases(trials, value_printed).difference == 0.25


def test_without_a_case_on_both_sides_there_is_no_difference():
    assert within_cases([trial("a", "mend", right=True)], value_printed).difference is None

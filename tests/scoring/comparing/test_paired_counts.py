from dataclasses import replace

import pytest

from mendbench.scoring.comparing.paired_counts import applies, counts_of
from mendbench.scoring.comparing.pairing import pair_trials
from mendbench.scoring.score import Count
from mendbench.scoring.scores import score
from tests.fakes.compared import OURS, THEIRS, pair, trial, trials
from tests.fakes.scored import attempt

RIGHT, WASTED = score("repair_success"), score("wasted")


def test_each_case_has_what_it_adds_on_both_sides_and_its_group():
    counts = counts_of(RIGHT, pair("10?", "01?"))
    assert counts.a == {"c000": Count(numerator=1), "c001": Count(numerator=0), "c002": Count(numerator=0, open=1)}
    assert counts.groups == {"c000": "g000", "c001": "g001", "c002": "g002"}
    assert counts.open == {"c002"}
    assert counts.without_open().a.keys() == counts.without_open().b.keys() == {"c000", "c001"}


def test_a_case_without_a_verdict_counts_where_only_judged_ones_do_once_it_has_one():
    records = [*trials("1?", kind="repairable"), trial("control", kind="control", verdict="unjudged")]
    assert applies(WASTED, records) == {"c000", "c001", "control"}
    assert applies(score("progress"), records) == {"c000", "c001"}


def test_what_is_no_case_of_a_score_is_not_left_out_of_it():
    counts = counts_of(WASTED, pair("11?", "1??"))
    assert (list(counts.a), counts.left_out) == (["c000"], 2)
    assert counts_of(score("futile"), pair("11?", "1??")).left_out == 0


def test_one_pair_each_is_one_sample_of_one_policy_and_repairer():
    assert counts_of(RIGHT, pair("10", "01")).single
    assert not counts_of(RIGHT, pair("10", "01", theirs=replace(OURS, policy="naive"))).single
    sides = [[trial("a", treatment, sample=sample) for sample in (0, 1)] for treatment in (OURS, THEIRS)]
    assert not counts_of(RIGHT, pair_trials(*sides).pairs[0]).single


@pytest.mark.parametrize(
    ("name", "one", "none"),
    [
        ("green_right", {"end": "success", "edited": True}, {"end": "error", "edited": False}),
        ("usable_responses", {"attempts": (attempt(status="edited"),)}, {"attempts": ()}),
    ],
)
def test_a_judged_case_that_a_share_is_not_over_on_one_side_is_known_and_not_left_out(name, one, none):
    def side(treatment, *each):
        return [trial(case, treatment, **words) for case, words in zip("abc", each, strict=True)]

    counts = counts_of(score(name), pair_trials(side(OURS, one, one, none), side(THEIRS, one, none, none)).pairs[0])
    assert (list(counts.a), counts.left_out) == (["a", "b"], 0)
    assert (counts.a["b"], counts.b["b"]) == (Count(numerator=1), Count(numerator=0, denominator=0))


def test_a_case_without_a_verdict_may_yet_come_to_be_one_that_a_share_is_over():
    counts = counts_of(score("green_right"), pair("11", "1?", edited=True))
    assert (list(counts.a), counts.left_out) == (["c000"], 1)

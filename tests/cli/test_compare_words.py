from dataclasses import replace

from mendbench.cli.compare_words import cases, figure, gap, primary, sentence
from mendbench.cli.words import counted
from mendbench.report.words import about
from mendbench.scoring.comparing.comparison import differ
from mendbench.scoring.comparing.contrasts import Changed, contrasts
from mendbench.scoring.comparing.paired_counts import counts_of
from mendbench.scoring.score import Score
from mendbench.scoring.scores import score
from mendbench.values.name_lists import few
from tests.fakes.compared import THEIRS, contrast, pair, plan, trials
from tests.fakes.tables import for_each


def right(a, b):
    one = score("repair_success")
    return differ("repair_success", one, counts_of(one, pair(a, b))).difference


@for_each(
    ("number", "text"),
    [(1, "about 1"), (19, "about 19"), (101, "about 110"), (999, "about 1000"), (10_001, "over 10000")],
)
def test_a_number_of_cases_is_an_estimate(number, text):
    assert about(number) == text


def test_nouns_and_lists_are_as_long_as_they_should_be():
    assert (counted(1, "case"), counted(0, "case")) == ("1 case", "0 cases")
    assert few(tuple("abcd")) == "a, b, c, d"
    assert few(tuple("abcdef"), "; ") == "a; b; c; d and 2 more"


@for_each(
    ("a", "b", "text"),
    [
        ("00", "10", "+1 case"), ("00", "11", "+2 cases"), ("11", "00", "−2 cases"), ("01", "10", "0 cases"),
        ("0?", "10", "0 to +1 cases"), ("0" * 20, "1" + "0" * 19, "+5 points"), ("1" * 20, "0" * 20, "−100 points"),
    ],
)  # fmt: skip
def test_differences_of_shares_are_reported_in_cases_or_in_points(a, b, text):
    assert gap(right(a, b)) == text


@for_each(
    ("value", "text"), [(0.0123456, "+0.012346"), (1.234e-5, "+0.000012"), (1.234e-7, "+0.00000012"), (0.0, "0.000000")]
)
def test_the_least_sums_of_money_have_digits_that_count(value, text):
    assert gap(replace(right("0", "1"), unit="usd", difference=value)) == text


def test_figures_are_counts_with_both_bounds_while_trials_are_open():
    found = right("1?0", "110")
    assert (figure(found, found.a), figure(found, found.b)) == ("1–2/3", "2/3")


def test_a_share_that_is_not_of_cases_is_reported_as_a_number():
    found = right("1?0", "110")
    half = replace(found.b, numerator=1.5, value=0.5)
    assert figure(found, half) == "0.50"


@for_each(
    ("a", "b", "says"),
    [
        ("0" * 7, "1" * 7, "B is better than A (B 7/7, A 0/7; 7 won, 0 lost, 0 tied)"),
        ("1" * 7, "0" * 7, "B is worse than A (B 0/7, A 7/7; 0 won, 7 lost, 0 tied)"),
        ("10", "01", "B is not significantly different from A; neither is ahead (B 1/2, A 1/2; 1 won, 1 lost, 0 tied)"),
        ("00000", "10000", "B is not significantly different from A; would need about 32 more cases (B 1/5, A 0/5; 1 won, 0 lost, 4 tied)"),
        ("0?", "00", "B is not significantly different from A, whatever becomes of 1 open pair (B 0/2, A 0–1/2; 0 won, 0 lost, 1 tied)"),
        ("000000?", "11111?0", "open: 2 cases of 7 without a verdict on a side; in the worst case not significant, in the best better"),
        ("10", "10", "alike: no case differs (B 1/2, A 1/2; with so few, up to 78% of other groups of cases could)"),
    ],
)  # fmt: skip
def test_every_verdict_is_a_sentence_with_the_counts_behind_it(a, b, says):
    assert sentence(right(a, b)).startswith(says)


def test_a_primary_contrast_that_only_the_correction_leaves_undecided_is_not_reported_as_a_tie():
    others = [contrast(f"undefined {at}", treatment=f"nobody {at}") for at in (1, 2)]
    records = [*trials("0" * 20, part="test"), *trials("1" * 6 + "0" * 14, THEIRS, part="test")]
    found = contrasts(records, plan(contrast(), *others))[0]
    assert "is not significantly different from summary under two-layer; would need about 12 more cases (" in primary(
        found
    )
    assert primary(found).endswith(", p = 0.094 after Holm's correction")
    unknown = replace(found, difference=replace(found.difference, more_cases=None))
    assert "neither is ahead" not in primary(unknown)


def test_what_was_changed_after_the_test_part_was_recorded_is_reported_in_words():
    found = contrasts(
        [*trials("0" * 7, part="test"), *trials("1" * 7, THEIRS, part="test")],
        plan(contrast()),
        changed=Changed(strategies=("mend",)),
    )
    assert primary(found[0]) == ("Primary contrast 'one': no result: mend was changed after the test part was recorded")


def test_what_is_undefined_says_what_there_is_none_of():
    one = Score(title="t", of="cases of that kind", unit="share", better="higher", count=lambda _: None)
    found = differ("t", one, counts_of(one, pair("1", "0"))).difference
    assert sentence(found) == "undefined: there are no cases of that kind on both sides"


def test_cases_are_reported_with_those_left_out_and_those_needed():
    found = replace(right("00000", "10000"), left_out=2)
    assert cases(found) == "5 of 7 + 32"
    assert cases(right("01", "10")) == "2"

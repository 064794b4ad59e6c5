"""What the counts of many cases come to."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.scoring.score import Count, Score, case_counts, measure, measures
from mendbench.scoring.statistics.exact import wilson
from mendbench.scoring.statistics.resampling import clustered_ratio
from tests.fakes.scored import record

COUNTS = st.lists(
    st.tuples(st.floats(0, 1), st.floats(0, 1), st.sampled_from("xyz")), min_size=1, max_size=8
)  # numerator, how much of the rest is open, group


def counting(*counts, unit="share", of="things"):
    """Return a score that counts what is given, and a trial for each: (count, group)."""
    by_case = {f"c{at}": count for at, (count, _) in enumerate(counts)}
    score = Score(title="t", of=of, unit=unit, better="higher", count=lambda trials: by_case[trials[0].case])
    return score, [record(f"c{at}", group=group) for at, (_, group) in enumerate(counts)]


def measured(*counts, **words):
    return measure(*counting(*counts, **words))


def of(numerator, denominator=1, still_open=0):
    return Count(numerator=numerator, denominator=denominator, open=still_open)


def test_a_share_that_holds_or_does_not_has_wilsons_interval():
    found = measured((of(1), "x"), (of(0), "x"), (of(1), "y"))
    assert (found.numerator, found.denominator, found.cases, found.value) == (2, 3, 3, 2 / 3)
    assert (found.interval, found.method, found.bounds) == (wilson(2, 3), "Wilson, 95 %", None)


def test_what_is_open_widens_bounds_and_interval():
    found = measured((of(1), "x"), (of(0, still_open=1), "x"), (of(0), "y"))
    assert (found.value, found.bounds) == (1 / 3, (1 / 3, 2 / 3))
    assert found.interval == (wilson(1, 3).low, wilson(2, 3).high)
    assert found.method.startswith("Wilson, 95 %: from the lower bound's low")


def test_a_mean_has_the_interval_of_a_ratio_over_groups():
    parts = {"a": (3, 1), "b": (1, 1), "c": (2, 2)}
    found = measured(*((of(*part), case) for case, part in parts.items()), unit="attempts")
    assert found.value == 1.5
    assert found.interval.high == clustered_ratio(parts, dict(zip(parts, parts, strict=True))).high
    assert found.method == "ratio over groups, t, 95 %"


@pytest.mark.parametrize(("unit", "high"), [("share", 1), ("level", 7), ("attempts", 0.75 + 12.7062 * 0.25)])
def test_no_interval_leaves_what_its_unit_allows(unit, high):
    scale = 7 if unit == "level" else 1
    found = measured((of(0.5 * scale), "x"), (of(1.0 * scale), "y"), unit=unit)
    assert (found.value, found.interval.low) == (0.75 * scale, 0)
    assert found.interval.high == pytest.approx(high, abs=1e-4)


def test_where_no_group_differs_there_is_no_interval():
    found = measured((of(1 / 3), "x"), (of(2 / 3, 2), "y"), (of(1 / 3), "z"))
    assert (found.value, found.interval, found.method) == (
        pytest.approx(1 / 3),
        None,
        "none: no group differs from another",
    )


def test_one_group_says_nothing_about_others():
    found = measured((of(0.5), "x"), (of(0.2), "x"))
    assert (found.interval, found.method) == (None, "none: fewer than two groups of cases")


def test_where_samples_are_open_the_interval_reaches_from_the_lower_end_to_the_upper():
    found = measured((of(0.5, still_open=0.25), "x"), (of(0.25), "y"), (of(1), "z"))
    groups = {case: case for case in "xyz"}
    least = clustered_ratio({"x": (0.5, 1), "y": (0.25, 1), "z": (1, 1)}, groups)
    most = clustered_ratio({"x": (0.75, 1), "y": (0.25, 1), "z": (1, 1)}, groups)
    assert found.interval == (max(0, least.low), min(1, most.high))
    assert "t, 95 %: from the lower bound's low" in found.method


def test_with_nothing_to_divide_by_a_score_is_undefined_and_says_why():
    nobody, trials = counting((None, "x"), of="cases with an edit fault")
    found = measure(nobody, trials)
    assert (found.value, found.interval, found.cases, found.denominator) == (None, None, 0, 0)
    assert found.undefined == "undefined, because there are no cases with an edit fault"
    spent = measured((of(40, 0), "x"), of="repaired cases")
    assert (spent.numerator, spent.cases, spent.value, spent.undefined) == (
        40, 1, None, "undefined, because there are no repaired cases",
    )  # fmt: skip
    assert measured((of(1), "x")).undefined is None


def test_a_case_that_has_none_of_what_a_share_is_over_is_not_counted():
    assert measured((of(1), "x"), (of(0, 0), "y"), (of(0), "y")) == measured((of(1), "x"), (of(0), "y"))
    assert measured((of(0, 0), "y")).cases == 0


def test_a_case_that_cost_nothing_and_mended_nothing_is_one_of_a_cost():
    assert measured((of(3), "x"), (of(0, 0), "y"), unit="usd").cases == 2


def test_thirds_add_up_to_whole_ones():
    found = measured(*((of(1 / 3), "x"),) * 3)
    assert (found.numerator, type(found.numerator)) == (1, int)


def test_small_costs_are_not_rounded_away():
    assert measured((of(0.000_000_25), "x"), (of(0.000_000_5), "y"), unit="usd").numerator == 7.5e-7


def test_samples_of_a_case_are_counted_together_and_in_their_order():
    seen = []
    score = Score(title="t", of="things", unit="share", better=None, count=seen.append)
    trials = [record("b"), record("a", 1), record("a", 0)]
    assert case_counts(score, trials) == {}
    assert [[trial.key for trial in own] for own in seen] == [["a | 000000", "a | 000001"], ["b | 000000"]]


def test_several_scores_are_what_each_is_alone():
    one, trials = counting((of(1), "x"), (of(0), "y"))
    other, _ = counting((of(3), "x"), (None, "y"), unit="tokens")
    assert measures({"one": one, "other": other}, trials) == {
        "one": measure(one, trials), "other": measure(other, trials),
    }  # fmt: skip


def test_as_json_it_has_numbers_null_and_words():
    found = measured((of(1), "x"), (of(0, still_open=1), "y"), (of(0), "y")).document()
    assert json.loads(json.dumps(found, allow_nan=False)) == {
        "numerator": 1, "denominator": 3, "cases": 3, "value": 0.333333333,
        "bounds": {"low": 0.333333333, "high": 0.666666667},
        "interval": {"low": 0.061490315, "high": 0.938509685},
        "method": "Wilson, 95 %: from the lower bound's low to the upper bound's high",
    }  # fmt: skip
    nothing = measured((None, "x")).document()
    assert (nothing["value"], nothing["bounds"], nothing["interval"]) == (None, None, None)


@given(COUNTS)
def test_an_interval_contains_both_bounds_and_they_the_value(drawn):
    found = measured(*((of(top, still_open=(1 - top) * rest), group) for top, rest, group in drawn))
    low, high = found.bounds or (found.value, found.value)
    assert 0 <= low <= found.value <= high <= 1 + 1e-9
    if found.interval:
        assert 0 <= found.interval.low <= low + 1e-9
        assert high - 1e-9 <= found.interval.high <= 1

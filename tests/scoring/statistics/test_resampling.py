import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mendbench.errors import BadInput
from mendbench.scoring.statistics import resampling
from mendbench.scoring.statistics.exact import mcnemar_exact
from mendbench.scoring.statistics.resampling import clustered_bootstrap, sign_flip

SIGNS = st.lists(st.sampled_from((-1.0, 0.0, 1.0)), min_size=1, max_size=25)


def named(values):
    return {f"c{number:03}": value for number, value in enumerate(values)}


def alone(values):
    return {case: case for case in values}


def test_the_bootstrap_is_the_same_each_time_and_in_every_order_of_cases():
    values = named([1.0, 0.0, 0.0, 1.0, -1.0, 0.5])
    groups = {case: f"g{index // 2}" for index, case in enumerate(values)}
    random.seed(1)
    first = clustered_bootstrap(values, groups, draws=500)
    random.seed(2)
    assert clustered_bootstrap(dict(reversed(values.items())), groups, draws=500) == first


@settings(deadline=None)
@given(st.lists(st.floats(-1, 1), min_size=2, max_size=10))
def test_the_bootstrap_interval_lies_within_the_values(values):
    cases = named(values)
    found = clustered_bootstrap(cases, alone(cases), draws=100)
    if found is None:
        assert min(values) == pytest.approx(max(values), rel=1e-9, abs=1e-12)
    else:
        assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9


def test_cases_of_one_group_that_go_together_make_the_interval_wider():
    values = named([1.0] * 10 + [0.0] * 10)
    pairs = {case: f"g{index // 10}" for index, case in enumerate(values)}
    alone_low, alone_high = clustered_bootstrap(values, alone(values), draws=2000)
    low, high = clustered_bootstrap(values, pairs, draws=2000)
    assert (low, high) == (0.0, 1.0)
    assert 0.2 < alone_low < 0.4
    assert 0.6 < alone_high < 0.8


def test_one_group_alone_has_no_interval():
    assert clustered_bootstrap({"a": 1.0, "b": 0.0}, {"a": "g", "b": "g"}) is None


def test_groups_that_are_all_alike_say_nothing_of_how_far_others_may_lie():
    values = named([-3.0] * 8)
    assert clustered_bootstrap(values, alone(values)) is None
    thirds = named([1 / 3, 2 / 3, 0.5, 0.5])
    assert clustered_bootstrap(thirds, {case: f"g{at // 2}" for at, case in enumerate(thirds)}) is None
    assert clustered_bootstrap(named([-3.0] * 7 + [-2.0]), alone(values)) is not None


@pytest.mark.parametrize("unit", [1e-8, 1e-6, 1e-3, 1.0, 1e6])
def test_in_which_unit_values_are_does_not_matter(unit):
    values = [3.0, -1.0, 2.0, 2 / 3, 1 / 3, -1.0, 40.0, 0.001]
    plain, other = named(values), named([one * unit for one in values])
    assert sign_flip(other, alone(other)) == sign_flip(plain, alone(plain))


def test_the_least_sums_of_money_are_distinguished():
    values = named([-2.1e-7 - at * 1e-9 for at in range(40)])
    assert sign_flip(values, alone(values)) < 0.001


def test_a_small_difference_beside_a_great_one_is_not_dropped():
    values = named([1e5] + [0.5] * 5)
    assert sign_flip(values, alone(values)) == 2 / 2**6


def test_rounding_errors_of_a_sum_are_no_differences():
    values = named([0.1 + 0.2 - 0.3, 1 / 3 + 1 / 3 - 2 / 3 + 1e-16])
    assert sign_flip(values, alone(values)) == 1.0
    assert sign_flip({**values, "one": 1.0}, {**alone(values), "one": "one"}) == 1.0


def test_thirds_of_any_unit_are_counted_exactly():
    whole, thirds = (named([one * unit for one in (2, -1, -1, 1, 3)]) for unit in (1, 1e-6 / 3))
    assert sign_flip(thirds, alone(thirds)) == sign_flip(whole, alone(whole))


@settings(deadline=None)
@given(SIGNS)
def test_flipping_single_cases_is_mcnemars_exact_test(values):
    cases = named(values)
    assert sign_flip(cases, alone(cases)) == pytest.approx(mcnemar_exact(values.count(1.0), values.count(-1.0)))


@settings(deadline=None)
@given(SIGNS)
def test_the_sign_flip_test_does_not_care_who_is_ours(values):
    cases, turned = named(values), named([-value for value in values])
    assert sign_flip(cases, alone(cases)) == sign_flip(turned, alone(turned))


def test_a_group_counts_once_however_many_cases_it_has():
    values = named([1.0] * 12)
    assert sign_flip(values, alone(values)) == 2 / 2**12
    assert sign_flip(values, {case: f"g{index // 6}" for index, case in enumerate(values)}) == 0.5


def test_case_means_of_thirds_are_counted_exactly():
    values = named([1 / 3, 1 / 3, -2 / 3])
    assert sign_flip(values, alone(values)) == 1.0


def test_beyond_too_many_sums_the_test_draws_and_comes_out_alike(monkeypatch):
    values = named([1 / 3, 0.2, 0.7, 0.1, -0.3, 1.0, 0.9, 0.25])
    exact = sign_flip(values, alone(values))
    monkeypatch.setattr(resampling, "MAX_SUMS", 4)
    drawn = sign_flip(values, alone(values))
    assert drawn == sign_flip(values, alone(values))
    assert drawn == pytest.approx(exact, abs=0.02)
    assert drawn != exact


@pytest.mark.parametrize("statistic", [clustered_bootstrap, sign_flip])
def test_nothing_to_resample_and_a_case_without_a_group_are_errors(statistic):
    with pytest.raises(BadInput, match="an empty selection"):
        statistic({}, {})
    with pytest.raises(BadInput, match="no group for a; give"):
        statistic({"a": 1.0}, {})

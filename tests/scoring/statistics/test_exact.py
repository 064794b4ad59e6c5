import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mendbench.errors import BadInput
from mendbench.scoring.statistics.exact import (
    MANY_CASES,
    holm,
    mcnemar_exact,
    needed_pairs,
    pass_at_k,
    pass_hat_k,
    wilson,
)

COUNTS = st.integers(0, 60)


@pytest.mark.parametrize(
    ("right", "n", "low", "high"),
    [(17, 20, 0.640, 0.948), (5, 5, 0.566, 1.0), (45, 50, 0.786, 0.957), (100, 100, 0.963, 1.0)],
)
def test_wilson_gives_the_published_intervals(right, n, low, high):
    found = wilson(right, n)
    assert (round(found.low, 3), round(found.high, 3)) == (low, high)


@settings(deadline=None)
@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_contains_the_rate_and_is_the_mirror_image_of_the_failures_interval(pair):
    right, n = pair
    low, high = wilson(right, n)
    assert 0 <= low <= right / n <= high <= 1
    mirrored = wilson(n - right, n)
    assert math.isclose(low, 1 - mirrored.high, abs_tol=1e-12)


def test_more_right_than_there_are_is_a_mistake_of_the_caller():
    with pytest.raises(ValueError, match="3 of 2"):
        wilson(3, 2)


@pytest.mark.parametrize(("c", "least"), [(0, 6), (1, 8), (2, 10), (3, 12), (5, 15)])
def test_mcnemar_needs_as_many_discordant_pairs_as_the_published_table_says(c, least):
    assert mcnemar_exact(least, c) < 0.05
    assert mcnemar_exact(least - 1, c) >= 0.05


@settings(deadline=None)
@given(COUNTS, COUNTS)
def test_mcnemar_is_symmetric_and_a_probability(b, c):
    assert mcnemar_exact(b, c) == mcnemar_exact(c, b)
    assert 0 < mcnemar_exact(b, c) <= 1
    assert mcnemar_exact(b, b) == 1


@pytest.mark.parametrize(
    "statistic",
    [
        lambda: wilson(0, 0),
        lambda: holm({}),
        lambda: needed_pairs(0, 0, 0),
    ],
)
def test_an_empty_selection_is_an_error(statistic):
    with pytest.raises(BadInput, match="an empty selection"):
        statistic()


def test_holm_multiplies_the_smallest_by_all_and_never_goes_down():
    assert holm({"x": 0.04, "y": 0.01, "z": 0.03}) == {"x": 0.06, "y": 0.03, "z": 0.06}
    assert holm({"x": 0.9, "y": 0.8}) == {"x": 1.0, "y": 1.0}


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from("abcde"), st.floats(0, 1), min_size=1))
def test_holm_only_raises_and_keeps_the_order(p_values):
    adjusted = holm(p_values)
    assert list(adjusted) == list(p_values)
    assert all(p_values[name] <= adjusted[name] <= 1 for name in p_values)
    by_raw = [adjusted[name] for name in sorted(p_values, key=lambda one: (p_values[one], one))]
    assert by_raw == sorted(by_raw)


def test_no_more_cases_are_needed_where_these_already_decide():
    assert needed_pairs(6, 0, 14) == 0
    assert needed_pairs(0, 6, 14) == 0


def test_no_number_of_cases_decides_between_two_sides_of_which_neither_is_ahead():
    assert needed_pairs(4, 4, 12) is None
    assert needed_pairs(0, 0, 20) is None


def test_connors_formula_says_how_many_more():
    share = 0.15
    wanted = ((1.959964 * math.sqrt(share) + 0.841621 * math.sqrt(share - share**2)) / share) ** 2
    assert needed_pairs(3, 0, 17) == math.ceil(wanted) - 20


def test_the_exact_test_has_its_say_where_the_formula_asks_for_too_few():
    assert needed_pairs(3, 0, 0) == 3


def test_a_near_tie_of_many_cases_is_answered_by_the_formula_alone():
    share, gap = 0.599, 0.001
    wanted = ((1.959964 * math.sqrt(share) + 0.841621 * math.sqrt(share - gap**2)) / gap) ** 2
    assert needed_pairs(300, 299, 401) == pytest.approx(wanted - 1000, rel=1e-5)
    assert wanted - 1000 > MANY_CASES


@settings(deadline=None)
@given(st.integers(0, 20), st.integers(0, 20), st.integers(0, 40))
def test_with_so_many_more_cases_of_the_same_kind_the_exact_test_decides(won, lost, tied):
    n = won + lost + tied
    more = needed_pairs(won, lost, tied) if n else None
    if more:
        pairs = n + more
        assert mcnemar_exact(math.floor(pairs * won / n), math.ceil(pairs * lost / n)) < 0.05 or won < lost


def test_pass_at_k_and_pass_hat_k_have_their_textbook_values():
    assert pass_at_k(3, 1, 2) == pytest.approx(2 / 3)
    assert pass_hat_k(3, 2, 2) == pytest.approx(1 / 3)
    assert (pass_at_k(5, 0, 1), pass_hat_k(5, 5, 5)) == (0.0, 1.0)
    assert (pass_at_k(2, 2, 3), pass_hat_k(2, 2, 3)) == (None, None)


@settings(deadline=None)
@given(st.integers(1, 12).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_repairing_every_time_is_never_likelier_than_repairing_once(numbers):
    n, right, k = numbers
    assert pass_hat_k(n, right, k) <= right / n + 1e-12
    assert pass_at_k(n, right, k) >= right / n - 1e-12

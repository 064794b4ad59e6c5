import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.report.words import MINUS, about, counted, figure, listing, percent, rounded_up, signed
from mendbench.scoring.statistics.exact import MANY_CASES


def test_a_count_has_its_noun():
    assert [counted(1, "case"), counted(0, "case"), counted(2, "success", "successes"), counted(1.5, "case")] == [
        "1 case", "0 cases", "2 successes", "1.50 cases",
    ]  # fmt: skip


def test_thousands_stand_apart_and_do_not_break():
    assert figure(4994) == "4\u202f994"


@pytest.mark.parametrize(("value", "text"), [(2, "+2"), (-2, f"{MINUS}2"), (0, "0"), (-0.001, "0"), (0.25, "+0.25")])
def test_a_difference_has_its_sign_and_none_if_it_is_none(value, text):
    assert signed(value) == text


def test_names_are_joined_as_a_sentence_has_them():
    assert [listing(["a", "b", "c"]), listing(["a"]), listing([])] == ["a, b and c", "a", "none"]


def test_a_share_keeps_its_sign():
    assert percent(0.175) == "18\u202f%"


@given(st.integers(1, 10**7))
def test_an_estimate_never_asks_for_fewer_cases_and_has_two_digits_that_count(number):
    estimate = rounded_up(number)
    assert number <= estimate <= 1.1 * number + 1
    assert len(str(estimate).rstrip("0")) <= 2


def test_a_hopeless_estimate_is_reported_as_one():
    assert about(MANY_CASES + 1) == "over 10000"

import random

import pytest

from mendbench.scoring.statistics.confidence_sequence import mean_difference


def test_without_a_difference_seen_anything_is_possible():
    assert mean_difference([]) == (-1, 1)


def test_the_interval_holds_the_mean_and_narrows():
    few, many = mean_difference([1, 0, 0, -1] * 5), mean_difference([1, 0, 0, -1] * 50)
    assert few.low < many.low < 0 < many.high < few.high


def test_it_is_symmetric():
    found, other = mean_difference([1, 0, 1, 1, 0, 1]), mean_difference([-1, 0, -1, -1, 0, -1])
    assert found.low == pytest.approx(-other.high)
    assert found.high == pytest.approx(-other.low)


def test_seven_wins_without_a_loss_are_a_clear_difference_and_three_to_one_is_not():
    assert mean_difference([1] * 7).low > 0
    assert mean_difference([1, 1, 1, -1]).low < 0


@pytest.mark.parametrize("wins", [0.1, 0.25])
def test_equal_strategies_differ_significantly_in_at_most_one_of_twenty_sequences_however_often_one_looks(wins):
    draw = random.Random(5)
    wrong = 0
    for _ in range(40):
        seen = draw.choices([1, -1, 0], [wins, wins, 1 - 2 * wins], k=40)
        looks = (mean_difference(seen[:length]) for length in (10, 20, 30, 40))
        wrong += any(found.low > 0 or found.high < 0 for found in looks)
    assert wrong <= 0.05 * 40 + 3  # three: what chance adds


def test_a_difference_beyond_one_is_refused():
    with pytest.raises(ValueError, match="2"):
        mean_difference([2])

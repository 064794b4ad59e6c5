import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.report.charts.scale import across, apart, tick_step

VALUES = st.floats(-1e6, 1e6, allow_nan=False)


@given(VALUES, VALUES)
def test_both_ends_lie_where_the_picture_has_room(low, high):
    scale = across(min(low, high), max(low, high))
    if high - low > 1e-6:
        assert (scale.at(min(low, high)), scale.at(max(low, high))) == (4.0, 96.0)
    assert 0 <= scale.at(low) <= 100


@given(st.floats(0.001, 1e6), st.integers(1, 8))
def test_ticks_are_round_and_about_as_many_as_asked(reach, count):
    step = tick_step(reach, count)
    assert round(step / 10 ** math.floor(math.log10(step) + 1e-9), 6) in {1, 2, 5, 10}
    assert len(across(0, reach).ticks(count)) <= count + 1


def test_whole_ticks_have_no_fractions():
    assert across(0, 2).ticks(5, whole=True) == (0, 1, 2)


def test_one_value_alone_lies_in_the_middle():
    assert across(3, 3).at(3) == 50


@given(st.lists(st.floats(0, 200), max_size=12), st.floats(1, 15))
def test_names_are_moved_apart_and_keep_their_order(places, gap):
    moved = apart(places, gap, 0, 200)
    order = sorted(range(len(places)), key=lambda at: (places[at], at))
    ranked = [moved[at] for at in order]
    assert all(after - before >= gap - 0.02 for before, after in pairwise(ranked))
    assert all(place >= -0.02 for place in moved)


def test_names_that_are_apart_stay_where_they_are():
    assert apart([10, 50, 90], 15, 0, 100) == [10, 50, 90]


@pytest.mark.parametrize("many", [2, 9])
def test_names_at_the_very_end_give_way_upwards(many):
    moved = apart([100.0] * many, 10, 0, 100)
    assert max(moved) == 100
    assert len(set(moved)) == many

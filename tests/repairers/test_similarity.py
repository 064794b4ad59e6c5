"""How like two names are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.repairers.similarity import likeness, most_like, path_likeness


@pytest.mark.parametrize(
    ("wanted", "names", "found"),
    [
        ("username", ["id", "email", "name"], "name"),
        ("channel", ["channel_id", "text"], "channel_id"),
        ("fullName", ["full_name", "name"], "full_name"),
        ("title", ["labels", "subject"], "subject"),
        ("stdout", ["response", "status_code"], None),
        ("x", [], None),
    ],
)
def test_the_most_like_name_is_found_and_none_where_none_is_like(wanted, names, found):
    assert most_like(wanted, names) == found


def test_a_path_is_judged_by_its_end_first():
    wrong_end = path_likeness("a.data.messages", "a.data.total")
    assert path_likeness("a.data.messages", "a.result.data.messages") > wrong_end


@given(one=st.text(max_size=8), other=st.text(max_size=8))
def test_likeness_lies_between_0_and_1_and_is_1_for_the_same(one, other):
    assert 0 <= likeness(one, other) <= 1
    assert likeness(one, one) == 1

from hypothesis import given
from hypothesis import strategies as st

from mendbench.values.interning import Interned, Names

NAMES = st.lists(st.text(alphabet="ab |-é\U0001f600", max_size=40), max_size=30)


def test_equal_values_have_one_number():
    known = Interned()
    assert [known.number(value) for value in ("a", "b", "a", None, None)] == [0, 1, 0, 2, 2]
    assert known.values == ["a", "b", None]


def test_what_has_no_hash_is_distinguished_by_how_it_is_shown():
    known = Interned()
    assert [known.number(value) for value in ([1], [2], [1], "[1]")] == [0, 1, 0, 2]
    assert known.values == [[1], [2], "[1]"]


@given(NAMES)
def test_names_come_out_as_they_went_in(names):
    held = Names(" | ", names)
    assert (list(held), len(held)) == (names, len(names))
    assert [held[at] for at in range(len(held))] == names


@given(NAMES)
def test_names_are_sorted_as_texts_are_and_the_last_of_equal_ones_counts(names):
    places = Names(" | ", names).in_order()
    assert [names[at] for at in places] == sorted(set(names))
    assert all(names[at] not in names[at + 1 :] for at in places)

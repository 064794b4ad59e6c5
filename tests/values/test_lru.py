import pytest

from mendbench.values.lru import LruCache


def test_a_value_is_made_once_and_the_one_that_nobody_wanted_longest_goes_first():
    made = []

    def making(name):
        return lambda: made.append(name) or name.upper()

    recent = LruCache(2)
    assert [recent.get(name, making(name)) for name in "abacab"] == list("ABACAB")
    assert made == list("abcb")


def test_what_raises_is_not_kept():
    recent = LruCache(2)
    with pytest.raises(ZeroDivisionError):
        recent.get("a", lambda: 1 // 0)
    assert recent.get("a", lambda: 1) == 1

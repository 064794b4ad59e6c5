from mendbench.values.sizes import PER_VALUE, size_of

MUCH = 10**9


def test_texts_keys_and_values_count():
    assert size_of("abc", MUCH) == PER_VALUE + 3
    assert size_of({"ab": [1, None]}, MUCH) == 4 * PER_VALUE + 2


def test_what_stands_twice_counts_twice_whether_or_not_memory_holds_it_once():
    once = ["abc"]
    assert size_of([once, once], MUCH) == size_of([["abc"], ["abc"]], MUCH)


def test_counting_ends_once_it_is_over_the_bound():
    value = ["x"]
    for _ in range(200):
        value = [value, value]
    assert size_of(value, 10_000) == 10_001


def test_what_nests_deeper_than_it_may_is_over_any_bound():
    deep = []
    for _ in range(5):
        deep = [deep]
    assert size_of(deep, MUCH, levels=6) == 6 * PER_VALUE
    assert size_of(deep, MUCH, levels=4) == MUCH + 1

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.errors import BadInput
from mendbench.runs.shards import Shard, cases_of, read_shard

weights = st.dictionaries(st.text("abcdef/-", min_size=1, max_size=8), st.integers(1, 60), min_size=1, max_size=40)


def shards_of(weights, count):
    return [cases_of(Shard(number=number, of=count), weights) for number in range(1, count + 1)]


@given(weights, st.data())
def test_every_case_is_in_one_shard_and_none_is_empty(weights, data):
    count = data.draw(st.integers(1, len(weights)))
    shards = shards_of(weights, count)
    assert all(shards)
    assert sorted(case for shard in shards for case in shard) == sorted(weights)


@given(weights, st.data())
def test_a_shard_does_not_depend_on_the_order_of_the_cases(weights, data):
    count = data.draw(st.integers(1, len(weights)))
    again = dict(data.draw(st.permutations(list(weights.items()))))
    assert shards_of(weights, count) == shards_of(again, count)


@given(st.integers(1, 60), st.integers(1, 9), st.integers(1, 40))
def test_no_shard_of_equal_cases_carries_more_than_its_share(cases, count, weight):
    shards = shards_of({f"slack/case-{number}": weight for number in range(cases)}, min(count, cases))
    assert max(len(shard) for shard in shards) == math.ceil(cases / min(count, cases))


def test_a_new_case_moves_few_others():
    cases = {f"slack/case-{number}": 5 for number in range(120)}
    before, after = shards_of(cases, 4), shards_of({**cases, "slack/new": 5}, 4)
    moved = sum(len(old - new) for old, new in zip(before, after, strict=True))
    assert moved <= 12


@given(weights, st.data())
def test_no_shard_carries_more_than_its_share_and_one_case(weights, data):
    count = data.draw(st.integers(1, len(weights)))
    loads = [sum(weights[case] for case in shard) for shard in shards_of(weights, count)]
    assert max(loads) <= sum(weights.values()) / count + max(weights.values())


def test_more_shards_than_cases_are_refused():
    with pytest.raises(BadInput, match="3 shards of 2 cases"):
        cases_of(Shard(number=1, of=3), {"a/b": 1, "c/d": 1})


@pytest.mark.parametrize("text", ["", "3", "0/2", "3/2", "1/0", "a/b", "1/2/3", "-1/2", "1/ 2", "½/2"])
def test_what_names_no_shard_is_refused(text):
    with pytest.raises(BadInput, match="give K/N"):
        read_shard(text)


def test_a_shard_is_read_and_shown_alike():
    assert str(read_shard("2/4")) == "2/4"

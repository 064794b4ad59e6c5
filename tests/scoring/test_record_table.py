import pytest

from mendbench.scoring.record_table import Records, as_table, records_of
from tests.fakes.runs import key_of, repairable, repaired, row_of, small_run, unrepaired, user_only, warned
from tests.fakes.scored import record


def rows():
    return [
        row_of(repairable(), repaired(), key_of(repairable()))[0],
        row_of(user_only(), warned(), key_of(user_only()))[0],
        row_of(repairable(), unrepaired(), key_of(repairable(), policy="naive", sample=1))[0],
    ]


@pytest.fixture
def table():
    return records_of(rows())


def test_records_come_out_as_they_went_in():
    made = [*small_run().records, *records_of(rows())]
    assert list(Records(made)) == made


def test_a_record_is_found_by_its_place_and_a_part_is_one_too(table):
    every = list(table)
    assert (table[0], table[-1], list(table[1:])) == (every[0], every[2], every[1:])
    assert list(table.only([2, 0])) == [every[2], every[0]]


def test_a_part_is_where_something_holds_of_a_field(table):
    assert [one.kind for one in table.where("kind", lambda kind: kind == "needs_user")] == ["needs_user"]
    assert list(table.where("treatment", lambda one: one.policy == "naive").places()) == [2]
    assert not table.where("verdict", lambda _: False)


def test_values_are_counted_in_the_order_in_which_they_come(table):
    assert list(table.counted("kind", "sample").items()) == [
        (("repairable", 0), 1), (("needs_user", 0), 1), (("repairable", 1), 1)
    ]  # fmt: skip
    assert table.values("kind") == ("repairable", "needs_user")
    assert list(table.column("sample")) == [0, 0, 1]


def test_trials_are_laid_apart_by_a_field_in_the_order_in_which_they_come(table):
    assert {kind: list(own.places()) for kind, own in table.by("kind").items()} == {
        "repairable": [0, 2], "needs_user": [1]
    }  # fmt: skip


def test_keys_are_those_of_the_records(table):
    assert list(table.trial_keys()) == [one.key for one in table]
    assert list(table[1:].trial_keys()) == [one.key for one in table[1:]]


def test_a_table_is_not_made_twice(table):
    assert as_table(table) is table
    assert list(as_table([record("a"), record("b")])) == [record("a"), record("b")]


def test_tables_are_equal_where_their_records_are(table):
    assert table == records_of(rows())
    assert table != table[:2]
    assert table != records_of(reversed(rows()))

import pytest

from tests.fakes.tables import for_each


def test_every_failing_row_is_raised_with_its_values():
    @for_each(("number", "square"), [(1, 1), (2, 5), (3, 9), (4, 15)])
    def squares(number, square):
        assert number**2 == square

    with pytest.raises(ExceptionGroup, match="2 of 4 rows fail") as raised:
        squares()
    assert [error.__notes__ for error in raised.value.exceptions] == [
        ["in the row {'number': 2, 'square': 5}"],
        ["in the row {'number': 4, 'square': 15}"],
    ]


@for_each("word", ["one", "two"])
def test_other_arguments_are_fixtures_and_an_expectation_that_fails_counts_too(word, tmp_path):
    @for_each("name", [word])
    def raising(name):
        with pytest.raises(FileNotFoundError):
            (tmp_path / name).touch()

    with pytest.raises(BaseExceptionGroup, match="1 of 1 rows fail"):
        raising()


def test_a_table_without_rows_fails():
    @for_each("row", [])
    def nothing(row):
        raise AssertionError

    with pytest.raises(AssertionError, match="the table has no rows"):
        nothing()

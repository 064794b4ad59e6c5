import pytest
import typer

from mendbench.cli.options import workers
from tests.fakes.tables import for_each


@for_each(("given", "count"), [("auto", 0), ("0", 0), ("3", 3), (2, 2)])
def test_workers_are_a_number_or_one_on_each_core(given, count):
    assert workers(given) == count


@for_each("given", ["-1", "two", "1.5", ""])
def test_anything_else_is_no_number_of_workers(given):
    with pytest.raises(typer.BadParameter, match="not an integer of at least 0"):
        workers(given)

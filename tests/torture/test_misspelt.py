"""A few misspelt keys; ``python -m tests.torture misspelt`` tries many."""

from tests.torture.misspelt import attempts
from tests.torture.tally import failures


def test_no_misspelt_key_of_a_state_is_passed_over():
    assert failures(attempts(60, 0)) == []

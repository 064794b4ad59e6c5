"""A few misspelt keys; ``python -m qa.torture misspelt`` tries many."""

from qa.torture.misspelt import attempts
from qa.torture.tally import failures


def test_no_misspelt_key_of_a_state_is_passed_over():
    assert failures(attempts(60, 0)) == []

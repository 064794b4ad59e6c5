from tests.torture.secrets import attempts
from tests.torture.tally import failures


def test_no_planted_secret_comes_out():
    assert failures(attempts(6, seed=0)) == []

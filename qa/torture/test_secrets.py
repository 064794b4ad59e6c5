from qa.torture.secrets import attempts
from qa.torture.tally import failures


def test_no_planted_secret_comes_out():
    assert failures(attempts(6, seed=0)) == []

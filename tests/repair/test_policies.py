import pytest

from mendbench.errors import UnknownName
from mendbench.repair.policies import policy, policy_names


@pytest.mark.parametrize(
    ("name", "detector", "signature"),
    [
        ("naive", None, None),
        ("loop", None, "full"),
        ("warn", "mend", None),
        ("two-layer", "mend", "full"),
        ("seed", "minimal", "prefix40"),
    ],
)
def test_a_policy_expands_to_its_detector_and_signature(name, detector, signature):
    assert (policy(name).name, policy(name).detector, policy(name).signature) == (name, detector, signature)


def test_no_policy_allows_more_than_three_answers():
    assert policy_names()
    assert {policy(name).max_answers for name in policy_names()} == {3}


def test_an_unknown_policy_is_told_with_the_closest_name_and_all_names():
    with pytest.raises(UnknownName, match=r"did you mean 'naive'.*known: loop, naive, seed, two-layer, warn"):
        policy("naiv")

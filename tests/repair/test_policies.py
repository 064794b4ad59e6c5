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
        ("three-strikes", None, None),
        ("all", "mend", "full"),
    ],
)
def test_a_policy_expands_to_its_detector_and_signature(name, detector, signature):
    assert (policy(name).name, policy(name).detector, policy(name).signature) == (name, detector, signature)


def test_three_strikes_and_all_look_for_patterns_and_no_other_policy_does():
    assert {name for name in policy_names() if policy(name).patterns} == {"three-strikes", "all"}


def test_no_policy_allows_more_than_three_answers():
    assert policy_names()
    assert {policy(name).max_answers for name in policy_names()} == {3}


def test_an_unknown_policy_is_told_with_the_closest_name_and_all_names():
    with pytest.raises(
        UnknownName, match=r"did you mean 'naive'.*known: all, loop, naive, seed, three-strikes, two-layer, warn"
    ):
        policy("naiv")

import pytest

from mendbench.errors import BadInput, UnknownName
from mendbench.repair.policies import is_policy, policy, policy_names


@pytest.mark.parametrize(
    ("name", "detector", "signature"),
    [
        ("naive", None, None),
        ("loop", None, "full"),
        ("warn", "structural", None),
        ("two-layer", "structural", "full"),
        ("seed", "minimal", "prefix40"),
        ("three-strikes", None, None),
        ("all", "structural", "full"),
    ],
)
def test_a_policy_expands_to_its_detector_and_signature(name, detector, signature):
    assert (policy(name).name, policy(name).detector, policy(name).signature) == (name, detector, signature)


def test_three_strikes_and_all_look_for_patterns_and_no_other_policy_does():
    assert {name for name in policy_names() if policy(name).patterns} == {"three-strikes", "all"}


def test_no_policy_allows_more_than_three_answers():
    assert policy_names()
    assert {name: policy(name).max_responses for name in policy_names()} == dict.fromkeys(policy_names(), 3) | {
        "first-answer": 1
    }


def test_an_unknown_policy_is_reported_with_the_closest_name_and_all_names():
    with pytest.raises(
        UnknownName,
        match=r"did you mean 'naive'.*known: all, ask-first, confident, first-answer, loop, naive, seed, three-strikes, two-layer, warn",
    ):
        policy("naiv")


def test_a_signature_is_chosen_apart_from_the_detector():
    own, crude = policy("two-layer"), policy("two-layer~prefix40")
    assert (crude.name, crude.detector, crude.signature) == ("two-layer~prefix40", own.detector, "prefix40")
    assert (policy("seed~full").detector, policy("seed~full").signature) == ("minimal", "full")
    assert policy("naive~prefix40").signature == "prefix40"


def test_an_unknown_signature_is_reported_with_all_there_are():
    with pytest.raises(
        UnknownName, match=r"unknown signature 'prefix4'.*did you mean 'prefix40'.*known: full, prefix40"
    ):
        policy("seed~prefix4")
    with pytest.raises(UnknownName, match="unknown policy 'sed'"):
        policy("sed~full")


@pytest.mark.parametrize(
    ("name", "own"), [("seed~prefix40", "seed"), ("naive~full", "loop"), ("warn~full", "two-layer")]
)
def test_one_policy_has_one_name(name, own):
    with pytest.raises(BadInput, match=f"policy {name}: that is {own}; write {own}"):
        policy(name)


def test_what_a_report_reads_may_be_no_policy_of_ours():
    assert [name for name in ("seed", "seed~full", "seed~prefix40", "seed~none", "itself", "") if is_policy(name)] == [
        "seed",
        "seed~full",
    ]

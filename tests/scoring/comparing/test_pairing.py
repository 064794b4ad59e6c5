from dataclasses import replace

from mendbench.scoring.comparing.pairing import pair_trials
from tests.fakes.compared import OURS, THEIRS, trial, trials

NAIVE = {"policy": "naive", "detector": None}


def paired(a, b, fixed=()):
    """Return the strategies and policies that are compared."""
    return [
        (f"{one.a.strategy}/{one.a.policy}", f"{one.b.strategy}/{one.b.policy}")
        for one in pair_trials(a, b, fixed).pairs
    ]


def of(*treatments):
    return [one for treatment in treatments for one in trials("10", treatment)]


def test_equal_treatments_are_paired():
    assert paired(of(OURS, THEIRS), of(THEIRS, OURS)) == [("mend/two-layer",) * 2, ("summary/two-layer",) * 2]


def test_what_was_fixed_to_different_values_is_no_obstacle():
    both = [replace(one, **policy) for one in (OURS, THEIRS) for policy in ({}, NAIVE)]
    a, b = ([one for one in both if one.strategy == name] for name in ("summary", "mend"))
    assert paired(of(*a), of(*b), {"strategy"}) == [
        ("summary/naive", "mend/naive"),
        ("summary/two-layer", "mend/two-layer"),
    ]


def test_policies_that_were_fixed_bring_their_own_detector():
    a, b = ([replace(one, **policy) for one in (OURS, THEIRS)] for policy in (NAIVE, {}))
    found = pair_trials(of(*a), of(*b), {"policy"}).pairs
    assert [one.differs for one in found] == [("policy", "detector")] * 2


def test_a_field_that_has_one_value_on_each_side_is_named_and_never_refused():
    found = pair_trials(of(OURS), of(replace(OURS, model="other", detector="coded"))).pairs
    assert [one.differs for one in found] == [("model", "detector")]


def test_another_detector_is_paired_though_some_policies_have_none():
    a, b = ((replace(OURS, **NAIVE), replace(OURS, detector=detector)) for detector in ("mend", "coded"))
    assert paired(of(*a), of(*b)) == [("summary/naive",) * 2, ("summary/two-layer",) * 2]


def test_controls_are_paired_with_controls_however_the_strategies_differ():
    noop = replace(OURS, repairer="noop", model=None, strategy="none")
    found = pair_trials(of(OURS, noop), of(THEIRS, noop)).pairs
    assert [(one.a.repairer, one.b.strategy) for one in found] == [("chat", "mend"), ("noop", "none")]


def test_of_several_strategies_that_only_one_side_has_none_is_guessed_to_be_another():
    pairing = pair_trials(of(OURS, THEIRS), of(OURS, replace(OURS, strategy="mine")))
    assert [one.a.strategy for one in pairing.pairs] == ["summary"]
    assert [(one.side, one.reason, one.trials) for one in pairing.unpaired] == [
        ("A", "no such treatment", 2), ("B", "no such treatment", 2),
    ]  # fmt: skip
    assert pairing.unpaired[1].names == ("mendbench | chat | m | mine | two-layer | structural",)


def test_cases_and_trials_of_one_side_are_reported_by_reason():
    a = [trial("a"), trial("b"), trial("b", sample=1), trial("c", THEIRS), trial("c")]
    b = [trial("b"), trial("c"), trial("c", THEIRS), trial("d")]
    pairing = pair_trials(a, b)
    assert sum(len(one.trials) for one in pairing.pairs) == 3
    assert {(one.side, one.reason, one.trials, one.names) for one in pairing.unpaired} == {
        ("A", "no such case", 1, ("a",)), ("A", "no such trial", 1, ("b",)), ("B", "no such case", 1, ("d",)),
    }  # fmt: skip


def test_samples_are_paired_with_the_same_samples():
    sides = [[trial("a", sample=sample) for sample in samples] for samples in ((0, 1), (1, 2))]
    (pair,) = pair_trials(*sides).pairs
    assert [(one.a.sample, one.b.sample) for one in pair.trials] == [(1, 1)]


def test_the_order_of_trials_does_not_matter():
    a, b = of(OURS, THEIRS), of(THEIRS, OURS)
    assert pair_trials(a[::-1], b) == pair_trials(a, b[::-1])


def test_two_sides_with_nothing_in_common_have_no_pair():
    assert pair_trials([trial("a")], [trial("b")]).pairs == ()

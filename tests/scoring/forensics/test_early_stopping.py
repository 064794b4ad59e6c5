from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.scoring.forensics.early_stopping import effect, paired
from tests.fakes.forensics import cut, false_warning, trial, unjudged

NAIVE = (
    trial("a", "p", right=True),
    trial("b", "xp", right=True),
    trial("c", "xxx"),
    trial("both", "px", kind="mixed"),
    trial("user", "fff", kind="needs_user"),
)
LOOP = (
    cut(NAIVE[0], "two-layer", 1),
    false_warning("b"),
    cut(NAIVE[2], "two-layer", 1),
    cut(NAIVE[3], "two-layer", 1, verdict="correct", outcome="repaired", stop_reason="warned"),
    cut(NAIVE[4], "two-layer", 0, verdict="correct", outcome="warned", stop_reason="warned"),
)


def labels(found):
    return {label: n for label, n in found.prevented.items() if n}


def test_what_a_policy_lost_and_saved_as_worked_out_by_hand():
    found = effect(LOOP, NAIVE)
    assert (found.policy, found.detector, found.n, found.with_edit_fault, found.trials) == (
        "two-layer",
        "structural",
        5,
        4,
        5,
    )
    assert (found.naive_repairs, found.repairs) == (2, 2)
    assert (found.lost, found.lost_otherwise, found.gained) == (1, 0, 1)
    assert [(why.stop_reason, why.n) for why in found.lost_by] == [("warned", 1)]
    assert (found.lost_elsewhere, found.gained_elsewhere) == (0, 1)
    assert (found.lost_cases, found.gained_cases) == (("b",), ("both",))
    assert (found.saved.attempts, found.saved.prompt_tokens, found.saved.cost_usd) == (8, 800, 4)
    assert labels(found) == {"productive": 1, "futile": 3, "fruitless": 4}
    assert (found.attempts_saved_per_lost, found.extra.attempts, found.unknown) == (8, 0, ())


def test_a_repair_that_came_as_late_as_under_naive_is_not_lost_by_stopping():
    found = effect([cut(NAIVE[0], "loop", 1, verdict="incorrect", outcome="unrepaired")], NAIVE[:1])
    assert (found.lost, found.lost_otherwise, found.lost_by, found.lost_cases) == (0, 1, (), ("a",))
    assert found.attempts_saved_per_lost is None


def test_a_silent_success_is_named_as_what_stopped_it():
    silent = trial("b", "", policy="two-layer", stop_reason="succeeded", end="success")
    found = effect([silent], [NAIVE[1]])
    assert [(why.stop_reason, why.n) for why in found.lost_by] == [("succeeded", 1)]


def test_what_is_not_known_is_counted_by_its_reason():
    mine = [
        unjudged("a", policy="loop"),
        trial("b", "x", policy="loop"),
        trial("c", "x", policy="loop"),
        trial("alone", "x", policy="loop"),
        unjudged("crashed", policy="loop", verdict="crashed"),
        trial("d", "x", policy="loop", prices={"response": 11}),
    ]
    theirs = [
        trial("a"),
        unjudged("b"),
        trial("c", "xx"),
        trial("d", "xx"),
        trial("crashed"),
        trial("other"),
        trial("more"),
    ]
    pairs, unknown = paired(mine, theirs)
    assert [own.case for own, _ in pairs] == ["c"]
    assert [(why.reason, why.trials) for why in unknown] == [
        ("another response than under naive", 1),
        ("crashed under the policy", 1),
        ("not run under naive", 1),
        ("not run under the policy", 2),
        ("unjudged under naive", 1),
        ("unjudged under the policy", 1),
    ]


def test_samples_are_paired_with_their_own_and_counted_by_their_mean():
    naive = [trial("a", "xp", right=True), trial("a", "xxx", sample=1)]
    found = effect([cut(naive[0], "loop", 1), cut(naive[1], "loop", 1)], naive)
    assert (found.n, found.trials, found.lost, found.saved.attempts) == (1, 2, 0.5, 1.5)


def test_attempts_beyond_naive_are_reported_separately():
    longer = trial("a", "xx", policy="loop")
    found = effect([longer], [trial("a", "x")])
    assert (found.saved.attempts, found.extra.attempts) == (0, 1)


naive_lists = st.lists(
    st.tuples(
        st.text(st.sampled_from("phlifx"), max_size=3),
        st.sampled_from(["repairable", "needs_user"]),
        st.booleans(),
        st.integers(0, 3),
    ),
    min_size=1,
    max_size=6,
)


@given(naive_lists)
def test_a_policy_that_is_a_prefix_saves_what_it_did_not_do_and_gains_nothing(drawn):
    naive = [
        trial(f"c{n}", letters, kind=kind, right=right and bool(letters))
        for n, (letters, kind, right, _) in enumerate(drawn)
    ]
    own = [cut(one, "loop", at) for one, (_, _, _, at) in zip(naive, drawn, strict=True)]
    found = effect(own, naive)
    assert found.trials == len(naive)
    assert (found.gained, found.gained_elsewhere, found.extra.attempts, found.lost_otherwise) == (0, 0, 0, 0)
    assert found.saved.attempts == sum(len(a.attempts) - len(b.attempts) for a, b in zip(naive, own, strict=True))
    assert sum(found.prevented.values()) == found.saved.attempts
    assert found.repairs == found.naive_repairs - found.lost
    assert sum(why.n for why in found.lost_by) == pytest.approx(found.lost)


@given(naive_lists)
def test_a_policy_that_never_stops_early_loses_and_saves_nothing(drawn):
    naive = [trial(f"c{n}", letters, kind=kind, right=right) for n, (letters, kind, right, _) in enumerate(drawn)]
    found = effect([cut(one, "loop", 3) for one in naive], naive)
    assert (found.lost, found.saved.attempts, found.lost_cases) == (0, 0, ())


def test_the_order_of_trials_does_not_matter():
    assert effect(LOOP[::-1], NAIVE[::-1]) == effect(LOOP, NAIVE)


def test_twice_the_same_samples_change_nothing_but_the_number_of_trials():
    again = [[replace(one, sample=7, key=f"{one.key} again") for one in side] for side in (LOOP, NAIVE)]
    found = effect([*LOOP, *again[0]], [*NAIVE, *again[1]])
    assert replace(found, trials=5) == effect(LOOP, NAIVE)

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.scoring.forensics.attempt_use import curve, document, forensics, labels
from mendbench.scoring.forensics.passes import LABELS
from tests.fakes.forensics import LETTERS, cut, trial, unjudged

NAIVE = (
    trial("a", "p", right=True),
    trial("b", "ip", right=True),
    trial("c", "xxx"),
    trial("d", "lx", right=False, stop_reason="declined"),
    trial("user", "fff", kind="needs_user"),
    trial("fine", "", kind="control", right=True),
)
"""Four cases with an edit fault and two without; two repairs, after one and two attempts."""


def by_label(lines):
    return {line.label: (line.n, line.by_number) for line in lines if line.n}


def test_attempts_are_counted_by_label_and_number():
    found = labels(NAIVE)
    assert [line.label for line in found] == list(LABELS)
    assert by_label(found) == {
        "productive": (2, (1, 1, 0)),
        "informative": (1, (1, 0, 0)),
        "plausible": (1, (1, 0, 0)),
        "futile": (3, (1, 1, 1)),
        "fruitless": (4, (1, 2, 1)),
    }
    assert sum(line.spent.attempts for line in found) == 11


def test_attempts_of_trials_without_a_verdict_are_counted_as_such():
    assert by_label(labels([unjudged("a", "??")])) == {"unlabelled": (2, (1, 1))}


def test_prompts_that_were_asked_again_are_counted():
    one = trial("a", "xx")
    again = replace(one, attempts=(one.attempts[0], replace(one.attempts[1], repeat=True)))
    assert {line.label: line.repeats for line in labels([again])}["fruitless"] == 1


def test_success_by_attempt_as_worked_out_by_hand():
    found = curve(NAIVE)
    assert (found.n, found.elsewhere, found.trials, found.unjudged, found.crashed, found.first_right) == (
        4,
        2,
        6,
        0,
        0,
        1,
    )
    first, second, third = found.steps
    assert [(step.right, step.most, step.gain, step.lost) for step in found.steps] == [
        (1, 1, 1, 1),
        (2, 2, 1, 0),
        (2, 2, 0, 0),
    ]
    assert [(step.attempts, step.elsewhere, step.wasted) for step in found.steps] == [(4, 1, 2), (3, 1, 3), (1, 1, 2)]
    assert [step.right_elsewhere for step in found.steps] == [1, 1, 1]
    assert [step.saved.attempts for step in found.steps] == [6, 2, 0]
    assert (first.attempts_per_repair, first.tokens_per_repair, first.usd_per_repair) == (5, 550, 2.5)
    assert (second.attempts_per_repair, second.tokens_per_repair, second.usd_per_repair) == (4, 440, 2)
    assert (third.attempts_per_repair, third.tokens_per_repair, third.usd_per_repair) == (None, None, None)


def test_the_best_stopping_point_is_the_last_repair():
    found = curve(NAIVE).stopping
    assert (found.at, found.n, found.settled) == (2, 2, True)


def test_there_is_no_stopping_point_without_a_repair():
    found = curve([trial("a", "xxx"), trial("user", "f", kind="needs_user", right=True)]).stopping
    assert (found.at, found.n, found.settled) == (None, 0, True)


def test_a_trial_without_a_verdict_widens_the_curve_from_the_attempt_that_it_was_at():
    found = curve([trial("a", "xp", right=True), unjudged("b", "??"), trial("c", "xxx")])
    assert [(step.right, step.most) for step in found.steps] == [(0, 0), (1, 2), (1, 2)]
    assert found.steps[0].unlabelled == found.steps[1].unlabelled == 1
    assert (found.stopping.at, found.stopping.settled) == (2, False)


def test_a_trial_without_a_verdict_cannot_move_a_stop_that_is_the_last():
    assert curve([trial("a", "xxp", right=True), unjudged("b", "")]).stopping.settled


def test_a_crashed_trial_is_not_repaired_and_not_open():
    crashed = unjudged("b", "?", verdict="crashed", stop_reason="crashed")
    found = curve([trial("a", "p", right=True), crashed])
    assert (found.crashed, found.n) == (1, 2)
    assert (found.steps[0].right, found.steps[0].most, found.stopping.settled) == (1, 1, True)


def test_samples_of_a_case_count_by_their_mean():
    found = curve([trial("a", "p", right=True), trial("a", "xxx", sample=1), trial("b", "p", right=True)])
    assert found.n == 2
    assert [step.right for step in found.steps] == [1.5, 1.5, 1.5]
    assert [step.attempts for step in found.steps] == [2, 0.5, 0.5]


def test_the_cost_of_a_repair_is_unknown_where_one_attempt_does_not_state_it():
    found = curve([trial("a", "p", right=True), trial("b", "x", prices={"usd": None, "prompt": None})])
    step = found.steps[0]
    assert (step.attempts_per_repair, step.tokens_per_repair, step.usd_per_repair) == (2, None, None)
    assert (step.spent.cost_usd, step.spent.cost_unknown) == (0.5, 1)


def test_no_trial_that_got_to_an_attempt_gives_no_step():
    found = curve([unjudged("a"), unjudged("b")])
    assert (found.steps, found.n, found.stopping.at, found.stopping.settled) == ((), 2, None, False)


def test_each_part_strategy_and_repairer_stands_alone():
    records = [
        trial("a", "p", right=True, part="test"),
        trial("b", "x", part="train"),
        trial("a", "x", part="test", strategy="mend"),
        trial("a", "x", part="test", policy="two-layer", repairer="rules", model=None),
    ]
    found = forensics(records)
    assert [(one.part, one.repairer, one.strategy, one.n) for one in found] == [
        ("test", "chat", "mend", 1), ("test", "chat", "summary", 1), ("test", "rules", "summary", 1), ("train", "chat", "summary", 1),
    ]  # fmt: skip


def test_without_naive_there_is_no_curve_and_all_that_is_unknown_is_counted():
    (found,) = forensics([trial("a", "p", right=True, policy="two-layer")])
    assert (found.curve, found.labels) == (None, ())
    (policy,) = found.policies
    assert (policy.n, policy.trials, [(why.reason, why.trials) for why in policy.unknown]) == (
        0, 0, [("not run under naive", 1)],
    )  # fmt: skip


def test_the_document_is_plain_json():
    made = document([*NAIVE, *(cut(one, "loop", 1) for one in NAIVE)])
    assert json.loads(json.dumps(made)) == made
    assert (made["format"], made["reference"]) == (1, "naive")
    (line,) = made["strategies"]
    assert line["curve"]["stopping"] == {"at": 2, "n": 2, "settled": True}
    assert line["policies"][0]["policy"] == "loop"


def test_no_trial_gives_an_empty_document():
    assert document([])["strategies"] == []


@st.composite
def naive_trials(draw):
    """Draw trials under naive: some right, some without a verdict, some samples of one case."""
    made = []
    for number in range(draw(st.integers(1, 6))):
        kind = draw(st.sampled_from(["repairable", "mixed", "needs_user", "control"]))
        for sample in range(draw(st.integers(1, 3))):
            letters = draw(st.text(st.sampled_from([letter for letter in LETTERS if letter != "?"]), max_size=3))
            right = draw(st.booleans()) and (bool(letters) or kind == "control")
            if draw(st.integers(0, 5)) == 0:
                made.append(unjudged(f"c{number}", letters, kind=kind, sample=sample))
            else:
                made.append(trial(f"c{number}", letters, right=right, kind=kind, sample=sample))
    return made


@given(naive_trials(), st.randoms(use_true_random=False))
def test_the_order_of_trials_does_not_matter(trials, random):
    shuffled = list(trials)
    random.shuffle(shuffled)
    assert document(shuffled) == document(trials)


@given(naive_trials())
def test_twice_the_same_samples_change_nothing_but_the_number_of_trials(trials):
    twice = [*trials, *(replace(one, sample=one.sample + 10, key=f"{one.key} again") for one in trials)]
    one, two = curve(trials), curve(twice)
    assert replace(two, trials=one.trials, unjudged=one.unjudged) == one
    assert (two.trials, two.unjudged) == (2 * one.trials, 2 * one.unjudged)
    assert labels(twice) == labels(trials)


@given(naive_trials(), st.text(st.sampled_from("xlhi"), max_size=3))
def test_one_more_failing_case_never_raises_a_success(trials, letters):
    before, after = curve(trials), curve([*trials, trial("one-more", letters)])
    assert after.n == before.n + 1
    assert after.stopping.n == before.stopping.n
    assert after.stopping.at == before.stopping.at
    for one, other in zip(before.steps, after.steps, strict=False):
        assert (one.right, one.gain, one.lost, one.right_elsewhere) == (
            other.right,
            other.gain,
            other.lost,
            other.right_elsewhere,
        )
        assert other.attempts >= one.attempts


@given(naive_trials())
def test_one_more_failing_sample_never_raises_a_success(trials):
    more = trial(trials[0].case, "x", kind=trials[0].kind, sample=99)
    for one, other in zip(curve(trials).steps, curve([*trials, more]).steps, strict=False):
        assert other.right <= one.right
        assert other.right_elsewhere <= one.right_elsewhere


@given(naive_trials())
def test_the_steps_add_up(trials):
    found = curve(trials)
    lines = labels(trials)
    assert sum(step.spent.attempts for step in found.steps) == pytest.approx(sum(line.n for line in lines))
    assert sum(step.gain for step in found.steps) == pytest.approx(found.stopping.n)
    for at, step in enumerate(found.steps):
        assert step.right + step.lost == pytest.approx(found.stopping.n)
        assert step.saved.attempts == pytest.approx(sum(later.spent.attempts for later in found.steps[at + 1 :]))
        assert step.right <= step.most <= step.n
        assert step.attempts + step.elsewhere == pytest.approx(step.spent.attempts)
    if found.stopping.at is not None:
        assert found.steps[found.stopping.at - 1].lost == 0
        assert all(step.lost > 0 for step in found.steps[: found.stopping.at - 1])

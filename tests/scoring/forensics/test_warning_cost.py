import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.scoring.forensics.warning_cost import document, warning_costs
from tests.fakes.forensics import cut, false_warning, trial, unjudged

WARNED = (("greet", "error", "warning"),)

NAIVE = (
    trial("mendable", "xp", right=True),
    trial("hopeless", "xxx"),
    trial("passing", "", kind="transient", right=True),
    trial("user", "fff", kind="needs_user"),
    trial("late", "ff", kind="needs_user", right=True, outcome="declined", stop_reason="declined"),
)
TWO_LAYER = (
    false_warning("mendable", nodes=WARNED),
    false_warning("hopeless", nodes=WARNED),
    false_warning("alone", nodes=WARNED),
    false_warning("passing", kind="transient"),
    cut(NAIVE[3], "two-layer", 1),
    cut(NAIVE[4], "two-layer", 2),
    trial("said", "", kind="needs_user", right=True, policy="two-layer", stop_reason="warned", end="warning"),
)


def prices(records, policy="two-layer", *, without_adversarial=False):
    found = [
        one
        for group in warning_costs(records)
        for one in group.prices
        if (one.policy, one.without_adversarial) == (policy, without_adversarial)
    ]
    (price,) = found
    return price


def test_false_warnings_are_priced_by_what_naive_brought():
    found = prices([*NAIVE, *TWO_LAYER]).false
    assert (found.n, found.trials, found.with_edit_fault) == (4, 4, 3)
    assert (found.repairs_lost, found.right_lost, found.nothing_lost, found.unknown) == (1, 1, 1, 1)
    assert [(why.reason, why.trials) for why in found.reasons] == [("not run under naive", 1)]
    assert found.lost_cases == ("mendable",)
    assert (found.saved.attempts, found.saved.prompt_tokens, found.saved.cost_usd) == (5, 500, 2.5)


def test_missed_warnings_are_priced_by_the_attempts_that_could_mend_nothing():
    found = prices([*NAIVE, *TWO_LAYER]).missed
    assert (found.n, found.trials, found.unsaid, found.burned) == (2, 2, 1, 1)
    assert (found.wasted.attempts, found.wasted.tokens, found.wasted.cost_usd) == (3, 330, 1.5)
    assert (found.without_verdict, found.at_least.attempts) == (0, 0)


def test_naive_is_priced_too_as_what_no_detector_at_all_misses():
    found = prices([*NAIVE, *TWO_LAYER], "naive")
    assert (found.false.n, found.missed.n, found.missed.wasted.attempts) == (0, 2, 5)


def test_only_futile_attempts_of_a_mixed_case_are_waste_of_a_missed_warning():
    mixed = trial("both", "xpff", kind="mixed", outcome="missed_warning", policy="warn")
    assert prices([mixed], "warn").missed.wasted.attempts == 2


@pytest.mark.parametrize(
    ("naive", "reason"),
    [
        (unjudged("a", "?"), "unjudged under naive"),
        (unjudged("a", verdict="crashed"), "crashed under naive"),
        (trial("a", "xp", right=True, prices={"response": 11}), "another response than under naive"),
        (trial("a", "xp", right=True, strategy="mend"), "not run under naive"),
        (trial("a", "xp", right=True, sample=1), "not run under naive"),
        (trial("a", "xp", right=True, repairer="rules", model=None), "not run under naive"),
        (trial("a", "xp", right=True, engine="other"), "not run under naive"),
    ],
)
def test_a_counterpart_without_a_price_leaves_the_price_unknown(naive, reason):
    found = prices([naive, false_warning("a", "x")]).false
    assert (found.n, found.unknown, found.repairs_lost, found.nothing_lost, found.saved.attempts) == (1, 1, 0, 0, 0)
    assert [(why.reason, why.trials) for why in found.reasons] == [(reason, 1)]


def test_a_price_that_nobody_knows_is_not_nothing():
    burned = trial(
        "user", "ff", kind="needs_user", policy="two-layer", prices={"usd": None, "prompt": None, "response": None}
    )
    found = prices([burned]).missed.wasted
    assert (found.attempts, found.tokens, found.cost_usd, found.tokens_unknown, found.cost_unknown) == (
        2,
        None,
        None,
        2,
        2,
    )


def test_users_cases_without_a_verdict_are_counted_with_what_they_had_burned_by_then():
    found = prices(
        [unjudged("user", "??", kind="needs_user", policy="warn"), unjudged("a", "?", policy="warn")], "warn"
    )
    assert (found.unjudged, found.missed.n, found.missed.without_verdict, found.missed.at_least.attempts) == (
        2,
        0,
        1,
        2,
    )


def test_samples_of_a_case_count_by_their_mean():
    records = [*NAIVE, false_warning("mendable"), trial("mendable", "xp", right=True, policy="two-layer", sample=1)]
    found = prices([*records, trial("mendable", "xp", right=True, sample=1)]).false
    assert (found.n, found.trials, found.repairs_lost, found.saved.attempts) == (0.5, 1, 0.5, 1)


def test_cases_chosen_against_a_detector_are_also_left_out():
    hard = replace(TWO_LAYER[0], adversarial_to=("structural",))
    easy = replace(TWO_LAYER[1], adversarial_to=("minimal",))
    records = [*NAIVE, hard, easy]
    none, hint = warning_costs(records)
    assert (none.detector, none.matrix_without_adversarial, none.adversarial_cases) == (None, None, ())
    assert (hint.detector, hint.adversarial_cases) == ("structural", ("mendable",))
    assert (hint.matrix.n, hint.matrix_without_adversarial.n) == (2, 1)
    assert [(one.case, one.adversarial) for one in hint.mistakes] == [("hopeless", False), ("mendable", True)]
    assert (prices(records).false.n, prices(records, without_adversarial=True).false.n) == (2, 1)
    assert prices(records, without_adversarial=True).false.repairs_lost == 0


def test_where_every_case_was_chosen_against_it_nothing_is_left_and_said_so():
    hard = replace(TWO_LAYER[0], adversarial_to=("structural",))
    (found,) = warning_costs([hard])
    assert (found.matrix_without_adversarial.n, found.matrix_without_adversarial.cases) == (0, 0)
    assert (prices([hard], without_adversarial=True).n, prices([hard], without_adversarial=True).false.n) == (0, 0)


def test_the_matrix_is_not_multiplied_by_strategies_policies_repairers_and_samples():
    one = false_warning("a", nodes=WARNED)
    more = [
        replace(one, key=f"{strategy} {policy} {sample}", sample=sample, treatment=replace(one.treatment, strategy=strategy, policy=policy))
        for strategy in ("summary", "mend") for policy in ("two-layer", "warn") for sample in (0, 1)
    ]  # fmt: skip
    (found,) = warning_costs(more)
    assert (found.matrix.n, found.n, len(found.prices), len(found.mistakes)) == (1, 1, 4, 1)


def test_parts_are_never_pooled():
    records = [false_warning("a", part="train", nodes=WARNED), false_warning("b", part="test", nodes=WARNED)]
    assert [(one.part, one.n, one.matrix.n) for one in warning_costs(records)] == [("test", 1, 1), ("train", 1, 1)]


def test_trials_that_saw_other_first_executions_are_a_fault_of_the_run():
    records = [false_warning("a", nodes=WARNED), false_warning("a", sample=1)]
    (found,) = warning_costs(records)
    assert (found.matrix.n, found.n, [one.case for one in found.disagreements]) == (0, 1, ["a"])
    assert [one.says.startswith("the first execution gave ") for one in found.disagreements] == [True]
    (alone,) = warning_costs(records[:1])
    assert alone.disagreements == ()


def test_detectors_may_disagree_with_each_other():
    found = warning_costs([false_warning("a", nodes=WARNED), trial("a", policy="naive"), trial("a", policy="seed")])
    assert [one.disagreements for one in found] == [()] * len(found)


def test_the_document_is_plain_json():
    made = document([*NAIVE, *TWO_LAYER])
    assert json.loads(json.dumps(made)) == made
    assert (made["format"], made["states"], made["reference"]) == (1, ["success", "warning", "error"], "naive")
    assert [one["detector"] for one in made["detectors"]] == [None, "structural"]
    assert document([])["detectors"] == []


@st.composite
def pairs(draw):
    """Draw trials under naive and what two-layer made of them."""
    naive, own = [], []
    for number in range(draw(st.integers(1, 6))):
        kind = draw(st.sampled_from(["repairable", "mixed", "needs_user", "transient", "control"]))
        right = draw(st.booleans())
        one = trial(f"c{number}", draw(st.text(st.sampled_from("pxfl"), max_size=3)), kind=kind, right=right)
        naive += draw(st.sampled_from([[], [one], [one], [unjudged(one.case, kind=kind)]]))
        at = draw(st.integers(0, 3))
        warned = kind != "needs_user" and draw(st.booleans())
        changes = {"outcome": "false_warning", "verdict": "incorrect"} if warned else {}
        own.append(cut(one, "two-layer", at, **changes))
    return naive, own


@given(pairs())
def test_every_false_warning_has_one_price(drawn):
    naive, own = drawn
    found = prices([*naive, *own]).false
    assert found.n == found.trials == sum(one.outcome == "false_warning" for one in own)
    assert found.repairs_lost + found.right_lost + found.nothing_lost + found.unknown == found.n
    assert sum(why.trials for why in found.reasons) == found.unknown
    assert found.repairs_lost <= found.with_edit_fault


@given(pairs(), st.randoms(use_true_random=False))
def test_the_order_of_trials_does_not_matter(drawn, random):
    records = [*drawn[0], *drawn[1]]
    shuffled = list(records)
    random.shuffle(shuffled)
    assert document(shuffled) == document(records)


@given(pairs())
def test_twice_the_same_samples_cost_no_more(drawn):
    records = [*drawn[0], *drawn[1]]
    again = [replace(one, sample=5, key=f"{one.key} again") for one in records]
    one, two = prices(records), prices([*records, *again])
    assert (two.false.n, two.false.repairs_lost, two.false.saved) == (
        one.false.n,
        one.false.repairs_lost,
        one.false.saved,
    )
    assert (two.missed.n, two.missed.wasted) == (one.missed.n, one.missed.wasted)
    assert two.trials == 2 * one.trials


@given(pairs())
def test_one_more_failing_trial_under_naive_never_adds_a_repair_that_was_lost(drawn):
    naive, own = drawn
    more = [trial("one-more", "xxx"), false_warning("one-more")]
    before, after = prices([*naive, *own]).false, prices([*naive, *own, *more]).false
    assert (after.repairs_lost, after.nothing_lost) == (before.repairs_lost, before.nothing_lost + 1)

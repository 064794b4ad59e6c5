import random
from dataclasses import replace

import pytest

from mendbench.scoring.gating.gate import gate
from mendbench.scoring.gating.resampled import Pair, shifts
from mendbench.scoring.gating.result import Rules
from mendbench.scoring.gating.verdict_texts import shift_words
from mendbench.scoring.statistics.exact import mcnemar_exact
from tests.fakes.gates import baseline, entry, present, response

RULES = Rules()


def pair(case, *, then, now, **changes):
    before = entry(case, right=then, **changes)
    return Pair(then=before, now=entry(case, right=now, responses=(response(text="a2"),), **changes))


def pairs_of(lost, won, same, **changes):
    kinds = [(True, False)] * lost + [(False, True)] * won + [(True, True)] * same
    return [pair(f"case-{at:03d}", then=then, now=now, **changes) for at, (then, now) in enumerate(kinds)]


def own_groups(pairs):
    return {one.now.trial.case: one.now.trial.case for one in pairs}


def judged(pairs, groups=None, *, margin=0.05, alpha=0.05):
    return shifts(pairs, groups or own_groups(pairs), margin=margin, alpha=alpha)


@pytest.mark.parametrize(
    ("lost", "won", "status"), [(5, 0, "worse"), (4, 0, "open"), (8, 1, "worse"), (6, 1, "open"), (1, 3, "holds")]
)
def test_only_what_is_worse_beyond_noise_is_worse(lost, won, status):
    (shift,) = judged(pairs_of(lost, won, 10))
    assert (shift.status, shift.lost, shift.won, shift.cases) == (status, lost, won, 10 + lost + won)


@pytest.mark.parametrize(("lost", "won"), [(5, 0), (8, 1), (3, 2), (12, 4)])
def test_with_one_trial_a_case_and_a_case_a_group_it_is_mcnemars_test(lost, won):
    (shift,) = judged(pairs_of(lost, won, 3))
    assert shift.p == pytest.approx(mcnemar_exact(lost, won) / 2)


def test_a_loss_within_the_margin_passes_and_beyond_it_says_how_many_more_cases_would_decide():
    (within,) = judged(pairs_of(1, 0, 19))
    assert (within.status, within.needed) == ("holds", None)
    (beyond,) = judged(pairs_of(2, 0, 18))
    assert beyond.status == "open"
    assert beyond.needed is not None
    assert beyond.needed > 0


def test_a_huge_number_of_cases_needed_is_not_reported_exactly():
    (beyond,) = judged(pairs_of(2, 0, 18))
    assert "; would need about 20 more cases" in shift_words(replace(beyond, needed=20))
    assert "; would need over 10000 more cases" in shift_words(replace(beyond, needed=4_701_000))


def test_cases_of_one_group_count_together():
    lost = pairs_of(6, 0, 6)
    together = {case: "one" if at < 6 else case for at, case in enumerate(own_groups(lost))}
    (shift,) = judged(lost, together)
    assert (shift.status, shift.p) == ("open", 0.5)


def test_policies_of_one_case_are_not_cases():
    once = pairs_of(4, 0, 6)
    often = [*once, *pairs_of(4, 0, 6, policy="naive")]
    assert [one.p for one in judged(often)] == [one.p for one in judged(once)]


def test_gains_where_an_edit_helps_do_not_hide_losses_where_none_does():
    found = judged([*pairs_of(0, 9, 3), *(replace_kind(one) for one in pairs_of(6, 0, 4))])
    assert [(shift.side, shift.status) for shift in found] == [("repairs", "holds"), ("restraint", "worse")]


def replace_kind(one):
    named = {"trial": replace(one.now.trial, case=f"control-{one.now.trial.case}"), "kind": "control"}
    return Pair(then=replace(one.then, **named), now=replace(one.now, **named))


def test_one_strategy_that_lost_is_found_among_those_that_did_not():
    pairs = pairs_of(12, 0, 8, strategy="mend")
    for name in ("summary", "cli-text", "agent-json"):
        pairs += pairs_of(0, 0, 20, strategy=name)
    found = judged(pairs)
    assert {shift.arm.strategy: shift.status for shift in found if shift.arm} == {
        "agent-json": "holds", "cli-text": "holds", "mend": "worse", "summary": "holds",
    }  # fmt: skip


def test_a_trial_lost_to_new_answers_fails_only_with_its_shift():
    for lost, verdict, level in ((6, "fail", "fail"), (3, "inconclusive", "open")):
        pairs = pairs_of(lost, 0, 4)
        result = gate(baseline(*(one.then for one in pairs)), present(*(one.now for one in pairs)), RULES)
        assert (result.verdict, {one.level for one in result.findings}) == (verdict, {level})
        assert {one.regime for one in result.findings} == {"resampled"}
    assert result.exit_code == 3
    assert "which may be noise; would need about" in result.headline


def gated(pairs):
    return gate(baseline(*(one.then for one in pairs)), present(*(one.now for one in pairs)), RULES)


def still_wrong(count, **now):
    """Return pairs that are wrong on both sides, another response."""
    made = (pair(f"wrong-{at:03d}", then=False, now=False) for at in range(count))
    return [Pair(then=one.then, now=replace(one.now, **now)) for one in made]


def test_a_new_answer_that_wastes_more_is_shown():
    result = gated(still_wrong(6, wasted=3))
    assert (result.verdict, {(one.change, one.level) for one in result.findings}) == ("pass", {("wasted", "show")})


@pytest.mark.parametrize(
    ("harmed", "verdict", "level"), [(6, "fail", "fail"), (3, "inconclusive", "open"), (1, "pass", "show")]
)
def test_new_harm_is_tested_though_no_verdict_is_lost(harmed, verdict, level):
    result = gated([*still_wrong(harmed, outcome="harmful"), *pairs_of(0, 0, 24)])
    assert (result.verdict, {(one.change, one.level) for one in result.findings}) == (verdict, {("worse", level)})
    assert [(one.side, one.lost) for one in result.shifts] == [("repairs", 0), ("harm", harmed)]


def test_new_harm_is_reported_by_how_much_more_of_it_there_is():
    failed = gated(still_wrong(6, outcome="harmful"))
    assert failed.headline == "FAILED: 6 trials wrong in a graver way; harm more beyond noise"
    assert shift_words(failed.shifts[1]) == (
        "harm (cases that repair did damage in), all together: +100.0 points over 6 cases in 6 groups answered again "
        "(6 more, 0 less): worse beyond noise (p = 0.0156)"
    )
    doubtful = gated([*still_wrong(3, outcome="harmful"), *pairs_of(0, 0, 7)])
    assert doubtful.headline.startswith("inconclusive: harm rose by 30.0 points, which may be noise; would need about")
    passed = gated([*still_wrong(1, outcome="harmful"), *pairs_of(0, 0, 24)])
    assert passed.headline == "passed: compared 25 trials with baseline.tsv, 1 of them worse within what is allowed"


def test_repairs_that_are_won_do_not_make_up_for_harm():
    found = judged([*pairs_of(0, 12, 0), *still_wrong(6, outcome="harmful")])
    assert {shift.side: shift.status for shift in found} == {"repairs": "holds", "harm": "worse"}


def test_all_that_a_weak_model_could_do_is_not_within_the_margin():
    (shift,) = judged([*pairs_of(10, 0, 0), *still_wrong(190)])
    assert (shift.status, shift.at_stake, shift.cases) == ("worse", 10, 200)
    assert -shift.change <= RULES.margin
    assert "(10 lost, 0 won, of 10 right before or now, 95 % " in shift_words(shift)


def test_the_margin_is_of_the_cases_that_are_right_before_or_now():
    for lost, right, status in ((3, 60, "holds"), (3, 50, "open"), (1, 0, "open"), (2, 2, "open")):
        (shift,) = judged([*pairs_of(lost, 0, right - lost), *still_wrong(140)])
        assert (shift.status, shift.p > RULES.alpha) == (status, True)


def test_what_chance_does_as_often_as_not_is_no_doubt():
    (shift,) = judged(pairs_of(4, 3, 8))
    assert (shift.status, shift.p) == ("holds", 0.5)


def test_what_holds_says_whether_it_is_within_the_margin():
    (within,) = judged(pairs_of(1, 0, 19))
    assert shift_words(within).endswith(": within the margin")
    (beyond,) = judged(pairs_of(6, 4, 10))
    assert (beyond.status, beyond.change) == ("holds", -0.1)
    assert shift_words(beyond).endswith(": beyond the margin, but within noise (p = 0.377)")


def test_one_arm_that_holds_says_whether_it_is_within_the_margin():
    found = judged([*pairs_of(3, 0, 7, strategy="mend"), *pairs_of(0, 3, 7, strategy="summary")])
    endings = {shift.arm.strategy: shift_words(shift).rpartition(": ")[2] for shift in found if shift.arm}
    assert endings == {"mend": "beyond the margin, but within noise (p = 0.125)", "summary": "within the margin"}


def test_what_cannot_move_takes_nothing_from_the_others():
    still = [replace_kind(one) for one in pairs_of(0, 0, 9)]
    assert [shift.adjusted for shift in judged([*pairs_of(5, 0, 9), *still])] == [1 / 32, 1.0]


def test_an_interval_is_of_what_can_be_and_none_where_no_group_differs():
    (all_alike,) = judged(pairs_of(4, 0, 0))
    assert (all_alike.change, all_alike.interval) == (-1.0, None)
    (two,) = judged(pairs_of(2, 1, 0))
    assert tuple(two.interval) == (-1.0, 1.0)
    assert "95 % -100 to +100" in shift_words(two)


def test_the_gate_fails_less_often_than_its_nominal_level_where_nothing_changed():
    source = random.Random(20261122)
    alarms, rounds = 0, 120
    for _ in range(rounds):
        pairs = []
        for at in range(40):
            fair = source.random() < 0.4
            for strategy in ("summary", "mend"):
                then, now = (source.random() < 0.5 if fair else True for _ in "ab")
                pairs += [
                    pair(f"case-{at:03d}", then=then, now=now, strategy=strategy, policy=policy)
                    for policy in ("naive", "loop")
                ]
        groups = {one.now.trial.case: one.now.trial.case[:-1] for one in pairs}
        alarms += any(shift.status == "worse" for shift in judged(pairs, groups))
    assert alarms / rounds < RULES.alpha


def test_order_and_duplicates_of_policies_change_nothing():
    pairs = [*pairs_of(6, 2, 9), *pairs_of(5, 2, 9, strategy="mend")]
    shuffled = list(pairs)
    random.Random(5).shuffle(shuffled)
    assert judged(shuffled) == judged(pairs)


def test_nothing_answered_again_is_no_shift():
    assert judged([], {"a": "a"}) == ()

import random
from dataclasses import replace

import pytest

from mendbench.scoring.gating.anew import Pair, shifts
from mendbench.scoring.gating.gate import gate
from mendbench.scoring.gating.result import Rules
from mendbench.scoring.statistics.exact import mcnemar_exact
from tests.fakes.gates import answer, baseline, entry, present

RULES = Rules()


def pair(case, *, then, now, **changes):
    before = entry(case, right=then, **changes)
    return Pair(then=before, now=entry(case, right=now, answers=(answer(text="a2"),), **changes))


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


def test_a_loss_within_the_margin_passes_and_beyond_it_says_how_many_more_cases_would_tell():
    (within,) = judged(pairs_of(1, 0, 19))
    assert (within.status, within.needed) == ("holds", None)
    (beyond,) = judged(pairs_of(2, 0, 18))
    assert beyond.status == "open"
    assert beyond.needed is not None
    assert beyond.needed > 0


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
        assert {one.regime for one in result.findings} == {"anew"}
    assert result.exit_code == 3
    assert "which may be noise; would need about" in result.headline


def test_a_new_answer_that_wastes_more_or_harms_is_shown():
    then = entry("a", right=False)
    now = entry("a", right=False, outcome="harmful", answers=(answer(text="a2"),))
    result = gate(baseline(then), present(now), RULES)
    assert (result.verdict, result.findings[0].change, result.findings[0].level) == ("pass", "worse", "show")


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


def test_nothing_answered_anew_is_no_shift():
    assert judged([], {"a": "a"}) == ()

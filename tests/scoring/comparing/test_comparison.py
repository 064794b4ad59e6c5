"""How two treatments differ in a score: by hand, against scipy and statsmodels, and under changes that must not matter."""

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mendbench.scoring.comparing import comparison
from mendbench.scoring.comparing.comparison import MIN_GROUPS, compare_scores, differ, unseen_share
from mendbench.scoring.comparing.paired_counts import Counts, counts_of
from mendbench.scoring.comparing.pairing import pair_trials
from mendbench.scoring.score import Count, Score
from mendbench.scoring.scores import score
from mendbench.scoring.statistics.resampling import clustered_bootstrap
from tests.fakes.compared import OURS, THEIRS, pair, trial, trials, wasting
from tests.fakes.lazy import Lazy

scipy_stats = Lazy("scipy.stats")
contingency_tables = Lazy("statsmodels.stats.contingency_tables")

RIGHT = score("repair_success")
BOTH = st.integers(1, 14).flatmap(lambda n: st.tuples(*[st.text("0011?!", min_size=n, max_size=n)] * 2))
TURNED = {"better": "worse", "worse": "better", "higher": "lower", "lower": "higher"}


@pytest.fixture(autouse=True, scope="module")
def _few_draws():
    """Draw little: what is looked at here is not how an interval is drawn."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(comparison, "clustered_bootstrap", partial(clustered_bootstrap, draws=200))
        comparison._bootstrapped.cache_clear()
        yield
    comparison._bootstrapped.cache_clear()


def right(a, b, **changes):
    return differ("repair_success", RIGHT, counts_of(RIGHT, pair(a, b, **changes)))


def of(name, a, b):
    one = score(name)
    return differ(name, one, counts_of(one, pair_trials(a, b).pairs[0]))


def wasted(a, b, groups=None, ours=OURS, theirs=THEIRS):
    return of("wasted", wasting(a, ours, groups=groups), wasting(b, theirs, groups=groups))


def test_by_hand():
    found = right("1100000000", "1011110000").difference
    assert (found.won, found.lost, found.tied, found.cases, found.groups) == (4, 1, 5, 10, 10)
    assert (found.a.numerator, found.b.numerator, found.a.denominator) == (2, 5, 10)
    assert (found.a.value, found.b.value, found.difference) == (0.2, 0.5, pytest.approx(0.3))
    assert (found.test, found.verdict, found.open, found.bounds) == ("McNemar, exact", "not significant", 0, None)
    assert found.interval.low < 0.3 < found.interval.high
    assert found.more_cases == 32  # Connor: (1.96 sqrt(0.5) + 0.84 sqrt(0.5 - 0.3^2))^2 / 0.3^2 = 41.2 pairs
    assert found.p is None


def test_six_of_six_are_significant_and_five_are_not():
    assert right("000000", "111111").difference.verdict == "better"
    assert right("111111", "000000").difference.verdict == "worse"
    assert right("00000", "11111").difference.verdict == "not significant"


def test_fewer_is_better_where_the_score_says_so():
    found = wasted([3] * 8, [1] * 8).difference
    assert (found.difference, found.verdict, found.won, found.lost) == (-2, "better", 8, 0)
    assert wasted([1] * 8, [3] * 8).difference.verdict == "worse"


def test_a_score_of_which_neither_is_better_is_higher_or_lower():
    counts = Counts(
        a={f"c{at}": Count(numerator=1) for at in range(8)}, b={f"c{at}": Count(numerator=2) for at in range(8)},
        groups={f"c{at}": f"g{at}" for at in range(8)},
    )  # fmt: skip
    plain = Score(title="t", of="cases", unit="count", better=None, count=lambda _: None)
    assert differ("t", plain, counts).difference.verdict == "higher"


def test_where_no_case_differs_there_is_no_interval_and_no_verdict_but_alike():
    found = right("1010101", "1010101").difference
    assert (found.verdict, found.interval, found.method) == ("alike", None, "none: no case differs")
    assert (found.more_cases, found.difference, found.tied) == (None, 0, 7)


def test_up_to_what_share_of_groups_could_differ_though_none_does_is_the_exact_binomial_limit():
    for groups in (1, 6, 25, 80):
        limit = scipy_stats.binomtest(0, groups, alternative="less").proportion_ci(0.95, method="exact").high
        assert unseen_share(groups) == pytest.approx(limit)


def test_where_every_group_differs_by_the_same_there_is_no_interval():
    found = wasted([3] * 8, [0] * 8).difference
    assert (found.difference, found.interval, found.method) == (-3, None, "none: no group differs from another")
    assert right("0" * 8, "1" * 8).difference.interval is None


def test_shares_never_differ_by_more_than_all():
    cases = [f"c{at}" for at in range(8)]
    counts = Counts(
        a={case: Count(numerator=0, denominator=1 if at else 9) for at, case in enumerate(cases)},
        b={case: Count(numerator=9 if at else 0, denominator=9 if at else 1) for at, case in enumerate(cases)},
        groups={case: case for case in cases},
    )  # fmt: skip
    plain = Score(title="t", of="nodes", unit="share", better="higher", count=lambda _: None)
    assert differ("t", plain, counts).difference.interval.high == 1
    assert differ("t", replace(plain, unit="count"), counts).difference.interval.high > 1


def test_few_groups_have_no_interval():
    few = MIN_GROUPS - 1
    assert right("0" * few, "1" + "0" * (few - 1)).difference.method == "none: fewer than 6 groups of cases"
    assert right("0" * MIN_GROUPS, "1" + "0" * few).difference.interval is not None


def test_a_score_that_no_case_counts_for_is_undefined():
    found = right("10", "01", kind="needs_user").difference
    assert (found.verdict, found.cases, found.a.value, found.difference, found.test) == (
        "undefined",
        0,
        None,
        None,
        None,
    )
    assert found.method == "none: the score is not defined on both sides"


# --- against scipy and statsmodels -------------------------------------------------------------------------------------------------------


@given(st.integers(1, 40).flatmap(lambda n: st.tuples(*[st.text("01", min_size=n, max_size=n)] * 2)))
def test_one_pair_a_case_is_judged_as_statsmodels_and_scipy_do(sides):
    a, b = sides
    found = right(a, b)
    table = np.zeros((2, 2))
    for before, after in zip(a, b, strict=True):
        table[int(before), int(after)] += 1
    won, lost = table[0, 1], table[1, 0]
    if won + lost:
        assert found.p == pytest.approx(contingency_tables.mcnemar(table, exact=True).pvalue)
        assert found.p == pytest.approx(scipy_stats.binomtest(int(won), int(won + lost)).pvalue)
    expected = "better" if won > lost else "worse"
    assert found.difference.verdict == (
        "alike" if not won + lost else expected if found.p < 0.05 else "not significant"
    )


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 5)), min_size=2, max_size=12))
def test_all_else_is_judged_as_scipys_permutation_test_of_the_groups_sums_does(drawn):
    a, b, groups = zip(*drawn, strict=True)
    found = wasted(a, b, groups=[f"g{one}" for one in groups])
    assume(len(set(groups)) > 1)
    sums = np.array(
        [sum(after - before for before, after, own in drawn if own == group) for group in sorted(set(groups))]
    )
    theirs = scipy_stats.permutation_test(
        (sums,), lambda own, axis: own.sum(axis=axis), permutation_type="samples", vectorized=True, n_resamples=np.inf
    )
    assert found.difference.test == "sign flips of groups"
    assert found.p == pytest.approx(theirs.pvalue)


# --- which test ---------------------------------------------------------------------------------------------------------------------------


def test_several_samples_of_a_case_are_one_case_and_not_for_mcnemar():
    sides = [
        [trial(f"c{case}", treatment, sample, verdict=verdict) for case in range(8) for sample in range(3)]
        for treatment, verdict in ((OURS, "incorrect"), (THEIRS, "correct"))
    ]
    found = of("repair_success", *sides)
    assert (found.difference.cases, found.difference.won, found.difference.test) == (8, 8, "sign flips of groups")
    assert found.p == pytest.approx(2 / 2**8)


@pytest.mark.parametrize("other", [{"policy": "naive", "detector": None}, {"repairer": "rules", "model": None}])
def test_other_policies_and_repairers_are_not_for_mcnemar(other):
    found = right("0" * 8, "1" * 8, theirs=replace(OURS, **other), groups=["g"] * 8)
    assert (found.difference.test, found.p) == ("sign flips of groups", 1.0)


def test_cases_of_one_group_count_once_in_the_sign_flip_test():
    alone = wasted([3] * 8, [0] * 8)
    together = wasted([3] * 8, [0] * 8, groups=["g", "h"] * 4)
    assert alone.p == pytest.approx(2 / 2**8)
    assert together.p == pytest.approx(2 / 2**2)
    assert together.difference.verdict == "not significant"
    assert together.difference.more_cases >= 16  # six groups of four cases are the fewest that could decide


def test_cases_of_one_group_that_differ_are_not_for_mcnemar():
    found = right("0" * 6, "1" * 6, groups=["g", "h"] * 3)
    assert (found.difference.verdict, found.difference.test) == ("not significant", "sign flips of groups")
    assert found.p == pytest.approx(2 / 2**2)
    assert found.difference.more_cases >= 12  # six groups of three cases are the fewest that could decide


def test_cases_of_one_group_that_are_tied_are_no_obstacle_to_mcnemar():
    found = right("0" * 10, "1" * 6 + "0" * 4, groups=["g0", "g1", "g2", "g3", "g4", "g5", "g0", "g1", "h", "h"])
    assert (found.difference.test, found.difference.verdict) == ("McNemar, exact", "better")
    assert found.p == pytest.approx(2 / 2**6)


# --- trials without a verdict ------------------------------------------------------------------------------------------------------------


def test_a_case_that_is_open_on_one_side_leaves_the_pair_open():
    found = right("1000?", "10000").difference
    assert (found.open, found.won, found.lost, found.tied, found.cases) == (1, 0, 0, 4, 5)
    assert found.bounds == (-0.2, 0)
    assert found.a.bounds == (0.2, 0.4)
    assert found.difference == 0


def test_a_case_that_is_open_on_both_sides_may_go_either_way():
    assert right("?00", "?00").difference.bounds == (pytest.approx(-1 / 3), pytest.approx(1 / 3))


@pytest.mark.parametrize("name", ["repair_success", "plausible"])
def test_the_very_same_trials_differ_in_nothing_whatever_becomes_of_them(name):
    own, one = trials("10??"), score(name)
    found = differ(name, one, counts_of(one, pair_trials(own, own, one_run=True).pairs[0])).difference
    assert (found.verdict, found.difference, found.bounds, found.open) == ("alike", 0, None, 0)
    assert found.a.bounds == found.b.bounds is not None
    apart = differ(name, one, counts_of(one, pair_trials(own, own).pairs[0])).difference
    assert (apart.verdict, apart.open) == ("not significant", 2)


def test_the_verdict_is_open_where_the_open_pairs_decide_it():
    found = right("000000?", "11111?0").difference
    assert (found.verdict, found.worst, found.best) == ("open", "not significant", "better")
    assert found.more_cases is None


def test_what_is_significant_is_asked_for_more_cases_at_a_stricter_level_alone():
    six = counts_of(RIGHT, pair("0" * 6, "1" * 6))
    assert differ("repair_success", RIGHT, six).difference.more_cases is None
    found = differ("repair_success", RIGHT, six, alpha=0.05 / 3).difference
    assert (found.verdict, found.more_cases) == ("better", 1)  # seven won: p = 2 / 2^7 = 0.0156


def test_a_verdict_that_no_open_pair_can_change_stands():
    found = right("0" * 12 + "?", "1" * 12 + "?").difference
    assert (found.verdict, found.worst, found.best) == ("better", "better", "better")


def test_the_worst_case_of_a_score_that_should_be_low_is_the_highest():
    a, b = trials("0" * 8), trials("0" * 7 + "?", THEIRS)
    found = of("plausible", a, b).difference
    assert (found.bounds, found.open) == ((0, 0.125), 1)
    assert of("plausible", trials("0" * 8), trials("?" * 8, THEIRS)).difference.worst == "worse"


def test_an_interval_reaches_from_the_worst_cases_low_to_the_best_cases_high():
    without = right("0000000011", "0011000011").difference.interval
    with_open = right("000000001?", "00110000?1").difference.interval
    assert with_open.low < without.low
    assert with_open.high > without.high


def test_cases_that_miss_a_verdict_where_only_judged_ones_count_are_reported():
    a, b = wasting([1, 1, 1, 1]), wasting([0, 0, 0, 0], THEIRS)
    gone = {"verdict": "unjudged", "wasted_attempts": None, "attempts": ()}
    a[0], b[0], b[1] = replace(a[0], **gone), replace(b[0], **gone), replace(b[1], **gone)
    found = of("wasted", a, b).difference
    assert (found.cases, found.left_out, found.difference) == (2, 2, -1)


# --- ratios --------------------------------------------------------------------------------------------------------------------------------


def nodes(states, case, treatment):
    return trial(case, treatment, nodes=tuple((f"n{at}", *pair.split(">")) for at, pair in enumerate(states.split())))


def test_a_ratio_differs_as_the_reports_ratios_do_and_not_as_the_means_of_cases():
    a = [nodes("error>warning error>error error>error error>error", "a", OURS), nodes("error>error", "b", OURS)]
    b = [nodes("error>error error>error error>error error>error", "a", THEIRS), nodes("error>warning", "b", THEIRS)]
    found = of("false_alarm_rate", a, b).difference
    assert (found.a.value, found.b.value) == (0.2, 0.2)
    assert found.difference == 0
    assert (found.won, found.lost) == (1, 1)


def test_what_a_case_adds_to_a_ratio_averages_to_the_difference_of_the_ratios():
    a = [nodes("error>warning error>error error>error", "a", OURS), nodes("error>error", "b", OURS)]
    b = [nodes("error>error error>error error>error", "a", THEIRS), nodes("error>error", "b", THEIRS)]
    assert of("false_alarm_rate", a, b).difference.difference == pytest.approx(-0.25)


HIT, ALARM, MISS, QUIET = "warning>warning", "error>warning", "warning>error", "error>error"


def warned(a, b):
    """Return how precise two detectors are, given what each made of the one node of every case."""
    return of(
        "warning_precision",
        *(
            [nodes(pair, f"c{at:03}", treatment) for at, pair in enumerate(side)]
            for side, treatment in ((a, OURS), (b, THEIRS))
        ),
    )


def test_a_case_with_nothing_to_divide_by_on_one_side_counts_and_distinguishes_the_two():
    few = warned([HIT] * 3 + [ALARM] * 3, [HIT] * 3 + [QUIET] * 3)
    found = few.difference
    assert (found.cases, found.left_out, found.a.value, found.b.value) == (6, 0, 0.5, 1)
    assert (found.difference, found.verdict, few.p) == (0.5, "not significant", pytest.approx(2 / 2**3))
    assert (found.won, found.lost, found.tied) == (0, 0, 3)
    more = warned([HIT] * 3 + [ALARM] * 8, [HIT] * 3 + [QUIET] * 8)
    assert (more.difference.verdict, more.p) == ("better", pytest.approx(2 / 2**8))


def test_cases_with_nothing_to_divide_by_on_either_side_are_no_evidence():
    sides = [HIT] * 3 + [ALARM] * 3, [HIT] * 3 + [QUIET] * 3
    assert warned(*(side + [QUIET] * 30 for side in sides)) == warned(*sides)


def test_one_case_with_much_to_divide_by_on_the_other_side_is_one_observation():
    found = warned([ALARM] + [MISS] * 19, [QUIET] + [HIT] * 18 + [ALARM])
    assert found.difference.difference == pytest.approx(18 / 19)
    assert (found.difference.verdict, round(found.p, 1)) == ("not significant", 0.3)


@given(st.lists(st.tuples(*[st.sampled_from((HIT, ALARM, MISS, QUIET))] * 2), min_size=1, max_size=10))
def test_a_ratio_is_turned_round_where_the_sides_are_swapped(drawn):
    a, b = zip(*drawn, strict=True)
    there, back = warned(a, b), warned(b, a)
    assert there.p == back.p
    assert TURNED.get(there.difference.verdict, there.difference.verdict) == back.difference.verdict
    if there.difference.difference is not None:
        assert there.difference.difference == pytest.approx(-back.difference.difference)
        assert there.difference.difference == pytest.approx(there.difference.b.value - there.difference.a.value)


# --- what must not matter ----------------------------------------------------------------------------------------------------------------


@given(BOTH)
def test_swapping_the_sides_turns_everything_round(sides):
    a, b = sides
    there, back = right(a, b).difference, right(b, a, ours=THEIRS, theirs=OURS).difference
    assert (there.won, there.lost, there.tied, there.open) == (back.lost, back.won, back.tied, back.open)
    assert TURNED.get(there.verdict, there.verdict) == back.verdict
    assert TURNED.get(there.worst, there.worst) == back.best
    assert there.more_cases == back.more_cases
    if there.bounds:
        assert there.bounds == pytest.approx((-back.bounds.high, -back.bounds.low))
    if there.difference is not None:
        assert there.difference == pytest.approx(-back.difference)
    if there.interval:
        assert there.interval == (-back.interval.high, -back.interval.low)


@given(BOTH, st.randoms(use_true_random=False))
def test_the_order_of_trials_does_not_matter(sides, source):
    a, b = trials(sides[0]), trials(sides[1], THEIRS)
    names = {"repair_success": RIGHT, "wasted": score("wasted")}
    before = compare_scores(pair_trials(a, b).pairs[0], names)
    source.shuffle(a)
    source.shuffle(b)
    assert compare_scores(pair_trials(a, b).pairs[0], names) == before


def test_a_group_that_is_there_twice_makes_nothing_surer():
    counts = ([3, 2, 1, 3, 0, 2, 1, 0], [0, 2, 1, 1, 0, 1, 0, 2])
    groups = [f"g{at}" for at in range(8)]
    once = wasted(*counts, groups=groups)
    twice = wasted(*([*side, *side] for side in counts), groups=groups * 2)
    assert twice.difference.difference == once.difference.difference
    assert twice.p == once.p
    assert twice.difference.interval == pytest.approx(once.difference.interval, abs=0.06)
    assert twice.difference.verdict == once.difference.verdict


def test_one_more_case_won_is_no_evidence_against():
    for more in range(7):
        before, after = (right("0" * 10, "1" * won + "0" * (10 - won)) for won in (more, more + 1))
        assert after.p <= before.p


@pytest.mark.slow
@given(st.integers(0, 5), st.integers(0, 5), st.integers(0, 8))
def test_with_so_many_more_cases_as_it_says_the_difference_is_significant(won, lost, tied):
    if not won + lost + tied:
        return
    found = right("0" * won + "1" * lost + "0" * tied, "1" * won + "0" * (lost + tied)).difference
    if found.verdict != "not significant":
        return
    if won == lost:
        assert found.more_cases is None
        return
    n = won + lost + tied
    times = math.ceil((n + found.more_cases) / n)
    grown = right(
        *(
            "".join(side)
            for side in (
                ("0" * won * times, "1" * lost * times, "0" * tied * times),
                ("1" * won * times, "0" * (lost + tied) * times),
            )
        )
    )
    assert grown.difference.verdict in {"better", "worse"}


def test_more_groups_are_asked_for_until_the_sign_flip_test_can_decide():
    found = wasted([1, 1, 1], [0, 0, 0]).difference
    assert (found.verdict, found.more_cases) == ("not significant", 3)
    assert wasted([1] * 6, [0] * 6).difference.verdict == "better"
    assert wasted([1, 0], [0, 1]).difference.more_cases is None

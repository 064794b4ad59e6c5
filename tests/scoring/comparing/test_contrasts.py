"""The primary contrasts: settled, paired, corrected for their number, and undefined while anything is missing."""

from dataclasses import replace

import numpy as np
import pytest

from mendbench.config.shipped import shipped_root
from mendbench.corpus.protocol import read_protocols
from mendbench.errors import UnknownName
from mendbench.scoring.comparing import comparison
from mendbench.scoring.comparing.contrasts import Changed, contrasts, may_be
from mendbench.scoring.statistics.resampling import clustered_bootstrap
from tests.fakes.compared import OURS, THEIRS, contrast, plan, trial, trials, wasting
from tests.fakes.lazy import Lazy
from tests.fakes.scored import attempt

scipy_stats = Lazy("scipy.stats")
contingency_tables = Lazy("statsmodels.stats.contingency_tables")
multitest = Lazy("statsmodels.stats.multitest")

NAIVE = {"policy": "naive", "detector": None}
FULL = replace(OURS, strategy="full-context")
N = 20


def of_test_part(verdicts, treatment, **changes):
    return trials(verdicts, treatment, part="test", **changes)


def training_trials(rights, treatment, tokens=100, **changes):
    """Return trials of the training part with so many context tokens in the first prompt."""
    return trials(rights, treatment, part="train", attempts=(attempt(context_tokens=tokens),), **changes)


def result(records, *planned, **words):
    """Return what became of the first of some contrasts."""
    return contrasts(records, plan(*(planned or (contrast(),))), **words)[0]


def won(count, treatments=(OURS, THEIRS)):
    """Return twenty cases of which B wins so many and loses none."""
    ours, theirs = treatments
    return [*of_test_part("0" * N, ours), *of_test_part("1" * count + "0" * (N - count), theirs)]


def test_one_contrast_alone_is_mcnemars_exact_test():
    found = result(won(8))
    assert (found.undefined, found.against, found.treatment) == (
        None,
        "summary under two-layer",
        "mend under two-layer",
    )
    assert (found.difference.won, found.difference.verdict, found.difference.test) == (8, "better", "McNemar, exact")
    assert found.difference.p == pytest.approx(contingency_tables.mcnemar([[0, 8], [0, 12]], exact=True).pvalue)
    assert found.pairs == ((OURS, THEIRS),)


def test_three_are_corrected_for_their_number_as_statsmodels_does():
    records = [*won(8), *of_test_part("1" * 7 + "0" * 13, FULL)]
    records += [
        one
        for treatment, counts in ((replace(OURS, **NAIVE), [3] * 9), (OURS, [1] * 6 + [3] * 3))
        for one in wasting(counts, treatment, part="test", kind="needs_user")
    ]
    records = [replace(one, case=f"u{one.case}") if one.kind == "needs_user" else one for one in records]
    planned = plan(
        contrast("a"), contrast("b", treatment="full-context"),
        contrast("c", measure="futile_attempts", treatment=None, against=None, policies=("two-layer", "naive"), strategies=["summary"]),
    )  # fmt: skip
    found = contrasts(records, planned)
    sums = np.array([-2] * 6 + [0] * 3)
    flips = scipy_stats.permutation_test(
        (sums,), lambda own, axis: own.sum(axis=axis), permutation_type="samples", vectorized=True, n_resamples=np.inf
    )
    raw = [
        *(contingency_tables.mcnemar([[0, count], [0, N - count]], exact=True).pvalue for count in (8, 7)),
        flips.pvalue,
    ]
    assert [one.undefined for one in found] == [None] * 3
    assert [one.difference.p for one in found] == pytest.approx(list(multitest.multipletests(raw, method="holm")[1]))
    assert [one.difference.verdict for one in found] == ["better"] * 3


def test_what_would_be_significant_alone_may_not_be_among_three():
    others = [contrast(f"undefined {at}", treatment=f"nobody {at}") for at in (1, 2)]
    assert result(won(6)).difference.verdict == "better"
    found = result(won(6), contrast(), *others)
    assert (found.difference.verdict, found.difference.p) == ("not significant", pytest.approx(3 * 2 / 2**6))
    assert found.difference.more_cases > 0
    assert result(won(8), contrast(), *others).difference.more_cases is None


def test_a_contrast_whose_cases_all_end_alike_has_a_result():
    found = result(won(0))
    assert (found.undefined, found.difference.verdict, found.difference.p) == (None, "alike", 1.0)


def test_contrasts_whose_cases_share_groups_are_corrected_too():
    records = [replace(one, group=f"g{int(one.case[1:]) // 2}") for one in won(8)]
    found = result(records)
    assert (found.difference.test, found.difference.p) == ("sign flips of groups", pytest.approx(2 / 2**4))
    few = [replace(one, group=one.case[-1] if one.case[-1] in "0123" else "4") for one in won(8)]
    assert result(few).undefined == "5 groups of cases are too few for any result"


@pytest.mark.parametrize(
    ("planned", "pairs", "is_one"),
    [
        (contrast(), [(OURS, THEIRS)], True),
        (contrast(), [(THEIRS, OURS)], False),
        (contrast(), [(OURS, FULL)], False),
        (contrast(), [(OURS, replace(THEIRS, model="other"))], False),
        (contrast(), [(replace(OURS, **NAIVE), THEIRS)], False),
        (contrast(against=["summary", "full-context"]), [(FULL, THEIRS)], True),
        (contrast(treatment=None, against=None, policies=("two-layer", "naive"), strategies=["summary"]), [(replace(OURS, **NAIVE), OURS)], True),
        (contrast(treatment=None, against=None, policies=("two-layer", "naive"), strategies=["summary", "mend"]), [(replace(OURS, **NAIVE), OURS)], False),
    ],
)  # fmt: skip
def test_what_two_sides_compare_may_be_a_contrast(planned, pairs, is_one):
    assert may_be(planned, "m", pairs) is is_one


def test_the_interval_is_drawn_as_often_as_it_should_be():
    comparison._bootstrapped.cache_clear()
    values = {f"c{at:03}": 1.0 if at < 8 else 0.0 for at in range(N)}
    assert result(won(8)).difference.interval == clustered_bootstrap(
        values, {f"c{at:03}": f"g{at:03}" for at in range(N)}
    )


# --- what is not there yet ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("records", "why"),
    [
        ([], "no trial of summary under two-layer on the test part"),
        (of_test_part("1" * N, OURS), "no trial of mend under two-layer on the test part"),
        ([*of_test_part("1", OURS), *trials("1", THEIRS, part="train")], "no trial of mend under two-layer on the test part"),
        ([*won(8), *of_test_part("0", replace(OURS, detector="coded"))], "the trials of summary under two-layer are of several engines, repairers or detectors"),
        ([*of_test_part("0" * N, OURS), *of_test_part("1" * 19 + "?", THEIRS)], "1 of its 20 cases have a trial without a verdict"),
        ([*of_test_part("0" * 5, OURS), *of_test_part("1" * 5, THEIRS)], "5 cases are too few for any result"),
        ([*of_test_part("0" * N, OURS, kind="control"), *of_test_part("1" * N, THEIRS, kind="control")], "there are no cases with an edit fault on both sides"),
    ],
)  # fmt: skip
def test_what_is_missing_is_said(records, why):
    found = result(records)
    assert found.undefined == why
    assert found.difference is None or found.difference.p is None


def test_another_models_answers_do_not_count():
    found = contrasts(won(8), plan(contrast(), model="another"))[0]
    assert found.undefined == "no trial of summary under two-layer on the test part"


def test_while_cases_of_the_part_are_not_in_the_run_there_is_no_result_however_clear_it_looks():
    expected = [f"c{at:03}" for at in range(N)]
    assert result(won(12), expected=expected).undefined is None
    found = result(won(12), expected=[*expected, "later"])
    assert found.undefined == "1 of the 21 cases of the test part are not in the run yet"
    assert (found.difference.won, found.difference.p) == (12, None)


def test_a_measure_that_there_is_not_is_an_unknown_name():
    planned = plan(contrast())
    planned = planned.model_copy(update={"contrasts": [planned.contrasts[0].model_copy(update={"measure": "luck"})]})
    with pytest.raises(UnknownName, match="unknown score 'luck'"):
        contrasts(won(8), planned)


# --- the best of several ----------------------------------------------------------------------------------------------------------------

BEST = contrast(against=["summary", "full-context"])


def test_the_best_is_the_one_with_most_cases_of_the_training_part_right():
    records = [*training_trials("110", OURS), *training_trials("100", FULL), *won(8), *of_test_part("1" * N, FULL)]
    found = result(records, BEST)
    assert found.settled == "summary is the best of summary, full-context on the training part: 2 of 3 cases right"
    assert (found.against, found.difference.won) == ("summary under two-layer", 8)


def test_of_equals_the_one_with_fewer_context_tokens_is_the_best():
    records = [
        *training_trials("10", OURS, tokens=200),
        *training_trials("01", FULL, tokens=150),
        *of_test_part("1" * N, FULL),
        *won(8),
    ]
    found = result(records, BEST)
    assert (found.against, found.difference.lost) == ("full-context under two-layer", 12)


def test_only_cases_that_all_of_them_have_settle_it():
    found = result([*training_trials("1", OURS), *training_trials("011", FULL), *won(8)], BEST)
    assert (found.settled, found.pairs) == (None, ())
    assert found.undefined == (
        "the best of summary, full-context is not settled: 2 of the 3 cases of the training part are not in the run yet, for all of them"
    )


def test_it_is_not_settled_while_cases_of_the_training_part_are_not_in_the_run():
    records = [*training_trials("1", OURS), *training_trials("0", FULL), *won(8)]
    assert result(records, BEST, training=["c000"]).undefined is None
    found = result(records, BEST, training=["c000", "later"])
    assert found.undefined.endswith("1 of the 2 cases of the training part are not in the run yet, for all of them")
    assert result(records, training=["c000", "later"]).undefined is None  # nothing has to be settled


def test_only_cases_with_an_edit_fault_are_counted_of_the_training_part():
    user = [trial("user", each, part="train", kind="needs_user") for each in (OURS, FULL)]
    records = [*training_trials("110", OURS), *training_trials("100", FULL), *user, *won(8)]
    assert result(records, BEST).settled.endswith("2 of 3 cases right")


@pytest.mark.parametrize(
    ("records", "why"),
    [
        ([], "no trial of summary, full-context on the training part"),
        (training_trials("1", OURS), "no trial of full-context on the training part"),
        (
            [*training_trials("1", OURS), trial("elsewhere", FULL, part="train")],
            "no trial that all of them have on the training part",
        ),
        (
            [*training_trials("10", OURS), *training_trials("1?", FULL)],
            "trials of the training part are without a verdict",
        ),
        (
            [*training_trials("11", OURS), *training_trials("0?", FULL)],
            "trials of the training part are without a verdict",
        ),
    ],
)
def test_it_is_not_settled_while_trials_that_matter_are_missing(records, why):
    found = result([*records, *won(8)], BEST)
    assert found.undefined == f"the best of summary, full-context is not settled: {why}"
    assert found.against == "the best of summary, full-context under two-layer"


# --- means over strategies ---------------------------------------------------------------------------------------------------------------


def futile(counts, treatment, strategy):
    return wasting(counts, replace(treatment, strategy=strategy), part="test", kind="needs_user")


def test_a_case_counts_by_the_mean_over_the_strategies_and_only_if_all_have_it():
    naive = replace(OURS, **NAIVE)
    records = [
        *futile([3] * 7, naive, "summary"), *futile([1] * 7, naive, "mend"),
        *futile([0] * 7, OURS, "summary"), *futile([1] * 6, OURS, "mend"),
    ]  # fmt: skip
    planned = contrast(
        measure="futile_attempts",
        treatment=None,
        against=None,
        policies=("two-layer", "naive"),
        strategies=["summary", "mend"],
    )
    found = result(records, planned)
    assert (found.difference.cases, found.difference.a.value, found.difference.b.value) == (6, 2.0, 0.5)
    assert (found.difference.difference, found.difference.won, found.difference.test) == (
        -1.5,
        6,
        "sign flips of groups",
    )
    assert found.treatment == "two-layer, over summary, mend"
    assert len(found.pairs) == 2


def test_a_trial_without_a_verdict_leaves_a_mean_open_though_only_judged_ones_count():
    naive = replace(OURS, **NAIVE)
    records = [*futile([3] * 8, naive, "summary"), *futile([0] * 8, OURS, "summary")]
    records[-1] = replace(records[-1], verdict="unjudged", wasted_attempts=None, attempts=())
    planned = contrast(
        measure="futile_attempts", treatment=None, against=None, policies=("two-layer", "naive"), strategies=["summary"]
    )
    assert result(records, planned).undefined == "1 of its 8 cases have a trial without a verdict"


def test_a_crashed_trial_that_does_not_count_leaves_the_contrast_without_a_result():
    naive = replace(OURS, **NAIVE)
    records = [*futile([3] * 9, naive, "summary"), *futile([0] * 9, OURS, "summary")]
    planned = contrast(
        measure="futile_attempts", treatment=None, against=None, policies=("two-layer", "naive"), strategies=["summary"]
    )
    assert result(records, planned).undefined is None
    records[-1] = replace(records[-1], verdict="crashed", wasted_attempts=None)
    found = result(records, planned)
    assert found.undefined == "1 of its 9 cases do not count, because a trial crashed"
    assert found.difference.p is None
    records[-2] = replace(records[-2], verdict="unjudged", wasted_attempts=None)
    assert result(records, planned).undefined == (
        "1 of its 9 cases have a trial without a verdict, and 1 of its 9 cases do not count, because a trial crashed"
    )


def test_a_crashed_trial_that_counts_as_not_right_leaves_the_result():
    found = result([*of_test_part("0" * N, OURS), *of_test_part("1" * 8 + "!" + "0" * 11, THEIRS)])
    assert (found.undefined, found.difference.won) == (None, 8)


# --- what was changed after the test part was recorded -----------------------------------------------------------------------------------

LATER = "changed after the test part was recorded"


@pytest.mark.parametrize(
    ("planned", "changed", "why"),
    [
        (contrast(), Changed(), None),
        (contrast(), Changed(strategies=("full-context",)), None),
        (contrast(), Changed(strategies=("mend",)), f"mend was {LATER}"),
        (contrast(), Changed(strategies=("summary", "mend")), f"mend, summary were {LATER}"),
        (contrast(), Changed(frame=True), f"the frame around every prompt was {LATER}"),
        (BEST, Changed(strategies=("full-context",)), f"full-context was {LATER}"),
        (contrast(treatment=None, against=None, policies=("two-layer", "two-layer"), strategies=["mend"]), Changed(strategies=("mend",)), f"mend was {LATER}"),
        (contrast(treatment=None, against=None, policies=("two-layer", "two-layer"), strategies=["mend"]), Changed(strategies=("summary",)), None),
        (contrast(treatment=None, against=None, policies=("two-layer", "two-layer")), Changed(strategies=("mend",)), f"mend was {LATER}"),
    ],
    ids=str,
)  # fmt: skip
def test_what_was_changed_after_the_test_part_was_recorded_has_no_result(planned, changed, why):
    found = result([*training_trials("110", OURS), *training_trials("100", FULL), *won(8)], planned, changed=changed)
    assert found.undefined == why
    assert (found.difference.p is None) == (why is not None)


def test_a_contrast_without_a_result_for_a_change_counts_in_the_correction_of_the_others():
    records = [*won(8), *of_test_part("1" * 8 + "0" * 12, FULL)]
    planned = plan(contrast("a"), contrast("b", treatment="full-context"))
    mended, full = contrasts(records, planned, changed=Changed(strategies=("mend",)))
    assert (mended.undefined, full.undefined) == (f"mend was {LATER}", None)
    assert full.difference.p == pytest.approx(2 * 2 / 2**8)


def test_the_shipped_plan_can_be_asked_of_a_run_without_a_trial():
    found = contrasts([], read_protocols(shipped_root() / "cases")["protocol"])
    assert len(found) == 3
    assert all(one.undefined for one in found)


def test_only_the_listed_cases_of_a_stratum_count():
    strata = {"private": [f"c{at:03}" for at in range(12)], "well-known": [f"c{at:03}" for at in range(12, N)]}
    planned = plan(contrast(stratum="private"), contrast("b", stratum="well-known")).model_copy(
        update={"cases": strata}
    )
    private, known = contrasts(won(12), planned)
    assert (private.stratum, private.difference.won, private.difference.cases) == ("private", 12, 12)
    assert (known.stratum, known.difference.won, known.difference.cases) == ("well-known", 0, 8)


def test_a_listed_case_without_a_trial_leaves_the_contrast_undefined():
    planned = plan(contrast(stratum="private")).model_copy(update={"cases": {"private": ["c000", "absent"]}})
    assert contrasts(won(12), planned)[0].undefined == "1 of the 2 cases of the private stratum are not in the run yet"


def test_a_plan_can_ask_whether_the_first_response_was_right():
    late = [replace(one, right_after_first=False) for one in of_test_part("1" * N, FULL)]
    found = result([*won(8), *late], contrast(measure="right_after_first", treatment="full-context"))
    assert (found.score, found.difference.b.value) == ("attempt1_success", 0)

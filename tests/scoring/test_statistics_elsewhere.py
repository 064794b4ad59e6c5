"""Our statistics against scipy's and statsmodels'."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mendbench.scoring.statistics.exact import holm, mcnemar_exact, student_t, wilson
from mendbench.scoring.statistics.resampling import clustered_bootstrap, clustered_ratio, sign_flip
from tests.fakes.lazy import Lazy
from tests.fakes.tables import for_each

scipy_stats = Lazy("scipy.stats")
sm = Lazy("statsmodels.api")
contingency_tables = Lazy("statsmodels.stats.contingency_tables")
multitest = Lazy("statsmodels.stats.multitest")
proportion = Lazy("statsmodels.stats.proportion")

PARTS = st.lists(
    st.tuples(st.integers(0, 9), st.integers(1, 9), st.integers(0, 4)), min_size=2, max_size=15
)  # numerator, denominator, group


@pytest.mark.parametrize("share", [0.6, 0.9, 0.975, 0.995])
@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 9, 10, 41, 100, 1001])
def test_students_quantiles_are_scipys(share, freedom):
    assert student_t(share, freedom) == pytest.approx(scipy_stats.t.ppf(share, freedom), rel=1e-9)


@for_each(("share", "freedom"), [(0.5, 3), (1, 3), (0.2, 3), (0.9, 0)])
def test_there_is_no_quantile_outside_the_upper_half(share, freedom):
    with pytest.raises(ValueError, match="with"):
        student_t(share, freedom)


@given(PARTS)
def test_the_interval_of_a_ratio_is_that_of_a_regression_with_errors_clustered(drawn):
    tops, unders, groups = (np.array(column) for column in zip(*drawn, strict=True))
    assume(len(set(groups)) > 1)
    assume(len({Fraction(int(tops[groups == one].sum()), int(unders[groups == one].sum())) for one in set(groups)}) > 1)
    whole = sm.WLS(tops / unders, np.ones(len(tops)), weights=unders)
    fitted = whole.fit(cov_type="cluster", cov_kwds={"groups": groups}, use_t=True)
    low, high = fitted.conf_int()[0]
    found = clustered_ratio(
        {f"c{at}": (float(top), float(under)) for at, (top, under, _) in enumerate(drawn)},
        {f"c{at}": f"g{group}" for at, (_, _, group) in enumerate(drawn)},
    )
    assert (found.low, found.high) == (pytest.approx(low, abs=1e-8), pytest.approx(high, abs=1e-8))


def test_over_single_cases_a_mean_has_the_textbook_t_interval():
    values = [1.0, 2.0, 4.0, 0.0, 3.0]
    found = clustered_ratio(
        {f"c{at}": (one, 1) for at, one in enumerate(values)}, {f"c{at}": f"g{at}" for at in range(5)}
    )
    low, high = scipy_stats.t.interval(0.95, 4, np.mean(values), scipy_stats.sem(values))
    assert found == (pytest.approx(low), pytest.approx(high))


@for_each("groups", [{"a": "g", "b": "g"}, {"a": "g", "b": "h"}])
def test_without_two_groups_or_anything_to_divide_by_there_is_no_interval(groups):
    parts = {"a": (1.0, 0.0), "b": (2.0, 0.0)} if len(set(groups.values())) > 1 else {"a": (1.0, 1.0), "b": (2.0, 1.0)}
    assert clustered_ratio(parts, groups) is None


def test_where_every_group_has_the_same_ratio_there_is_no_interval():
    parts = {"a": (1.0, 2.0), "b": (2.0, 4.0), "c": (3.0, 6.0)}
    assert clustered_ratio(parts, {case: case for case in parts}) is None
    assert clustered_ratio({**parts, "a": (1.0, 1.0)}, {case: case for case in parts}) is not None


@given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilsons_interval_is_statsmodels(drawn):
    right, n = drawn
    assert wilson(right, n) == pytest.approx(proportion.proportion_confint(right, n, method="wilson"), abs=1e-4)


@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemars_exact_test_is_statsmodels(won, lost):
    assume(won + lost > 0)
    assert mcnemar_exact(won, lost) == pytest.approx(
        contingency_tables.mcnemar([[5, won], [lost, 5]], exact=True).pvalue
    )


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holms_correction_is_statsmodels(p_values):
    ours = holm({str(at): value for at, value in enumerate(p_values)})
    assert list(ours.values()) == pytest.approx(list(multitest.multipletests(p_values, method="holm")[1]))


def test_the_sign_flip_test_is_scipys_exact_permutation_test():
    values = {"a": 0.5, "b": -0.25, "c": 1.0, "d": 0.25, "e": 0.75, "f": -1.0}
    theirs = scipy_stats.permutation_test(
        (np.array(list(values.values())),), lambda own, axis: own.sum(axis=axis), permutation_type="samples", vectorized=True,
        n_resamples=np.inf,
    )  # fmt: skip
    assert sign_flip(values, {case: case for case in values}) == pytest.approx(theirs.pvalue)


def test_the_bootstrap_over_single_cases_is_scipys_percentile_interval():
    values = [0.0, 1.0, 1.0, 0.5, 0.0, 1.0, 0.25, 0.75, 0.0, 1.0]
    ours = clustered_bootstrap(
        {f"c{at}": one for at, one in enumerate(values)}, {f"c{at}": f"g{at}" for at in range(10)}
    )
    theirs = scipy_stats.bootstrap(
        (values,), np.mean, method="percentile", n_resamples=9999, rng=np.random.default_rng(1)
    ).confidence_interval
    assert (ours.low, ours.high) == (pytest.approx(theirs.low, abs=0.03), pytest.approx(theirs.high, abs=0.03))

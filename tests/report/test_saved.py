from mendbench.report.saved import policy_sums, savings, unstopped
from mendbench.report.selection import select
from mendbench.report.views import views_of
from tests.fakes.runs import key_of, lettered_run, repairable, row_of, small_run, unjudged, unrepaired


def of(run):
    return policy_sums(select(run, views_of(run)))


def two(naive, other, **more):
    return of(lettered_run({("summary", "naive"): naive, ("summary", "two-layer"): other}, **more))


def test_repairs_that_a_policy_loses_and_gains_are_distinguished():
    (one,) = savings(two("rrru", "ruur"))
    assert (one.policy, one.repairs, one.lost, one.gained) == ("two-layer", 3, 2, 1)


def test_wasted_attempts_are_futile_and_fruitless_ones_over_the_same_trials():
    run = small_run()
    (one,) = savings(of(run))
    naive = unstopped(of(run))
    assert (naive.trials, naive.cases) == (one.trials, one.cases) == (6, 3)
    assert (naive.futile, one.futile) == (6, 0)
    assert one.wasted_less == (naive.futile + naive.fruitless - one.futile - one.fruitless) / 6


def test_controls_are_left_out():
    both = {("summary", name): "rr" for name in ("naive", "two-layer")}
    (one,) = savings(of(lettered_run({**both, ("none", "naive"): "uu", ("none", "two-layer"): "uu"})))
    assert one.trials == 2


def test_trials_without_a_verdict_under_one_policy_are_left_out_under_all():
    case = repairable("missing")
    extra = [
        row_of(case, unrepaired(), key_of(case, "summary", name), problem=unjudged() if name == "naive" else None)
        for name in ("naive", "two-layer")
    ]
    (one,) = savings(two("rr", "rr", extra=extra))
    assert (one.trials, one.cases) == (2, 2)


def test_without_naive_nothing_is_saved():
    found = of(lettered_run({"summary": "rr"}))
    assert (savings(found), unstopped(found)) == ((), None)

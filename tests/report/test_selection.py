from mendbench.report.selection import headline_totals, select
from mendbench.report.views import views_of
from tests.fakes.runs import key_of, repairable, repaired, row_of, small_run, stored_run, unrepaired


def selected(run):
    return select(run, views_of(run))


def of_part(name, part, happened=repaired):
    case = repairable(name)
    return row_of(case, happened(), key_of(case), part=part)


def test_the_headline_s_solver_and_policy_are_selected():
    found = selected(small_run())
    assert (found.solver.label, found.policy.label) == ("tiny-coder", "naive")
    assert [column.name for column in found.columns] == ["full-context", "summary", "none", "noop", "reference"]
    assert [column.name for column in found.ranked()] == ["full-context", "summary"]


def test_each_column_has_its_trials_and_no_other_policy_s():
    found = selected(small_run())
    by_name = {column.name: found.of(column) for column in found.columns}
    assert {name: len(own) for name, own in by_name.items()} == {
        "full-context": 3, "summary": 3, "none": 3, "noop": 2, "reference": 2,
    }  # fmt: skip
    assert {one.treatment.policy for one in by_name["summary"]} == {"naive"}


def test_only_the_test_part_is_covered():
    run = stored_run([of_part("a", "test"), of_part("b", "train")])
    assert [one.case for one in selected(run).records] == ["slack/a"]
    assert [total["part"] for total in headline_totals(run)[""]] == ["test"]


def test_without_a_test_part_everything_is_covered():
    run = stored_run([of_part("a", "train")])
    assert [total["part"] for total in headline_totals(run)[""]] == ["train"]


def test_controls_are_what_is_treated_where_there_is_nothing_else():
    case = repairable()
    run = stored_run([row_of(case, unrepaired(), key_of(case, "none"))])
    assert [column.name for column in selected(run).ranked()] == ["none"]


def test_a_run_without_trials_selects_nothing():
    assert selected(stored_run([])) is None

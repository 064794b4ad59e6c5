from mendbench.report.charts.break_even import break_even
from mendbench.report.tables import policy_tables
from mendbench.report.views import views_of
from tests.fakes.runs import lettered_run, small_run


def table_of(run):
    (table,) = policy_tables(run.records, views_of(run))
    return table


def test_a_dot_for_each_policy_but_naive():
    chart = break_even(table_of(lettered_run({"summary": "rru"}, policies=("naive", "two-layer", "loop"))), 0)
    assert [row[0] for row in chart.table.rows] == ["two-layer", "loop"]
    assert len(chart.marks) == 2
    assert chart.name == "break-even-0"


def test_without_naive_there_is_nothing_to_compare_with():
    assert break_even(table_of(lettered_run({"summary": "rru"}, policies=("two-layer", "loop"))), 0) is None


def test_the_price_is_the_attempts_saved_for_each_lost_repair():
    table = table_of(small_run())
    line = next(one for one in table.lines if one.label == "two-layer")
    naive = next(one for one in table.lines if one.label == "naive")
    assert (naive.saved, naive.net_lost, naive.price) == (None, None, "–")
    assert line.saved == naive.attempts - line.attempts
    assert line.net_lost == 1
    assert line.price == f"{line.saved / 1:.1f}"
    assert f"two-layer: {line.saved} attempts saved, 1 repair lost" in break_even(table, 0).says

from dataclasses import replace

from mendbench.report.selection import select
from mendbench.report.success_by_prompt import splits_of
from mendbench.report.views import views_of
from tests.fakes.runs import lettered_run


def splits(words, **leaks):
    """Return the splits of a run; ``leaks`` say by strategy where a prompt prints the value."""
    run = lettered_run(words)
    rows = tuple({**row, "leaks": leaks.get(row["strategy"], row["leaks"])} for row in run.rows)
    run = replace(run, rows=rows)
    return splits_of(select(run, views_of(run)))


def test_success_is_split_by_whether_the_prompt_prints_the_value():
    found = splits({"mend": "rru", "summary": "uuu"}, mend="raw", summary="nowhere")
    by_strategy = {name: printed for name, (printed, _) in found.lines}
    assert (by_strategy["mend"].holds.right, by_strategy["mend"].holds.cases) == (2, 3)
    assert (by_strategy["summary"].lacks.right, by_strategy["summary"].lacks.cases) == (0, 3)


def test_the_difference_within_cases_is_reported_in_points_with_its_cases():
    printed, _ = splits({"mend": "rru", "summary": "uuu"}, mend="raw", summary="nowhere").within
    assert printed.startswith("Value printed: +67 points")
    assert printed.endswith(", over 3 cases with trials of both sorts.")


def test_without_cases_in_both_strata_there_is_no_difference():
    printed, _ = splits({"mend": "rru"}, mend="raw").within
    assert printed == "Value printed: no case has trials of both sorts."

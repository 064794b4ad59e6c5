"""The lead chart: what it is of, and where its dots lie."""

from dataclasses import replace

from mendbench.report.charts.success import Reach, strata, success
from mendbench.report.views import views_of
from tests.fakes.runs import lettered_run


def found(words, **changes):
    """Return the strata of a run under naive; ``changes`` are of rows by the name of their case."""
    run = lettered_run({(name, "naive"): word for name, word in words.items()})
    rows = tuple({**row, **changes.get(row["case"].partition("/")[2], {})} for row in run.rows)
    run = replace(run, rows=rows)
    views = views_of(run)
    return strata(run.records, views.policies[0], views.solvers[0])


def test_private_and_well_known_cases_are_counted_apart():
    known = {"api": "well-known"}
    private, well_known = found({"mend": "rru", "summary": "ruu"}, case000=known, case002=known)
    assert {row.strategy: (row.within.low, row.cases) for row in private.rows} == {"mend": (1, 1), "summary": (0, 1)}
    assert {row.strategy: (row.within.low, row.cases) for row in well_known.rows} == {"mend": (1, 2), "summary": (1, 2)}


def test_a_run_with_one_stratum_has_one_picture():
    (only,) = found({"mend": "ru"})
    assert only.name == "private"
    assert success(only, 1).of == "n = 2 private cases with an edit fault, naive"


def test_a_first_response_that_was_right_counts_whatever_came_after_it():
    (only,) = found({"mend": "ru"}, case001={"right_after_first": True})
    (row,) = only.rows
    assert (row.first, row.within) == (Reach(low=2, high=2), Reach(low=1, high=1))


def test_unjudged_trials_are_a_line_from_what_is_right_to_what_can_still_be():
    (only,) = found({"mend": "r??u"})
    one = success(only, 1)
    first, within = (stroke for stroke in one.strokes if stroke.kind == "whisker")
    hollow, filled = one.marks
    assert (hollow.kind, filled.kind) == ("hollow", "filled")
    assert filled.x == within.x1 < within.x2 == first.x2
    assert "mend: 1 to 3 of 4 within three" in filled.says
    assert one.table.rows == (("mend", "4", "1 to 3", "1 to 3", "≈ 40"),)


def test_strategies_on_other_cases_stand_in_the_table_alone():
    (only,) = found({"mend": "rru", "none": "u"})
    one = success(only, 1)
    assert len(one.marks) == 2
    assert one.of.endswith("; none ran on other cases: in the table")
    assert {row[0] for row in one.table.rows} == {"mend", "none"}


def test_a_long_name_leaves_room_for_the_track():
    (only,) = found({"a-strategy-of-a-very-long-name-that-nobody-would-choose": "ru"})
    one = success(only, 1)
    track = next(stroke for stroke in one.strokes if stroke.y1 == stroke.y2)
    assert (track.x1, track.x2) == (50, 61)

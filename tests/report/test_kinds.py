from mendbench.report.kinds import kind_table, level_table
from mendbench.report.selection import headline_totals, select
from mendbench.report.views import views_of
from tests.fakes.runs import key_of, lettered_run, repairable, repaired, row_of, small_run, unjudged, unrepaired


def table(run):
    return kind_table(headline_totals(run)[""], select(run, views_of(run)))


def test_kinds_stand_side_by_side_and_are_never_added_up():
    found = table(small_run())
    assert [kind.name for kind in found.classes] == ["repairable", "needs_user"]
    lines = {line.name: [(cell.right, cell.cases) if cell else None for cell in line.cells] for line in found.lines}
    assert lines["full-context"] == [("2", 2), ("0", 1)]
    assert lines["noop"] == [("0", 2), None]


def test_each_kind_says_what_is_right_of_it():
    assert all(kind.meaning.endswith(".") for kind in table(small_run()).classes)


def test_a_rate_takes_twenty_cases():
    few, many = (table(lettered_run({"summary": "r" * count})).lines[0].cells[0] for count in (19, 20))
    assert (few.rate, many.rate) == (None, "100\u202f%")


def test_what_is_open_has_bounds():
    case = repairable("missing")
    extra = [row_of(case, unrepaired(), key_of(case), problem=unjudged())]
    (cell,) = table(lettered_run({"summary": "r"}, extra=extra)).lines[0].cells
    assert (cell.right, cell.cases, cell.bounds) == ("1", 2, "1 to 2")


def test_levels_stand_side_by_side_with_the_cases_of_each():
    extra = []
    for name, happened, level in (("easy", repaired(), 1), ("hard", unrepaired(), 4)):
        row, texts = row_of(case := repairable(name), happened, key_of(case))
        extra.append(({**row, "level": level}, texts))
    run = lettered_run({}, extra=extra)
    found = level_table(select(run, views_of(run)))
    assert [one.name for one in found.classes] == ["level 1", "level 4"]
    assert [(cell.right, cell.cases) for cell in found.lines[0].cells] == [("1", 1), ("0", 1)]

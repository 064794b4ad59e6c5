import pytest

from mendbench.report.gaps import gaps, noise
from mendbench.report.selection import select
from mendbench.report.views import views_of
from tests.fakes.runs import lettered_run


def of(strategies):
    run = lettered_run(strategies)
    return select(run, views_of(run))


def test_each_strategy_is_held_against_summary_case_by_case():
    (gap,) = gaps(of({"summary": "rru" * 4, "full-context": "rrr" * 4}))
    assert (gap.name, gap.against, gap.cases) == ("full-context", "summary", pytest.approx(4))
    assert (gap.difference.won, gap.difference.lost, gap.difference.tied) == (4, 0, 8)


def test_tokens_are_those_of_prompts_and_answers_over_the_cases_that_both_have():
    (gap,) = gaps(of({"summary": "rrr", "full-context": "uu-"}))
    assert gap.tokens == pytest.approx(2.0)  # two attempts where summary needs one; the third case is its own


def test_cases_that_only_one_side_has_are_left_out():
    (gap,) = gaps(of({"summary": "rr-", "full-context": "-rr"}))
    assert gap.difference.cases == 1


def test_without_summary_nothing_is_compared():
    assert gaps(of({"mend": "rr", "full-context": "ru"})) == ()


def test_controls_are_held_against_what_they_should_not_differ_from():
    found = noise(of({"summary": "ru", "summary-b": "rr", "none": "uu", "placebo": "uu", "mend": "rr"}))
    assert [(gap.name, gap.against) for gap in found] == [("summary-b", "summary"), ("placebo", "none")]

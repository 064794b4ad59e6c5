from mendbench.report.funnels import SAYS, funnel_lines, reached
from mendbench.report.selection import select
from mendbench.report.views import views_of
from mendbench.scoring.funnel import STAGES
from tests.fakes.runs import lettered_run


def lines(words):
    run = lettered_run(words)
    return funnel_lines(select(run, views_of(run)))


def test_each_strategy_has_its_funnel_under_the_headline_s_policy():
    found = {one.strategy: one.funnel for one in lines({("mend", "naive"): "rp?", ("mend", "two-layer"): "uuu"})}
    assert {stage: count for stage, count in found["mend"].final.items() if count} == {
        "right": 1, "green but wrong": 1, "open": 1,
    }  # fmt: skip


def test_stages_that_no_trial_stopped_at_are_left_out():
    assert reached(lines({"mend": "rp"})) == ("green but wrong", "right")


def test_every_stage_has_words():
    assert set(SAYS) == set(STAGES)

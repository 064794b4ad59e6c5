from dataclasses import replace

import pytest

from mendbench.report.selection import headline_totals
from mendbench.report.tables import NOTHING, number, panels, policy_tables
from mendbench.report.views import views_of
from tests.fakes.runs import (
    key_of,
    lettered_run,
    plausible,
    repairable,
    repaired,
    row_of,
    small_run,
    stored_run,
    unjudged,
    unrepaired,
    warned,
)


def headline(run):
    return panels(headline_totals(run), views_of(run))[0]


def line(panel, name):
    return next(one for one in panel.lines if one.name == name)


def many_cases(right, wrong):
    made = [(repairable(f"case{at:02}"), repaired if at < right else unrepaired) for at in range(right + wrong)]
    return stored_run([row_of(case, happened(), key_of(case)) for case, happened in made])


def test_the_headline_is_the_main_policy_of_the_first_model():
    panel = headline(small_run())

    assert (panel.policy.policy, panel.solver.model) == ("naive", "tiny-coder")


def test_strategies_come_first_and_controls_and_bounds_stand_apart():
    assert [(one.name, one.group) for one in headline(small_run()).lines] == [
        ("full-context", "strategy"), ("summary", "strategy"), ("none", "control"), ("noop", "bound"), ("reference", "bound"),
    ]  # fmt: skip


def test_only_cases_with_an_edit_fault_are_counted():
    row = line(headline(small_run()), "full-context")

    assert (row.right, row.cases) == ("2", 2)


def test_attempt_one_is_counted_where_only_the_limit_stops():
    row = line(headline(small_run()), "full-context")

    assert row.first == "2 / 2"


def test_attempt_one_of_unjudged_trials_has_two_ends():
    row = line(headline(lettered_run({"summary": "r?u?"}, policies=("naive", "two-layer"))), "summary")

    assert row.first == "1 to 3 / 4"


def test_plausible_trials_and_wasted_attempts_are_distinguished():
    row = line(headline(small_run()), "summary")

    assert (row.plausible, row.harmful, row.wasted, row.attempts) == (1, 0, 5, 6)


def test_waste_and_policies_are_compared_over_what_was_judged():
    missing = repairable("missing")
    made = [
        row_of(case, unrepaired(), key_of(case, policy=name), problem=why if name == "naive" else None)
        for case, why in ((repairable(), None), (missing, unjudged()))
        for name in ("naive", "two-layer")
    ]
    run = stored_run(made)

    by_policy = {panel.policy.label: panel.lines[0] for panel in panels(headline_totals(run), views_of(run))}
    row = by_policy["naive"]
    assert (row.judged, row.attempts, row.wasted, row.wasted_per_trial, row.first_prompts) == (1, 2, 2, "2.00", 2)
    assert "whatever becomes of the unjudged" in row.bar.says
    assert by_policy["two-layer"].bar.says == "0 of 2; 95 % interval 0.0 to 1.3 cases"
    (table,) = policy_tables(run.records, views_of(run))
    assert (table.trials, table.judged, [one.attempts for one in table.lines]) == (2, 1, [2, 2])


def test_a_policy_that_few_trials_have_does_not_narrow_the_comparison_of_the_others():
    made = [
        row_of(repairable(name), repaired(), key_of(repairable(name), policy=policy))
        for name, policies in (
            ("a", ("naive", "loop", "first-answer")),
            ("b", ("naive", "loop")),
            ("c", ("naive", "loop")),
        )
        for policy in policies
    ]
    run = stored_run(made)
    (table,) = policy_tables(run.records, views_of(run))
    assert (table.trials, [one.label for one in table.lines]) == (3, ["naive", "loop"])


def test_without_an_interval_it_is_said_why():
    case = repairable()
    made = [row_of(case, happened(), key_of(case, sample=at)) for at, happened in enumerate((repaired, unrepaired))]

    row = headline(stored_run(made)).lines[0]

    assert row.bar is None
    assert row.interval_says == "none: fewer than two groups of cases"


def test_samples_that_differ_are_shown_with_their_means():
    made = [
        row_of(case, happened(), key_of(case, sample=at))
        for case, all_of in (
            (repairable("a", group="one"), (repaired, plausible)),
            (repairable("b", group="two"), (plausible,) * 2),
        )
        for at, happened in enumerate(all_of)
    ]
    row = headline(stored_run(made)).lines[0]
    assert (row.right, row.cases, row.plausible, row.judged, row.attempts) == ("0.50", 2, 1.5, 2, 2)
    assert (row.bar.point, row.interval_says) == (25.0, "ratio over groups, t, 95 %")


def test_few_cases_give_counts_and_no_rate():
    row = headline(many_cases(8, 11)).lines[0]

    assert row.rate is None
    assert row.bar.says == "8 of 19; 95 % interval 4.4 to 12.1 cases"


def test_twenty_cases_give_a_rate():
    row = headline(many_cases(10, 10)).lines[0]

    assert row.rate == "50\u202f%"
    assert "30\u202f%" in row.bar.says


@pytest.mark.parametrize("open_one", ["naive", "two-layer"])
def test_a_trial_without_a_verdict_is_neither_lost_nor_gained(open_one):
    case = repairable()
    made = [
        row_of(case, repaired(), key_of(case, policy=name), problem=unjudged() if name == open_one else None)
        for name in ("naive", "two-layer")
    ]
    run = stored_run(made)
    (table,) = policy_tables(run.records, views_of(run))
    row = {one.label: one for one in table.lines}["two-layer"]
    assert (row.lost, row.gained) == ("0", "0")


def test_the_policies_are_compared_over_the_trials_that_all_of_them_have():
    only_naive = repairable("only")
    extra = [row_of(only_naive, repaired(), key_of(only_naive, policy="naive"))]
    run = small_run(extra=extra)

    (table,) = policy_tables(run.records, views_of(run))
    by_name = {one.label: one for one in table.lines}

    assert (table.trials, table.cases) == (6, 3)
    assert (by_name["naive"].right, by_name["two-layer"].right, by_name["two-layer"].of) == (2, 1, 4)
    assert (by_name["naive"].lost, by_name["two-layer"].lost) == (NOTHING, "1")
    assert (by_name["naive"].futile_per_user, by_name["two-layer"].futile_per_user) == ("3.00", "0.00")


def test_a_policy_s_tokens_are_those_of_all_prompts_and_of_all_answers():
    run = small_run()

    (table,) = policy_tables(run.records, views_of(run))

    assert {one.label: (one.attempts, one.prompt_tokens, one.completion_tokens) for one in table.lines} == {
        "naive": (11, "3\u202f300", "275"),
        "two-layer": (6, "1\u202f800", "150"),
    }


def without(happened, count):
    """Return what happened, its responses without one of their counts."""
    trajectory, text = happened
    silent = tuple(replace(one, reply=replace(one.reply, **{count: None})) for one in trajectory.attempts)
    return replace(trajectory, attempts=silent), text


@pytest.mark.parametrize(
    ("count", "expected"), [("prompt_tokens", (NOTHING, "50")), ("completion_tokens", ("600", NOTHING))]
)
def test_tokens_of_which_one_is_not_known_are_not_known_and_those_of_no_answer_are_none(count, expected):
    known, silent = repairable("known"), repairable("silent")
    made = [
        row_of(known, repaired(), key_of(known, policy="naive")),
        row_of(silent, without(repaired(), count), key_of(silent, policy="naive")),
        *(row_of(case, warned(), key_of(case)) for case in (known, silent)),
    ]
    run = stored_run(made)

    (table,) = policy_tables(run.records, views_of(run))

    assert {one.label: (one.prompt_tokens, one.completion_tokens) for one in table.lines} == {
        "naive": expected,
        "two-layer": ("0", "0"),
    }


def test_one_policy_alone_is_not_compared():
    run = many_cases(1, 1)

    assert policy_tables(run.records, views_of(run)) == ()


def test_a_count_is_whole_unless_samples_were_averaged():
    assert [number(3), number(3.0), number(2 / 3)] == ["3", "3", "0.67"]


def test_estimated_tokens_are_marked():
    run = lettered_run({"summary": "ru"}, policies=("naive", "two-layer"))
    rows = tuple({**row, "tokens_estimated": True} for row in run.rows)
    marked, counted = (policy_tables(one.records, views_of(one))[0].lines[0] for one in (replace(run, rows=rows), run))
    assert marked.prompt_tokens == f"≈ {counted.prompt_tokens}"
    assert marked.completion_tokens == f"≈ {counted.completion_tokens}"


def test_each_stratum_of_apis_has_a_panel_and_one_without_an_edit_fault_has_none():
    run = small_run()
    edits = sorted({row["case"] for row in run.rows if row["kind"] == "repairable"})

    def strata(known):
        rows = tuple({**row, "api": "well-known" if row["case"] in known else "private"} for row in run.rows)
        made = replace(run, rows=rows)
        return [panel.api for panel in panels(headline_totals(made), views_of(made)) if panel.policy.label == "naive"]

    assert strata(edits[:1]) == ["private", "well-known"]
    assert strata(edits) == ["well-known"]

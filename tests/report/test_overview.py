from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from mendbench.report.overview import build_overview
from mendbench.report.summary import summarise
from tests.fakes.runs import (
    key_of,
    lettered_run,
    repairable,
    row_of,
    small_run,
    stored_run,
    unrepaired,
)
from tests.report.test_primary import planned


def screen(run):
    return build_overview(run, summarise(run))


def answers(run):
    return {one.question: one for one in screen(run).answers}


def test_the_strategy_that_repairs_the_greatest_share_is_named_with_its_denominator():
    run = lettered_run({"summary": "r" * 5 + "u" * 15, "mend": "r" * 9 + "u" * 11, "none": "u" * 20})
    one = answers(run)["Which strategy?"]
    assert one.says == "mend"
    assert one.why[0].startswith("9 of 20 cases repaired (45\u202f%); 95 % interval 26 to ")
    assert one.why[1] == "Against summary: 4 won, 0 lost of 20, not significant (exploratory)"


def test_few_cases_have_an_interval_in_cases_and_no_rate():
    (one, *_) = answers(lettered_run({"summary": "ruuu", "mend": "rrru"})).values()
    assert one.why[0] == "3 of 4 cases repaired; 95 % interval 1.2 to 3.8 cases"


def test_strategies_that_repair_as_many_are_all_alike():
    assert answers(lettered_run({"summary": "ru", "mend": "ur"}))["Which strategy?"].says == "all alike"


def test_strategies_that_unjudged_trials_can_still_put_first_are_named_together():
    one = answers(lettered_run({"summary": "rr?", "mend": "rru", "none": "uuu"}))["Which strategy?"]
    assert (one.says, one.why) == ("all alike", ("summary: 2 to 3 of 3 cases repaired", "mend: 2 of 3 cases repaired"))


def test_the_best_strategy_is_compared_with_the_next_and_its_price_is_said():
    why = answers(lettered_run({"summary": "uuu", "full-context": "ruu", "mend": "rru"}))["Which strategy?"].why
    assert why[1] == "Against full-context: 1 won, 0 lost of 3, not significant (exploratory)"
    assert why[2].startswith("Against summary: 2 won, 0 lost of 3")
    assert (
        why[3]
        == "Price: context of ≈ 40 tokens; 433 prompt and response tokens a trial, 0.8 times those of full-context"
    )


def test_a_primary_contrast_of_the_best_strategy_stands_beside_it():
    why = answers(planned("r" * 10, "u" * 10))["Which strategy?"].why
    assert "Primary contrast against summary: 10 won, 0 lost, better" in why
    why = answers(planned("r" * 10, "u" * 10, cases=["slack/other"]))["Which strategy?"].why
    assert "Primary contrast against summary: no result" in why


def test_a_primary_contrast_of_another_model_does_not_stand_beside_the_best_strategy():
    run = planned("r" * 10, "u" * 10)
    stated = run.run["protocols"]["protocol"]
    stated["plan"] = {**stated["plan"], "model": "another"}
    assert not any("Primary contrast" in line for line in answers(run)["Which strategy?"].why)
    (theme,) = (one for one in screen(run).themes if one.title == "Primary contrasts of the protocol")
    assert theme.note == "Of another, not of tiny-coder, as fixed in the corpus's protocol."


def test_floor_and_ceiling_are_named_beside_the_best():
    assert "Bounds: noop 0, reference 2" in answers(small_run())["Which strategy?"].why


def test_the_policy_is_the_one_that_wastes_least_of_those_that_repair_most():
    words = {("summary", "naive"): "ruu", ("summary", "two-layer"): "ruu", ("summary", "seed"): "rpu"}
    one = answers(lettered_run(words))["Which policy?"]
    assert one.says == "seed"
    assert one.why[0].startswith("0 repairs lost and 0 won against naive, of 1; 0.67 wasted attempts a trial, not ")
    assert one.why[1].startswith("two-layer: 0 repairs lost and 0 won")


def test_where_every_other_policy_loses_repairs_it_is_naive():
    run = lettered_run({("summary", "naive"): "rru", ("summary", "two-layer"): "ruu"})
    one = answers(run)["Which policy?"]
    assert one.says == "naive"
    assert one.why[0] == "Every other policy repairs fewer than naive, or saves nothing"
    assert one.why[1].startswith("two-layer: 1 repair lost and 0 won against naive, of 2")


def test_one_policy_alone_is_compared_with_nothing():
    one = answers(lettered_run({"summary": "r"}))["Which policy?"]
    assert one.why == ("tiny-coder was run under two-layer alone.",)


def test_other_policies_of_another_model_are_no_policies_of_the_main_one():
    case = repairable("other")
    extra = [row_of(case, unrepaired(), replace(key_of(case, policy="seed"), model="other-model"))]
    why = answers(lettered_run({("summary", "naive"): "r"}, extra=extra))["Which policy?"].why
    assert why == ("tiny-coder was run under naive alone.",)


def test_what_still_fails_is_where_the_trials_of_the_leading_strategy_stopped():
    one = answers(lettered_run({"mend": "rrrp?", "summary": "uuuuu"}))["What still fails?"]
    assert (one.says, one.tone, one.strategy) == ("1 to 2 of 5 with mend", "open", "mend")
    assert [(stop.number, stop.says) for stop in one.stages] == [(1, "ran green, does the wrong thing")]
    assert (one.why, one.of) == ((), "Of all 10 trials under two-layer, of all strategies but controls")
    assert [it.number for it in one.counts] == [0, 1, 0, 1, 0]


def test_a_run_in_which_all_went_well_fails_nothing():
    one = answers(lettered_run({"summary": "rr"}))["What still fails?"]
    assert (one.says, one.stages) == ("0 of 2 with summary", ())


def test_each_model_with_trials_under_the_headline_s_policy_has_its_pictures_the_main_one_first():
    extra = [
        row_of(case, unrepaired(), replace(key_of(case, policy=policy), model=model))
        for case in (repairable("other"),)
        for model, policy in (("weak", "naive"), ("elsewhere", "seed"))
    ]
    run = lettered_run({("mend", "naive"): "ru"}, extra=extra, report={"main_model": "weak", "note": None})
    assert [one.solver.label for one in screen(run).models] == ["weak", "tiny-coder"]


def test_pictures_without_their_data_say_why():
    found = {one.name: one.why for one in screen(lettered_run({"mend": "r"})).missing}
    assert found["differences"] == "There is nothing to compare: summary was not run."
    assert found["waste"].startswith("This picture needs trials with a verdict under two policies, naive among them")
    assert found["tokens"].startswith("Fewer than two strategies")


NAMES = st.sampled_from(["summary", "mend", "summary-b", "none", "placebo", "full-context"])
POLICIES = st.sampled_from(["naive", "two-layer", "seed", "loop"])


@given(st.dictionaries(st.tuples(NAMES, POLICIES), st.text("rpu?x-", min_size=1, max_size=4), max_size=6))
def test_whatever_was_run_there_is_something_to_read(words):
    found = screen(lettered_run(words))
    every = [one.text for theme in found.themes for one in theme.statements]
    assert all(text.endswith(".") for text in every)
    assert len({*(one.name for one in found.pictures), *(one.name for one in found.missing)}) in {0, 4}
    assert all(one.why for one in found.missing)


def test_a_run_without_trials_says_nothing():
    found = screen(stored_run([]))
    assert (found.models, found.answers, found.themes, found.kinds, found.pictures) == ((), (), (), (), ())


def two_strata(words):
    """Return a run whose last two cases of each strategy are on a well-known API."""
    run = lettered_run(words)
    last = sorted({row["case"] for row in run.rows})[-2:]
    return replace(
        run, rows=tuple({**row, "api": "well-known" if row["case"] in last else "private"} for row in run.rows)
    )


def test_private_and_well_known_apis_have_answers_of_their_own():
    found = answers(two_strata({"mend": "rrruu", "summary": "uuurr", "none": "uuuuu"}))
    assert list(found) == [
        "Which strategy on private APIs?", "Which strategy on well-known APIs?",
        "What still fails on private APIs?", "What still fails on well-known APIs?", "Which policy?",
    ]  # fmt: skip
    assert [one.says for one in found.values()][:4] == ["mend", "summary", "0 of 3 with mend", "0 of 2 with summary"]
    assert found["Which strategy on private APIs?"].why[0].startswith("3 of 3 cases repaired")


def test_the_best_strategy_is_compared_with_no_context():
    why = answers(two_strata({"mend": "rrruu", "summary": "uuurr", "none": "uuuuu"}))[
        "Which strategy on private APIs?"
    ].why
    assert "Against none: 3 won, 0 lost of 3, not significant (exploratory)" in why


def test_of_strategies_that_repair_as_many_the_cheapest_is_named():
    why = answers(lettered_run({"mend": "rr", "summary": "rr", "full-context": "ru"}))["Which strategy?"].why
    assert any(line.startswith("Cheapest of these: ") for line in why)


def test_funnels_kinds_and_differences_are_reported_for_each_stratum():
    found = screen(two_strata({"mend": "rrruu", "summary": "uuurr", "none": "uuuuu"}))
    assert [(one.panel.api, one.funnels[0].funnel.trials) for one in found.strata] == [
        ("private", 3),
        ("well-known", 2),
    ]
    assert [one.of.count("private APIs") for one in found.kinds] == [1, 0]
    assert {one.name for one in (*found.pictures, *found.missing)} >= {"differences-private", "differences-well-known"}
    assert [one.title for one in found.themes][:2] == ["Strategies on private APIs", "Strategies on well-known APIs"]


def controlled(control="alone"):
    """Return a run whose control model answered the first prompts of two strategies, and stopped there."""
    words = {"summary": "uur", "mend": "rru"}
    of_control = lettered_run(words, policies=("first-answer",)).rows
    extra = [({**row, "model": "alone", "key": row["key"].replace("tiny-coder", "alone")}, {}) for row in of_control]
    models = {"alone": {"sampling": None, "asked": "each prompt alone", "provenance": []}}
    run = lettered_run(
        {"summary": "rrr"}, report={"main_model": "tiny-coder", "control_model": control, "note": None}, models=models
    )
    return stored_run([*((row, {}) for row in run.rows), *extra], report=run.run["report"], models=models)


def test_the_control_model_has_its_own_answers_and_charts_counted_by_the_first_response():
    found = screen(controlled()).control
    assert (found.solver.label, found.asked, found.of) == ("alone", "each prompt alone", "Under first-answer, 3 cases")
    (best, failing) = found.answers
    assert (best.question, best.says) == ("Which strategy?", "mend")
    assert "Against summary: 2 won, 1 lost of 3, not significant (exploratory)" in best.why
    assert failing.stopped_at == "first_stage"
    (chart,) = found.pictures
    assert {mark.kind for mark in chart.marks} == {"hollow"}
    assert "first" in {label.text for label in chart.labels}


def test_without_trials_of_a_control_model_there_is_no_such_part():
    assert screen(controlled(control=None)).control is None
    assert screen(controlled(control="elsewhere")).control is None

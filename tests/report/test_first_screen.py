from hypothesis import given
from hypothesis import strategies as st

from mendbench.report.first_screen import first_screen
from mendbench.report.summary import summarise
from tests.fakes.runs import (
    crashed,
    key_of,
    lettered_run,
    repairable,
    row_of,
    small_run,
    stored_run,
    unjudged,
    unrepaired,
)
from tests.report.test_primary import planned


def screen(run):
    return first_screen(run, summarise(run))


def answers(run):
    return {one.asks: one for one in screen(run).answers}


def test_the_strategy_that_repairs_the_greatest_share_is_named_with_its_denominator():
    run = lettered_run({"summary": "r" * 5 + "u" * 15, "mend": "r" * 9 + "u" * 11, "none": "u" * 20})
    one = answers(run)["Which strategy?"]
    assert one.says == "mend"
    assert one.why[0].startswith("9 of 20 cases repaired (45\u202f%); 95 % interval 26 to ")
    assert one.why[1] == "Against summary: 4 won, 0 lost of 20, not told apart (exploratory)"


def test_few_cases_have_an_interval_in_cases_and_no_rate():
    (one, *_) = answers(lettered_run({"summary": "ruuu", "mend": "rrru"})).values()
    assert one.why[0] == "3 of 4 cases repaired; 95 % interval 1.2 to 3.8 cases"


def test_strategies_that_repair_as_many_are_all_alike():
    assert answers(lettered_run({"summary": "ru", "mend": "ur"}))["Which strategy?"].says == "all alike"


def test_a_strategy_with_open_trials_is_not_ranked_and_said_to_be_open():
    one = answers(lettered_run({"summary": "rr?", "mend": "ruu", "none": "uuu"}))["Which strategy?"]
    assert one.says == "mend"
    assert "1 strategy is not fully judged yet: not ranked" in one.why


def test_a_primary_contrast_of_the_best_strategy_stands_beside_it():
    why = answers(planned("r" * 10, "u" * 10))["Which strategy?"].why
    assert "Primary contrast against summary: 10 won, 0 lost, better" in why
    why = answers(planned("r" * 10, "u" * 10, cases=["slack/other"]))["Which strategy?"].why
    assert "Primary contrast against summary: no result" in why


def test_floor_and_ceiling_are_named_beside_the_best():
    assert "Floor and ceiling: noop 0, reference 2" in answers(small_run())["Which strategy?"].why


def test_the_policy_is_the_one_that_wastes_least_of_those_that_repair_most():
    run = lettered_run({("summary", "naive"): "rru", ("summary", "two-layer"): "rru", ("summary", "seed"): "uuu"})
    one = answers(run)["Which policy?"]
    assert one.says == "two-layer"
    assert one.why[1] == "2 repairs, naive 2: 0 lost, 0 gained"
    assert one.why[2] == "No other that repairs as many wastes less"


def test_the_headline_s_policy_is_named_first_and_then_the_one_with_least_waste():
    words = {("summary", "naive"): "ruu", ("summary", "two-layer"): "ruu", ("summary", "seed"): "rpu"}
    one = answers(lettered_run(words))["Which policy?"]
    assert one.says == "two-layer"
    assert one.why[2].startswith("Least waste of those that repair most: seed, 0.67 fewer a trial")


def test_it_is_said_where_every_policy_loses_repairs():
    run = lettered_run({("summary", "naive"): "rru", ("summary", "two-layer"): "ruu"})
    one = answers(run)["Which policy?"]
    assert one.says == "two-layer"
    assert one.why[2] == "Every policy but naive loses some of its 2 repairs"


def test_one_policy_alone_is_held_against_nothing():
    assert answers(lettered_run({"summary": "r"}))["Which policy?"].why == (
        "No other policy was run beside it to hold it against.",
    )


def test_what_has_no_verdict_is_as_loud_as_a_failure():
    case = repairable("missing")
    made = [
        row_of(case, unrepaired(), key_of(case, name), problem=why)
        for name, why in (("summary", unjudged()), ("mend", crashed()))
    ]
    one = answers(lettered_run({"summary": "p"}, extra=made))["What broke?"]
    assert (one.says, one.tone) == ("2 trials without a verdict", "open")
    assert [(it.number, it.says) for it in one.counts[:2]] == [(1, "unjudged"), (1, "crashed")]
    assert one.why == ("Of 3 trials under two-layer, controls aside",)


def test_what_has_no_verdict_under_another_policy_is_told_apart_from_the_headline_s():
    case = repairable("missing")
    made = [row_of(case, unrepaired(), key_of(case, "summary", "naive"), problem=unjudged())]
    one = answers(lettered_run({"summary": "p"}, extra=made))["What broke?"]
    assert one.says == "1 trial without a verdict"
    assert one.why == ("Of 1 trial under two-layer, controls aside", "In the whole run 1 of 2 trials have no verdict")
    assert [it.number for it in one.counts] == [0, 0, 0, 1, 0]


def test_what_is_wrong_unnoticed_is_counted_under_the_headline_s_policy():
    one = answers(lettered_run({"summary": "ppr"}))["What broke?"]
    assert one.says == "2 plausible but wrong"
    assert [it.number for it in one.counts] == [0, 0, 0, 2, 0]
    assert one.why == ("Of 3 trials under two-layer, controls aside",)


def test_a_run_in_which_all_went_well_broke_nothing():
    assert answers(lettered_run({"summary": "rr"}))["What broke?"].says == "nothing"


def test_pictures_without_their_data_say_why():
    found = {one.name: one.why for one in screen(lettered_run({"mend": "r"})).missing}
    assert found["differences"] == "There is nothing to compare: summary was not run."
    assert found["attempts"] == "Nothing was run under naive, where only the limit stops."
    assert found["waste"].startswith("Two policies are needed, naive among them")
    assert found["tokens"].startswith("Fewer than two strategies")


NAMES = st.sampled_from(["summary", "mend", "summary-b", "none", "placebo", "full-context"])
POLICIES = st.sampled_from(["naive", "two-layer", "seed", "loop"])


@given(st.dictionaries(st.tuples(NAMES, POLICIES), st.text("rpu?x-", min_size=1, max_size=4), max_size=6))
def test_whatever_was_run_there_is_something_to_read(words):
    found = screen(lettered_run(words))
    every = [one.text for theme in found.themes for one in theme.statements]
    assert all(text.endswith(".") for text in every)
    assert len({*(one.name for one in found.pictures), *(one.name for one in found.missing)}) in {0, 6}
    assert all(one.why for one in found.missing)


def test_a_run_without_trials_says_nothing():
    found = screen(stored_run([]))
    assert (found.answers, found.themes, found.kinds, found.pictures, found.missing) == ((), (), None, (), ())

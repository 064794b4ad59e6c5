"""What a report says first."""

from mendbench.report.summary import summarise
from tests.fakes.runs import key_of, lettered_run, repairable, repaired, row_of, stored_run, unrepaired


def one(name, strategy, happened):
    case = repairable(name)
    return row_of(case, happened(), key_of(case, strategy, "two-layer"))


def lead(*rows):
    return summarise(stored_run(rows)).lead


def test_strategies_that_were_run_on_other_cases_are_told_over_their_own():
    rows = [one("a", "full-context", repaired), *(one(name, "summary", unrepaired) for name in "abc")]
    assert lead(*rows).endswith("repaired 1 of 1 cases at best (full-context) and 0 of 3 at worst.")


def test_the_best_is_the_one_with_the_greatest_share():
    some = [one(name, "summary", repaired if name in "ab" else unrepaired) for name in "abcde"]
    assert "1 of 1 cases at best (full-context) and 2 of 5 at worst" in lead(one("a", "full-context", repaired), *some)


def test_no_context_is_told_over_its_own_cases_too():
    rows = [one("a", "summary", repaired), *(one(name, "none", unrepaired) for name in "ab")]
    assert lead(*rows).endswith("told by summary; 0 of 2 without any error context.")


def open_lead(**words):
    return summarise(lettered_run({name.replace("_", "-"): word for name, word in words.items()})).lead


def test_a_strategy_that_is_not_judged_is_neither_best_nor_worst():
    assert open_lead(mend="rru", summary="ruu", full_context="???") == (
        "Under two-layer, tiny-coder repaired 2 of 3 cases at best (mend) and 1 at worst; 1 strategy is not fully judged yet."
    )


def test_the_one_strategy_that_is_judged_is_told_by_itself():
    assert open_lead(mend="ru", summary="r?", full_context="??").endswith(
        "repaired 1 of 2 cases told by mend; 2 strategies are not fully judged yet."
    )


def test_no_context_that_is_not_judged_is_told_between_its_bounds():
    assert open_lead(mend="rru", none="u??").endswith("told by mend; 0 to 2 without any error context.")


def test_where_no_strategy_is_judged_none_is_ranked():
    assert open_lead(mend="rr?", summary="?uu", none="uuu") == (
        "Under two-layer, which strategy helps tiny-coder most is not known: 2 strategies are not fully judged yet."
    )


def test_a_strategy_alone_is_told_between_its_bounds():
    assert open_lead(mend="r?u") == (
        "Under two-layer, tiny-coder repaired 1 to 2 of 3 cases told by mend, whatever becomes of the unjudged trials."
    )


def test_a_trial_that_crashed_leaves_its_strategy_judged():
    assert open_lead(mend="rx", summary="uu").endswith("1 of 2 cases at best (mend) and 0 at worst.")


def test_where_the_recorded_answers_come_from_is_said_in_cases():
    told = summarise(stored_run([one("a", "summary", repaired), one("b", "summary", unrepaired)])).provenance
    assert told == (
        "2 trials of 2 cases, replayed from recordings by mendbench 0.0.1. The world's answers come from simulated services in 2 cases."
    )


def test_of_which_part_the_figures_are_told_is_said_where_a_part_is_not():
    rows = [
        row_of(repairable(name), repaired(), key_of(repairable(name)), part=part)
        for name, part in (("a", "test"), ("b", "train"))
    ]
    assert "2 trials of 2 cases, told of the 1 case of the test part, " in summarise(stored_run(rows)).provenance


def test_each_service_has_a_line_that_says_what_answered():
    rows = [one("a", "summary", repaired), one("b", "summary", unrepaired)]
    rows[0][0]["recorded_from"] = {"slack": "real", "queue": "mock"}
    (world,) = (fact for fact in summarise(stored_run(rows)).facts if fact.name == "World")
    assert world.items == (
        "queue (a mock server): 1 case",
        "slack (a real server): 1 case",
        "slack (a simulated service): 1 case",
        "A case may have several of them; every answer recorded.",
    )


def test_prices_among_the_digests_are_told_in_words():
    run = stored_run([one("a", "summary", repaired)], digests={"prices": {"tiny": {"source": "unknown"}}})
    assert summarise(run).digests[0].value == "tiny: source unknown"

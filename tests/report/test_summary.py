"""What a report says first."""

from dataclasses import replace

from mendbench.report.summary import headline, summarise
from mendbench.strategies.frame import frame_digest
from tests.fakes.runs import (
    MODEL,
    key_of,
    lettered_run,
    repairable,
    repaired,
    row_of,
    stored_run,
    unjudged,
    unrepaired,
)


def one(name, strategy, happened):
    case = repairable(name)
    return row_of(case, happened(), key_of(case, strategy, "two-layer"))


def lead(*rows):
    return summarise(stored_run(rows)).lead


def test_strategies_that_were_run_on_other_cases_are_reported_over_their_own():
    rows = [one("a", "full-context", repaired), *(one(name, "summary", unrepaired) for name in "abc")]
    assert lead(*rows).endswith("repaired 1 of 1 case with full-context, the most; then summary 0 of 3.")


def test_the_best_is_the_one_with_the_greatest_share():
    some = [one(name, "summary", repaired if name in "ab" else unrepaired) for name in "abcde"]
    assert "1 of 1 case with full-context, the most; then summary 2 of 5." in lead(
        one("a", "full-context", repaired), *some
    )


def test_a_variation_that_repairs_more_of_the_same_cases_heads_the_report():
    rows = [one(name, "summary", repaired if name == "a" else unrepaired) for name in "ab"]
    more = [one(name, "summary+data", repaired) for name in "ab"]
    assert lead(*rows, *more).endswith("repaired 2 of 2 cases with summary+data, the most; then summary 1.")
    assert "summary+data" not in lead(*rows, more[0])


def test_no_context_is_reported_over_its_own_cases_too():
    rows = [one("a", "summary", repaired), *(one(name, "none", unrepaired) for name in "ab")]
    assert lead(*rows).endswith("with summary; without any error context 0 of 2.")


def open_lead(**words):
    return summarise(lettered_run({name.replace("_", "-"): word for name, word in words.items()})).lead


def test_a_strategy_that_leads_whatever_becomes_of_unjudged_trials_repaired_the_most():
    assert open_lead(mend="rrrr?", summary="r??uu", none="u?uuu") == (
        "Under two-layer, tiny-coder repaired 4 to 5 of 5 cases with mend, the most; then summary 1 to 3; "
        "without any error context 0 to 1."
    )


def test_strategies_that_unjudged_trials_can_still_put_first_are_named_together():
    assert open_lead(mend="rru", summary="r??", full_context="uuu") == (
        "Under two-layer, tiny-coder repaired most with mend (2 of 3 cases) or summary (1 to 3 of 3 cases); "
        "unjudged trials leave open with which; then full-context 0."
    )


def test_a_strategy_that_can_only_draw_level_does_not_unseat_the_first():
    assert "with mend, the most; then summary 1 to 2" in open_lead(mend="rru", summary="r?u")


def test_strategies_that_repaired_as_many_are_named_together():
    assert open_lead(mend="ru", summary="ur", full_context="uu").endswith(
        "repaired most with summary and mend (1 of 2 cases each); then full-context 0."
    )
    assert open_lead(mend="ru", summary="ur").endswith("repaired 1 of 2 cases with every strategy.")


def test_a_strategy_alone_is_reported_between_its_bounds():
    assert open_lead(mend="r?u") == "Under two-layer, tiny-coder repaired 1 to 2 of 3 cases with mend."


def test_a_trial_that_crashed_is_no_repair():
    assert open_lead(mend="rx", summary="uu").endswith("1 of 2 cases with mend, the most; then summary 0.")


def test_what_limits_the_main_model_s_results_is_said():
    about = {"sampling": "unknown", "asked": "in batches", "provenance": []}
    run = lettered_run(
        {"mend": "r"}, models={MODEL: about}, report={"main_model": MODEL, "note": "They designed mend."}
    )
    rows = tuple({**row, "sampling": "unknown", "tokens_estimated": True} for row in run.rows)
    assert summarise(replace(run, rows=rows)).caveats == (
        "tiny-coder: sampling parameters unknown, so there is no pass@k, latency or cost.",
        "Asked in batches.",
        "Token counts are estimates (≈).",
        "Everything about this model is exploratory: no contrast was specified for it beforehand.",
        "They designed mend.",
    )


def test_the_note_is_of_the_main_model_alone():
    run = lettered_run({"mend": "r"}, report={"main_model": "another", "note": "They designed mend."})
    assert "They designed mend." not in summarise(run).caveats


def test_every_open_trial_of_the_main_model_is_listed_and_those_of_others_are_counted():
    words = {("mend", policy): "?" * 15 for policy in ("naive", "two-layer")}
    case = repairable("other")
    key = replace(key_of(case), model="other-model")
    found = summarise(lettered_run(words, extra=[row_of(case, unrepaired(), key, problem=unjudged())])).gaps
    assert (found.unjudged, found.main, len(found.listed), found.others) == (
        31,
        "tiny-coder",
        15,
        (("other-model", 1),),
    )
    (also,) = {tuple(policy for policy, _ in one.also) for one in found.listed}
    assert also == ("two-layer",)
    assert all("no recording answers" in one.says for one in found.listed)


def test_where_the_recorded_answers_come_from_is_said_in_cases():
    provenance = summarise(stored_run([one("a", "summary", repaired), one("b", "summary", unrepaired)])).provenance
    assert provenance == (
        "2 trials of 2 cases, replayed from recordings by mendbench 0.0.1. The world's responses come from simulated services in 2 cases."
    )


def test_of_which_part_the_figures_cover_is_said_where_a_part_is_not():
    rows = [
        row_of(repairable(name), repaired(), key_of(repairable(name)), part=part)
        for name, part in (("a", "test"), ("b", "train"))
    ]
    assert "2 trials of 2 cases; results cover the 1 case of the test part, " in summarise(stored_run(rows)).provenance


def test_each_service_has_a_line_that_says_what_answered():
    rows = [one("a", "summary", repaired), one("b", "summary", unrepaired)]
    rows[0][0]["recorded_from"] = {"slack": "real", "queue": "mock"}
    (world,) = (fact for fact in summarise(stored_run(rows)).facts if fact.name == "World")
    assert world.items == (
        "queue (a mock server): 1 case",
        "slack (a real server): 1 case",
        "slack (a simulated service): 1 case",
        "A case may have several of them; every response recorded.",
    )


def test_prices_among_the_digests_are_reported_in_words():
    run = stored_run([one("a", "summary", repaired)], digests={"prices": {"tiny": {"source": "unknown"}}})
    assert summarise(run).digests[0].value == "tiny: source unknown"


def test_the_lead_has_a_sentence_for_each_stratum_of_apis():
    rows = [
        one("a", "mend", repaired),
        one("b", "mend", unrepaired),
        one("a", "summary", unrepaired),
        one("b", "summary", repaired),
    ]
    run = stored_run(rows)
    mixed = replace(
        run, rows=tuple({**row, "api": "well-known" if row["case"].endswith("b") else "private"} for row in run.rows)
    )
    assert summarise(mixed).lead == (
        "Under two-layer, tiny-coder: On private APIs it repaired 1 of 1 case with mend, the most; then summary 0. "
        "On well-known APIs it repaired 1 of 1 case with summary, the most; then mend 0."
    )


def test_first_responses_of_the_control_model_lead_the_summary():
    extra = [
        row_of(case, happened(), replace(key_of(case, strategy, "first-answer"), model="alone", detector=None))
        for case, strategy, happened in (
            (repairable("a"), "mend", repaired), (repairable("b"), "mend", unrepaired), (repairable("a"), "summary", unrepaired),
        )
    ]  # fmt: skip
    run = lettered_run({"mend": "r"}, extra=extra, report={"main_model": MODEL, "control_model": "alone", "note": None})
    lead = "By its first response, alone repaired 1 of 2 cases with mend, the most; then summary 0 of 1."
    assert summarise(run).lead == headline(run).lead == lead


def test_without_a_control_model_the_main_model_leads():
    run = lettered_run({"mend": "r"}, report={"main_model": MODEL, "control_model": None, "note": None})
    assert summarise(run).lead.startswith("Under two-layer")


def test_the_frames_of_the_prompts_are_named_with_their_digests():
    run = stored_run(
        [
            row_of(repairable(), repaired(), key_of(repairable(), name, "naive"))
            for name in ("mend", "mend@v2", "mend@ours")
        ]
    )
    (frames,) = [fact.value for fact in summarise(run).facts if fact.name == "Frames"]
    assert frames == f"ours, v1 ({frame_digest()}), v2 ({frame_digest('v2')})"

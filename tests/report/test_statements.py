import re
from dataclasses import replace
from types import SimpleNamespace

import pytest

from mendbench.report.gaps import Gap
from mendbench.report.overview import build_overview
from mendbench.report.statements import strategy_statements, warning_statements
from mendbench.report.summary import summarise
from mendbench.report.words import signed
from mendbench.scoring.comparing.comparison import differ
from mendbench.scoring.comparing.paired_counts import Counts, counts_of
from mendbench.scoring.forensics.warning_cost import warning_costs
from mendbench.scoring.score import Count
from mendbench.scoring.scores import score
from tests.fakes.compared import pair
from tests.fakes.forensics import false_warning, trial
from tests.fakes.runs import key_of, lettered_run, repairable, row_of, small_run, unjudged, unrepaired
from tests.report.test_primary import planned

PRIMARY = "Primary contrasts of the protocol"


def texts_of(run, title):
    themes = {theme.title: theme for theme in build_overview(run, summarise(run)).themes}
    return [one.text for one in themes[title].statements] if title in themes else []


def weights(run, title):
    return [
        one.weight
        for theme in build_overview(run, summarise(run)).themes
        if theme.title == title
        for one in theme.statements
    ]


def test_a_significant_difference_has_counts_interval_and_tokens():
    run = lettered_run({"summary": "u" * 18 + "r" * 6, "full-context": "r" * 24})
    (text, _) = texts_of(run, "Strategies")
    assert text.startswith("full-context repairs 18 more of 24 cases than summary (18 won, 0 lost; 95 % interval +")
    assert text.endswith(" points), at 0.6 times the prompt and response tokens of a trial.")
    assert weights(run, "Strategies")[0] == "significant"


def test_an_exploratory_gap_that_is_not_significant_gives_no_number_of_cases():
    text = texts_of(lettered_run({"summary": "u" * 24, "full-context": "rr" + "u" * 22}), "Strategies")[0]
    assert text == (
        "full-context repairs 2 more of 24 cases than summary (2 won, 0 lost), at 1.0 times the prompt and response tokens of a trial: "
        "not significant."
    )


def test_a_primary_contrast_that_is_not_significant_says_how_many_cases_would_decide():
    (text,) = texts_of(planned("rru" * 4, "uru" * 4), PRIMARY)
    assert re.search(r": not significant; about \d+ more cases would decide\. p = ", text)


def test_neither_ahead_is_reported_as_such():
    text = texts_of(lettered_run({"summary": "ruuuuuuu", "full-context": "uruuuuuu"}), "Strategies")[0]
    assert (
        text
        == "full-context and summary do not differ significantly, at 1.0 times the prompt and response tokens of a trial: 1 won, 1 lost of 8 cases, neither is ahead."
    )


def gap_of(counts):
    right = score("repair_success")
    difference = differ("repair_success", right, counts).difference
    return Gap(name="mend", against="summary", group="strategy", difference=difference, tokens=None)


def test_as_many_won_as_lost_is_no_tie_where_the_means_differ():
    cases = [f"c{at}" for at in range(8)]
    gap = gap_of(
        Counts(
            a={case: Count(numerator=0.5 if at == 1 else 0) for at, case in enumerate(cases)},
            b={case: Count(numerator=1 if at == 0 else 0) for at, case in enumerate(cases)},
            groups={case: case for case in cases},
        )
    )
    text = next(iter(strategy_statements([gap], [], ()))).text
    assert text.startswith("mend repairs 0.50 more of 8 cases than summary (1 won, 1 lost): not significant.")


def test_an_interval_of_few_cases_is_reported_of_all_of_them_the_open_ones_too():
    gap = gap_of(counts_of(score("repair_success"), pair("0" * 14, "1" * 10 + "00??")))
    low, high = gap.difference.interval
    text = next(iter(strategy_statements([gap], [], ()))).text
    assert gap.difference.verdict == "better"
    assert (
        f"10 more of 12 cases than summary (10 won, 0 lost; 95 % interval {signed(14 * low, 1)} to {signed(14 * high, 1)} cases)"
        in text
    )


def test_no_difference_at_all_says_what_may_still_differ():
    text = texts_of(lettered_run({"summary": "ru" * 5, "full-context": "ru" * 5}), "Strategies")[0]
    assert text.startswith(
        "full-context and summary are alike, at 1.0 times the prompt and response tokens of a trial: none of 10 cases differs; up to 26\u202f% of other groups"
    )


def test_an_open_pair_leaves_the_difference_open():
    case = repairable("missing")
    extra = [row_of(case, unrepaired(), key_of(case, name), problem=unjudged()) for name in ("summary", "full-context")]
    text = texts_of(lettered_run({"summary": "uuuuuuu", "full-context": "rrrrrru"}, extra=extra), "Strategies")[0]
    assert "full-context against summary is open: 1 of 8 cases are without a verdict on a side" in text


def test_what_is_reported_whatever_becomes_of_open_pairs_is_counted_without_them():
    case = repairable("missing")
    extra = [row_of(case, unrepaired(), key_of(case, name), problem=unjudged()) for name in ("summary", "full-context")]
    text = texts_of(lettered_run({"summary": "uuuuu", "full-context": "ruuuu"}, extra=extra), "Strategies")[0]
    assert text == (
        "full-context repairs 1 more of 5 cases than summary (1 won, 0 lost), at 0.9 times the prompt and response tokens of a trial: not significant, "
        "whatever becomes of 1 open pair."
    )


def test_a_gap_no_larger_than_a_control_s_is_no_finding():
    run = lettered_run({"summary": "u" * 20, "summary-b": "rr" + "u" * 18, "full-context": "r" + "u" * 19})
    text, control = texts_of(run, "Strategies")
    assert text.endswith("; no larger a gap than summary-b's, so it is not a finding.")
    assert (
        control
        == "Control summary-b against summary: +2 of 20 cases. A gap no larger than a control's is not a finding."
    )


def test_a_control_on_few_cases_says_nothing_of_noise():
    run = lettered_run({"summary": "u" * 20, "summary-b": "r-" + "-" * 18, "full-context": "r" + "u" * 19})
    text, control = texts_of(run, "Strategies")
    assert "not a finding" not in text
    assert control.endswith(": too few cases so far for a comparison (under 20).")


def test_a_strategy_tuned_after_the_test_has_no_test_result():
    run = lettered_run(
        {"summary": "ru", "mend": "rr"}, protocols={"protocol": {"frame": False, "strategies": ["mend"]}}
    )
    assert (
        "mend was changed after the test part was recorded, so it has no test result." in texts_of(run, "Strategies")[0]
    )


def test_only_primary_contrasts_have_a_p_value():
    run = planned("r" * 10, "u" * 10)
    (text,) = texts_of(run, PRIMARY)
    assert text.startswith("Under two-layer, full-context repairs 10 more of 10 cases than summary (10 won, 0 lost")
    assert text.endswith(" p = 0.002 after Holm's correction.")
    others = [
        one.text
        for theme in build_overview(run, summarise(run)).themes
        if theme.title != PRIMARY
        for one in theme.statements
    ]
    assert not any("p =" in one for one in others)


def test_a_primary_contrast_without_a_result_says_why():
    (text,) = texts_of(planned("rr", "uu", cases=["slack/case00", "slack/other"]), PRIMARY)
    assert (
        text
        == "full context against summary: no result, because 1 of the 2 cases of the test part are not in the run yet."
    )


@pytest.mark.parametrize(
    ("protocol", "what"),
    [({"strategies": ["full-context"]}, "full-context"), ({"frame": True}, "the frame around every prompt")],
    ids=["strategy", "frame"],
)
def test_a_primary_contrast_of_what_was_changed_after_the_test_has_no_result(protocol, what):
    run = planned("r" * 10, "u" * 10, **protocol)
    (text,) = texts_of(run, PRIMARY)
    assert (
        text == f"full context against summary: no result, because {what} was changed after the test part was recorded."
    )
    assert weights(run, PRIMARY) == ["plain"]


def test_a_policy_says_what_it_saves_and_loses():
    (text,) = texts_of(small_run(), "Policies")
    assert text.startswith("two-layer wastes 0.67 attempts fewer a trial than naive")
    assert text.endswith("; of its 2 repairs it loses 1.")
    assert weights(small_run(), "Policies") == ["bad"]


def test_a_detector_says_its_recall_its_false_alarms_and_its_silent_successes():
    (text,) = texts_of(small_run(), "Warnings")
    assert text.startswith("The detector structural (two-layer) gives ")
    assert "due warning" in text
    assert "silent success" in text


@pytest.mark.parametrize("adversarial_to", [(), ("mend",)], ids=["none adversarial", "one adversarial"])
def test_a_repair_that_a_false_alarm_cost_counts_once_whichever_cases_are_adversarial(adversarial_to):
    alarm = {"nodes": (("greet", "error", "warning"),)}
    records = [
        trial("mendable", "p", right=True), trial("hopeless", "xxx"), false_warning("mendable", **alarm),
        replace(false_warning("hopeless", **alarm), adversarial_to=adversarial_to),
    ]  # fmt: skip
    policy = SimpleNamespace(policy="two-layer", detector="structural")
    (one,) = warning_statements(warning_costs(records), SimpleNamespace(policy=policy, policies=(policy,)))
    assert one.text.endswith("; over all strategies false alarms cost 1 repair under two-layer.")


def test_trials_that_ran_green_and_are_wrong_can_be_opened():
    screen = build_overview(small_run(), summarise(small_run()))
    (theme,) = [one for one in screen.themes if one.title == "Trials to look at"]
    (one,) = theme.statements
    assert one.text == "1 trial of 6 ran green, though checks or variants fail (naive)."
    assert one.trials == ("slack/greeting | mendbench | chat | tiny-coder | summary | naive | - | 000000",)
    assert one.outcome == "plausible"


@pytest.mark.parametrize("word", ["", "r"])
def test_a_run_without_a_finding_has_no_theme_for_it(word):
    assert texts_of(lettered_run({"mend": word} if word else {}), "Policies") == []

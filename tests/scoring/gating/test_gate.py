from dataclasses import replace

import pytest

from mendbench.errors import BadInput
from mendbench.scoring.gating.gate import change_of, gate, regime_of
from mendbench.scoring.gating.resampled import Pair
from mendbench.scoring.gating.result import EXIT_CODES, Digests, Limit, Rules
from tests.fakes.gates import DIGESTS, baseline, crashed, entry, present, response, unjudged
from tests.fakes.tables import for_each

RULES = Rules()
KEPT = entry("kept")
SAME = {"stop_reason": "succeeded"}
ANEW = (response(text="a2"),)


def gated(then, now, rules=RULES, **run):
    return gate(baseline(*then), present(*now, **run), rules)


def only(result):
    (finding,) = result.findings
    return finding


def test_the_same_trials_pass():
    result = gated([KEPT, entry("b", right=False)], [KEPT, entry("b", right=False)])
    assert (result.verdict, result.exit_code, result.findings) == ("pass", 0, ())
    assert result.headline == "passed: 2 trials no worse than in baseline.tsv"
    assert result.notes == ("compared 2 of the 2 trials of baseline.tsv; 2 alike",)


def test_one_right_trial_that_is_wrong_with_the_same_answers_fails():
    result = gated([KEPT, entry("b")], [KEPT, entry("b", right=False)])
    finding = only(result)
    assert (result.verdict, result.exit_code) == ("fail", 1)
    assert result.headline == "FAILED: 1 trial right before and wrong now"
    assert (finding.change, finding.level, finding.regime) == ("lost", "fail", "exact")
    assert finding.was == "repaired (succeeded, 1 attempt, 0 wasted)"
    assert finding.now == "unrepaired (no_progress, 1 attempt, 1 wasted)"


def test_a_loss_is_not_made_good_by_gains_elsewhere():
    worse = [entry("a"), *(entry(name, right=False) for name in "bcde")]
    better = [entry("a", right=False), *(entry(name) for name in "bcde")]
    result = gated(worse, better)
    assert result.verdict == "fail"
    assert [finding.change for finding in result.findings] == ["lost", "won", "won", "won", "won"]


@for_each(
    ("then", "now", "change"),
    [
        (entry(), entry(), None),
        (entry(), entry(right=False), "lost"),
        (entry(right=False), entry(), "won"),
        (entry(), crashed(), "crashed"),
        (entry(right=False), crashed(), "crashed"),
        (crashed(), crashed(), None),
        (crashed(), entry(right=False), "better"),
        (crashed(), entry(), "won"),
        (entry(right=False), entry(right=False, outcome="harmful"), "worse"),
        (entry(right=False), entry(right=False, outcome="plausible"), "worse"),
        (entry(right=False, outcome="plausible"), entry(right=False), "better"),
        (entry(right=False, outcome="partly"), entry(right=False), "worse"),
        (entry(right=False), entry(right=False, outcome="false_warning"), "changed"),
        (entry(right=False), entry(right=False, wasted=2), "wasted"),
        (entry(right=False, wasted=3), entry(right=False, wasted=2), "better"),
        (entry(wasted=0), entry(wasted=1), "wasted"),
        (entry(), entry(responses=(response(), response())), "attempts"),
        (entry(responses=(response(), response())), entry(), "better"),
        (entry(wasted=1), entry(wasted=0, responses=(response(), response())), "attempts"),
        (entry(kind="needs_user", outcome="warned"), entry(kind="needs_user", outcome="declined"), "changed"),
    ],
)
def test_what_became_of_a_trial(then, now, change):
    assert change_of(then, now) == change


@for_each(
    ("then", "now", "regime"),
    [
        ((response(),), (response(),), "exact"),
        ((response(),), (response(text="a2"),), "resampled"),
        ((response(),), (response("p2", "a2"),), "resampled"),
        ((response(),), (response("p2"),), "exact"),
        ((), (response(),), "exact"),
        ((response(),), (response(), response("p2", "a2")), "exact"),
        ((response(), response("p2", "a2")), (response(), response("p2", "a3")), "resampled"),
        ((response(asked=False),), (response(text="a2", asked=False),), "exact"),
        ((response(asked=False),), (response(text="a2"),), "resampled"),
    ],
)
def test_chance_lies_between_two_trials_only_where_somebody_who_was_asked_answered_otherwise(then, now, regime):
    assert regime_of(Pair(then=entry(responses=then), now=entry(responses=now))) == regime


def test_a_crash_is_never_put_down_to_chance():
    result = gated([KEPT, entry("b")], [KEPT, crashed("b", responses=ANEW)])
    assert (result.verdict, only(result).change, only(result).regime) == ("fail", "crashed", "exact")
    assert only(result).why == ("it ended in a fault of foreign code",)


@for_each(
    ("then", "now", "message"),
    [
        ({}, SAME, "the same responses and the same exchanges; it was judged otherwise"),
        ({}, {}, "the same responses; it ended otherwise (succeeded -> no_progress)"),
        ({}, {"responses": (response("p2", "a2"),)}, "attempt 1: another prompt, another response"),
        ({}, {"responses": (response("p1", "a2"),)}, "attempt 1: the same prompt, another response, recorded again"),
        ({}, {**SAME, "exchanges": "k1@30:r1,k2@30:r2"}, "the same responses, and other exchanges with the world"),
        (
            {"responses": (response(),), "stop_reason": "no_progress"},
            {"responses": (response(), response())},
            "the same responses; it went on after attempt 1, where it stopped before (no_progress)",
        ),
        (
            {"responses": (response(), response())},
            {"responses": (response(),)},
            "the same responses; it stopped after attempt 1 (no_progress), where it went on before",
        ),
        (
            {"responses": (), "stop_reason": "warned"},
            {},
            "repair was tried, where it was not before (warned)",
        ),
        ({}, {"responses": (), "stop_reason": "warned"}, "no repair was tried (warned), where one was before"),
    ],
)
def test_a_finding_says_what_went_otherwise(then, now, message):
    result = gated([KEPT, entry(**then)], [KEPT, entry(right=False, **now)])
    assert only(result).why == (message,)


@for_each(
    ("now", "field", "change"),
    [
        (entry("b", right=False, outcome="harmful"), "worse_outcome", "worse"),
        (entry("b", right=False, wasted=3), "more_wasted", "wasted"),
        (entry("b", right=False, wasted=1, responses=(response(), response())), "more_attempts", "attempts"),
    ],
)
def test_what_is_worse_at_the_same_verdict_is_gated_as_configured(now, field, change):
    then = [KEPT, entry("b", right=False)]
    failed = gated(then, [KEPT, now], replace(RULES, **{field: "fail"}))
    assert (failed.verdict, only(failed).change) == ("fail", change)
    shown = gated(then, [KEPT, now], replace(RULES, **{field: "show"}))
    assert (shown.verdict, only(shown).level) == ("pass", "show")
    assert shown.headline == "passed: compared 2 trials with baseline.tsv, 1 of them worse within what is allowed"


OTHERWISE = {"exchanges": "k1@30:r2,k2@30:r1"}


def test_a_changed_recording_is_inconclusive_though_the_trial_has_the_same_result():
    result = gated([KEPT, entry("w")], [KEPT, entry("w", **OTHERWISE)])
    finding = only(result)
    assert (result.verdict, result.exit_code) == ("incomparable", 3)
    assert result.headline == "inconclusive: the recordings of 1 trial changed"
    assert (finding.change, finding.level, finding.changed_exchanges) == ("recording", "open", ("k1@30",))
    assert (result.tally.compared, result.tally.alike) == (2, 1)


@for_each(("level", "code"), [("open", 3), ("show", 0), ("fail", 1)])
def test_a_changed_recording_is_gated_as_configured(level, code):
    result = gated([KEPT], [replace(KEPT, **OTHERWISE)], replace(RULES, changed_recording=level))
    assert (result.exit_code, only(result).level) == (code, level)


@for_each("now", [entry("w", right=False, **OTHERWISE), unjudged("w", **OTHERWISE)])
def test_a_changed_recording_is_named_as_the_likely_cause_of_what_became_of_a_trial(now):
    result = gated([KEPT, entry("w")], [KEPT, now])
    assert {one.change for one in result.findings} == {"recording", "lost" if now.outcome else "unjudged"}
    became = next(one for one in result.findings if one.change != "recording")
    assert became.why[0] == "likely cause: the world's response to 1 request changed"
    assert became.changed_exchanges == ("k1@30",)


def test_a_gain_that_a_changed_recording_may_have_brought_is_inconclusive():
    assert gated([entry(right=False)], [entry(**OTHERWISE)]).exit_code == 3


def test_other_requests_are_no_changed_recording():
    now = entry(exchanges="k2@30:r1,k1@60:r2")
    result = gated([entry()], [now])
    assert (result.verdict, result.findings, result.tally.other_ways) == ("pass", (), 1)


def test_new_trials_are_shown_and_gated_only_when_asked():
    then, now = [KEPT], [KEPT, entry("n", right=False), entry("o")]
    shown = gated(then, now)
    assert (shown.verdict, [one.level for one in shown.findings]) == ("pass", ["show", "show"])
    assert "2 trials not in the baseline, not gated (--new gates them)" in shown.notes
    failed = gated(then, now, replace(RULES, new=True))
    assert failed.headline == "FAILED: 1 trial new and not right"
    assert gated(then, [KEPT, entry("o")], replace(RULES, new=True)).verdict == "pass"
    assert gated(then, [KEPT, unjudged("n")], replace(RULES, new=True)).verdict == "incomplete"


def test_a_narrower_selection_is_said_and_fails_only_if_configured():
    result = gated([KEPT, entry("g")], [KEPT])
    assert (result.verdict, only(result).change, only(result).now) == ("pass", "gone", "not in the run")
    assert result.headline == "passed: 1 trial no worse than in baseline.tsv; 1 of its 2 trials not in this run"
    assert any("1 trial of the baseline not in this run" in note for note in result.notes)
    assert gated([KEPT, entry("g")], [KEPT], replace(RULES, gone="fail")).verdict == "fail"


def test_an_unjudged_trial_that_had_a_verdict_leaves_the_gate_incomplete():
    result = gated([KEPT, entry("u", right=False)], [KEPT, unjudged("u")])
    assert (result.verdict, result.exit_code) == ("incomplete", 3)
    assert result.headline == "inconclusive: 1 trial misses a recording"


def test_a_changed_case_is_incomparable_and_says_how_to_accept_it():
    result = gated([KEPT, entry("c")], [KEPT, entry("c", right=False, case_digest="c2")])
    assert (result.verdict, result.exit_code) == ("incomparable", 3)
    assert only(result).why == ("the case is another one (c1 -> c2): accept it with `mendbench gate --update`",)


@for_each(
    ("digests", "what", "hint"),
    [
        (replace(DIGESTS, engine="mendbench 2"), "engine", "--update"),
        (replace(DIGESTS, scorer="1.2"), "scorer", "--rescore"),
        (replace(DIGESTS, prices=(("m", "dear"),)), "price of m", "--update"),
    ],
)
def test_another_engine_scorer_or_price_keeps_everything_from_being_compared(digests, what, hint):
    result = gated([KEPT, entry("b")], [KEPT, entry("b", right=False)], digests=digests)
    assert (result.verdict, result.exit_code) == ("incomparable", 3)
    assert result.headline == f"inconclusive: {what} differs"
    assert hint in result.differences[0].hint
    assert result.tally.compared == 0


def test_prices_of_what_only_one_side_asked_are_no_difference():
    digests = Digests(engine=DIGESTS.engine, scorer=DIGESTS.scorer, prices=(("other", "dear"),))
    assert gated([KEPT], [KEPT], digests=digests).verdict == "pass"


def test_what_is_certainly_worse_comes_before_what_is_inconclusive():
    result = gated([KEPT, entry("b"), entry("u")], [KEPT, entry("b", right=False), unjudged("u")])
    assert result.exit_code == 1
    assert "also inconclusive: 1 trial misses a recording" in result.notes


@for_each(
    ("then", "now", "message"),
    [
        ([KEPT], [], "reports/latest: a run without trials"),
        ([], [KEPT], "baseline.tsv: a baseline without trials"),
        ([KEPT], [entry("other")], "baseline.tsv: none of its 1 trials is among the 1 of reports/latest"),
    ],
)
def test_a_gate_that_could_not_fail_is_an_error(then, now, message):
    with pytest.raises(BadInput, match=message):
        gated(then, now)


def test_a_secret_in_the_run_fails_whatever_the_verdicts_are():
    result = gated([KEPT], [KEPT], secrets=((KEPT.key, ("outputs holds a secret",)),))
    assert result.headline == "FAILED: a declared secret stands in 1 trial"
    assert only(result).why == ("outputs holds a secret",)


def test_a_broken_limit_fails_and_stands_with_its_interval():
    rules = replace(RULES, limits=(Limit(name="min_repair_success", score="repair_success", side="min", bound=0.9),))
    run = [entry("a"), entry("b", right=False)]
    result = gated(run, run, rules)
    assert (result.verdict, result.headline) == ("fail", "FAILED: min_repair_success broken")
    assert (result.limits[0].status, result.limits[0].measure.value) == ("broken", 0.5)


def test_answers_again_that_change_no_verdict_pass_and_are_counted():
    result = gated([entry("a")], [entry("a", responses=ANEW)])
    assert (result.verdict, result.tally.resampled, result.tally.other_ways) == ("pass", 1, 1)
    assert "1 trial have the same result with other prompts, responses or exchanges" in result.notes


def test_findings_come_worst_first_and_the_result_is_json():
    then = [entry("b"), entry("c", right=False), entry("d"), entry("e", right=False)]
    now = [entry("b", right=False), entry("c"), unjudged("d"), entry("e", right=False, outcome="harmful")]
    result = gated(then, now)
    assert [one.change for one in result.findings] == ["lost", "worse", "unjudged", "won"]
    document = result.document()
    assert (document["verdict"], document["exit_code"], document["findings"][0]["change"]) == ("fail", 1, "lost")


def test_every_verdict_has_an_exit_code():
    assert EXIT_CODES == {"pass": 0, "fail": 1, "inconclusive": 3, "incomplete": 3, "incomparable": 3}

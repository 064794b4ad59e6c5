from dataclasses import replace

import pytest

from mendbench.scoring.gating.costs import cost_changes
from mendbench.scoring.gating.gate import gate
from mendbench.scoring.gating.result import Rules
from tests.fakes.gates import baseline, crashed, entry, facts, present, response, unjudged

RULES = Rules()
LONGER, SILENT, LATE = {"context_tokens": 111}, {"facts": facts(missing="a")}, {"elapsed_ms": 1101}


def changes(then, now, rules=RULES, regime="exact"):
    return [change for change, _ in cost_changes(then, now, rules, regime)]


@pytest.mark.parametrize(
    ("then", "now", "found"),
    [
        (entry(), entry(), []),
        (entry(), entry(**LONGER), ["tokens"]),
        (entry(), entry(context_tokens=110), []),
        (entry(**LONGER), entry(), []),
        (entry(context_tokens=0), entry(context_tokens=1), ["tokens"]),
        (entry(), entry(**SILENT), ["facts"]),
        (entry(**SILENT), entry(), []),
        (entry(facts=facts(stated="a", missing="b")), entry(facts=facts(stated="b", missing="a")), []),
        (entry(), entry(**LATE), ["slower"]),
        (entry(), entry(elapsed_ms=1100), []),
        (entry(), entry(**LONGER, **SILENT, **LATE), ["facts", "tokens", "slower"]),
        (entry(responses=()), entry(**LONGER), []),
        (entry(), entry(responses=()), []),
        (entry(), crashed(**LATE), []),
        (crashed(), entry(**LATE), []),
        (entry(), unjudged(**LATE), []),
    ],
)
def test_a_rise_beyond_the_tolerance_and_fewer_facts_are_found(then, now, found):
    assert changes(then, now) == found


def test_the_tolerances_are_shares_of_what_was_before():
    now = entry(context_tokens=149, elapsed_ms=1400)
    assert changes(entry(), now, replace(RULES, token_tolerance=0.5, time_tolerance=0.4)) == []
    assert changes(entry(), now, replace(RULES, token_tolerance=0, time_tolerance=0)) == ["tokens", "slower"]


@pytest.mark.parametrize(
    ("now", "field", "words", "was", "is_now"),
    [
        (LONGER, "more_tokens", "1 trial with more context tokens", "100 context tokens", "111 context tokens"),
        (
            SILENT,
            "fewer_facts",
            "1 trial with fewer facts in the prompt",
            "1 of 1 facts in the prompt",
            "0 of 1 facts in the prompt",
        ),
        (LATE, "slower", "1 trial slower", "1000 ms", "1101 ms"),
    ],
)
def test_a_cost_is_shown_and_fails_only_if_configured(now, field, words, was, is_now):
    sides = baseline(entry("a"), entry("b")), present(entry("a"), entry("b", **now))
    shown = gate(*sides, RULES)
    assert (shown.verdict, shown.tally.alike) == ("pass", 2)
    assert shown.notes[-1] == f"shown, not gated: {words}"
    failed = gate(*sides, replace(RULES, **{field: "fail"}))
    assert failed.headline == f"FAILED: {words}"
    (finding,) = failed.findings
    assert (finding.was, finding.now) == (was, is_now)


def test_a_trial_that_was_recorded_again_is_compared_by_its_prompt_and_not_by_its_time():
    then, now = entry(), entry(responses=(response("p2", "a2"),), **LONGER, **LATE)
    result = gate(baseline(then), present(now), replace(RULES, more_tokens="fail", slower="fail"))
    assert [(one.change, one.level) for one in result.findings] == [("tokens", "fail")]

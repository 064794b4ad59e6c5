from dataclasses import replace

import pytest

from mendbench.model.trial import TrialKey
from mendbench.report.verdict_findings import judgement_of_changes, judgement_of_gate
from mendbench.scoring.comparing.changes import Change, Ending
from mendbench.scoring.gating.result import (
    BaselineEntry,
    DigestDifference,
    GateResult,
    Limit,
    LimitResult,
    Shift,
    Tally,
    TrialChange,
)
from mendbench.scoring.records import Treatment
from mendbench.scoring.score import Measure

TRIAL = TrialKey(case="slack/greeting", strategy="summary", policy="two-layer", repairer="rules")
TREATMENT = Treatment(
    engine="mendbench", repairer="rules", model=None, strategy="summary", policy="two-layer", detector="structural"
)


def entry(verdict, outcome):
    return BaselineEntry(
        key="k", trial=TRIAL, case_digest="c", kind="repairable", verdict=verdict, outcome=outcome, stop_reason="succeeded",
        attempts=1, wasted=0, responses=(), exchanges="", context_tokens=None, facts=(), elapsed_ms=0,
    )  # fmt: skip


def finding(change, level):
    return TrialChange(
        change=change, level=level, key=f"{change}-key", trial=TRIAL, before=entry("correct", "repaired"),
        after=entry("incorrect", "plausible"), regime="exact", why=("the same responses", "kept x does not hold"),
    )  # fmt: skip


def limit(status):
    value = None if status == "undefined" else 1.5
    measured = Measure(numerator=3, denominator=2, cases=2, value=value, bounds=None, interval=None, method="none: few")
    held = Limit(name="max_wasted", score="wasted", side="max", bound=1)
    return LimitResult(limit=held, part=None, treatment=TREATMENT, measure=measured, status=status)


def shift(status):
    return Shift(
        side="repairs", arm=None, cases=9, groups=8, at_stake=7, won=1, lost=5, change=-0.4, interval=None, p=0.2, adjusted=0.2,
        status=status, needed=12,
    )  # fmt: skip


def result(verdict="pass", **parts):
    tally = Tally(**dict.fromkeys(Tally.__dataclass_fields__, 3))
    values = {"findings": (), "shifts": (), "limits": (), "differences": (), "notes": ("compared 3",)}
    return GateResult(
        verdict=verdict,
        headline="FAILED: 1 trial",
        baseline="baseline.tsv",
        run="r",
        tally=tally,
        **{**values, **parts},
    )


@pytest.mark.parametrize(
    ("verdict", "status"),
    [
        ("pass", "passed"),
        ("fail", "failed"),
        ("inconclusive", "open"),
        ("incomplete", "open"),
        ("incomparable", "open"),
    ],
)
def test_only_a_pass_is_a_pass(verdict, status):
    judgement = judgement_of_gate(result(verdict))
    assert judgement.status == status
    assert judgement.verdict == "gate FAILED: 1 trial"
    assert judgement.notes == ("compared 3",)


def test_what_fails_the_gate_is_an_error_and_what_is_inconclusive_a_warning():
    found = judgement_of_gate(
        result(findings=(finding("lost", "fail"), finding("unjudged", "open"), finding("won", "show")))
    )
    assert [(one.level, one.title, one.key) for one in found.findings] == [
        ("error", "lost", "lost-key"), ("warning", "unjudged", "unjudged-key"), ("notice", "won", "won-key"),
    ]  # fmt: skip
    assert found.failing == {"lost-key"}
    assert found.findings[0].case == "slack/greeting"
    assert found.findings[0].message == (
        "repaired (succeeded, 1 attempt, 0 wasted) -> plausible (succeeded, 1 attempt, 0 wasted); the same responses; kept x does not hold"
    )


def test_limits_shifts_and_digests_are_about_the_whole_run():
    other = DigestDifference(what="engine", before="1", after="2", hint="accept it")
    found = judgement_of_gate(
        result(
            differences=(other,),
            limits=(limit("broken"), limit("open"), limit("undefined"), limit("holds")),
            shifts=(shift("worse"), shift("open"), shift("holds")),
        )
    ).findings
    assert [(one.level, one.title) for one in found] == [
        ("warning", "engine is another"), ("error", "limit broken"), ("warning", "limit open"), ("warning", "limit undefined"),
        ("error", "worse beyond noise"), ("warning", "may be noise"),
    ]  # fmt: skip
    assert all(one.key is None and one.case is None for one in found)
    assert found[1].message.startswith("max_wasted: wasted is 1.5, ")


def change(direction, answers="same responses"):
    before = Ending(key="a", verdict="correct", outcome="repaired", stop_reason="succeeded", wasted_attempts=0)
    after = Ending(key="b", verdict="unjudged", outcome=None, stop_reason="unjudged", wasted_attempts=None)
    return Change(
        direction=direction, case="slack/greeting", kind="repairable", part=None, sample=0, a=TREATMENT, b=TREATMENT,
        before=before, after=after, responses=answers,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("direction", "answers", "level", "status"),
    [
        ("newly failing", "same responses", "error", "failed"),
        ("newly failing", "same responses as far as both went", "error", "failed"),
        ("newly failing", "other responses", "warning", "open"),
        ("newly failing", "other responses, and not by chance", "error", "failed"),
        ("no verdict any more", "same responses", "warning", "open"),
        ("newly passing", "same responses", "notice", "passed"),
        ("newly judged", "other responses", "notice", "passed"),
        ("otherwise", "same responses", "notice", "passed"),
    ],
)
def test_another_runs_trials_are_held_against_this_ones(direction, answers, level, status):
    judgement = judgement_of_changes([change(direction, answers)], trials=7, against="runs/main")
    (found,) = judgement.findings
    assert (found.level, judgement.status) == (level, status)
    assert (found.title, found.key, found.case) == (direction, "b", "slack/greeting")
    assert found.message == f"repaired (succeeded, 0 wasted) -> unjudged (unjudged, 0 wasted); {answers}"
    assert judgement.verdict == f"of 7 trials compared with runs/main: 1 {direction}"


def test_another_treatment_is_named():
    other = replace(change("newly passing"), a=replace(TREATMENT, strategy="none"))
    (found,) = judgement_of_changes([other], trials=1, against="x").findings
    assert "0 wasted) (none, two-layer, rules) -> " in found.message


def test_nothing_otherwise_passes():
    judgement = judgement_of_changes([], trials=7, against="x")
    assert (judgement.status, judgement.findings) == ("passed", ())
    assert judgement.verdict == "of 7 trials compared with x: none came out otherwise"

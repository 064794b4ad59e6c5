import pytest

from mendbench.report.primary import primaries_of, tuned_in
from tests.fakes.runs import MODEL, key_of, lettered_run, repairable, repaired, row_of, unrepaired

PLAN = {
    "format": 1, "model": MODEL, "part": "test",
    "contrasts": [
        {
            "name": "full context against summary", "measure": "repair_success",
            "treatment": {"strategy": "full-context", "policy": "two-layer"}, "against": {"strategy": "summary", "policy": "two-layer"},
        },
    ],
}  # fmt: skip


def planned(full, summary, *, cases=None, **protocol):
    made = []
    for strategy, word in (("full-context", full), ("summary", summary)):
        for at, letter in enumerate(word):
            case = repairable(f"case{at:02}", group=f"group{at:02}")
            happened = repaired if letter == "r" else unrepaired
            made.append(row_of(case, happened(), key_of(case, strategy), part="test"))
    listed = {"test": cases or [f"slack/case{at:02}" for at in range(len(full))]}
    stated = {"frame": False, "strategies": [], "plan": {**PLAN, "cases": listed}, **protocol}
    return lettered_run({}, extra=made, protocols={"protocol": stated})


def test_a_run_states_its_primary_contrasts_by_the_plan_that_it_carries():
    ((result,),) = [one.results for one in primaries_of(planned("r" * 10, "u" * 10))]
    assert (result.undefined, result.difference.verdict) == (None, "better")
    assert result.difference.p == pytest.approx(2 / 2**10)


def test_a_plan_with_cases_that_are_not_in_the_run_has_no_result_yet():
    run = planned("r" * 10, "u" * 10, cases=["slack/case00", "slack/other"])
    (result,) = primaries_of(run)[0].results
    assert result.undefined == "1 of the 2 cases of the test part are not in the run yet"


@pytest.mark.parametrize(
    "protocols", [None, {"protocol": {"frame": False, "strategies": []}}, {"protocol": {"plan": {"format": 1}}}]
)
def test_without_a_plan_there_are_no_primary_contrasts(protocols):
    assert primaries_of(lettered_run({"summary": "r"}, protocols=protocols)) == ()


@pytest.mark.parametrize(
    ("protocol", "what"),
    [
        ({"strategies": ["summary"]}, "summary"),
        ({"frame": True}, "the frame around every prompt"),
        ({"scorer": True}, "the scorer"),
    ],
    ids=["strategy", "frame", "scorer"],
)
def test_what_was_changed_after_the_test_has_no_result(protocol, what):
    (result,) = primaries_of(planned("r" * 10, "u" * 10, **protocol))[0].results
    assert result.undefined == f"{what} was changed after the test part was recorded"
    assert result.difference.p is None


def test_strategies_that_were_tuned_after_the_test_are_named():
    assert tuned_in(planned("r", "u", strategies=["summary"])) == ("summary",)

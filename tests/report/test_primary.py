import pytest

from mendbench.report.primary import primary_of
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
    document = {"plan": PLAN, "cases": {"test": cases or [f"slack/case{at:02}" for at in range(len(full))]}, **protocol}
    return lettered_run({}, extra=made, protocol={"frame": False, "strategies": [], **document})


def test_a_run_states_its_primary_contrasts_by_the_plan_that_it_carries():
    (result,) = primary_of(planned("r" * 10, "u" * 10)).results
    assert (result.undefined, result.difference.verdict) == (None, "better")
    assert result.difference.p == pytest.approx(2 / 2**10)


def test_a_plan_with_cases_that_are_not_in_the_run_has_no_result_yet():
    (result,) = primary_of(planned("r" * 10, "u" * 10, cases=["slack/case00", "slack/other"])).results
    assert result.undefined == "1 of the 2 cases of the test part are not in the run yet"


@pytest.mark.parametrize("protocol", [None, {"frame": False, "strategies": []}, {"plan": {"format": 1}}])
def test_without_a_plan_all_is_exploratory(protocol):
    found = primary_of(lettered_run({"summary": "r"}, protocol=protocol))
    assert found.results == ()
    assert "exploratory" in found.why_none


@pytest.mark.parametrize(
    ("protocol", "what"),
    [({"strategies": ["summary"]}, "summary"), ({"frame": True}, "the frame around every prompt")],
    ids=["strategy", "frame"],
)
def test_what_was_changed_after_the_test_has_no_result(protocol, what):
    (result,) = primary_of(planned("r" * 10, "u" * 10, **protocol)).results
    assert result.undefined == f"{what} was changed after the test part was recorded"
    assert result.difference.p is None


def test_strategies_that_were_tuned_after_the_test_are_named():
    assert primary_of(planned("r", "u", strategies=["summary"])).tuned == ("summary",)

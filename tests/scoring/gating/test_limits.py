import pytest

from mendbench.errors import BadInput, UnknownName
from mendbench.scoring.gating.limits import check_limits, read_limits
from mendbench.scoring.gating.result import LimitSelection
from mendbench.scoring.gating.verdict_texts import limit_words
from tests.fakes.gates import entry, present, unjudged

PLACE = "mendbench.toml: gate.limits"
ALL = LimitSelection()


def records(*entries, **more):
    return present(*entries, **more).records


def checked(limits, entries, selection=ALL, **more):
    return check_limits(read_limits(limits, PLACE), records(*entries, **more), selection)


@pytest.mark.parametrize(
    ("limits", "statuses"),
    [
        ({"min_repair_success": 0.5}, ["holds"]),
        ({"min_repair_success": 0.51}, ["broken"]),
        ({"max_wasted": 0.5}, ["holds"]),
        ({"max_wasted": 0.49}, ["broken"]),
    ],
)
def test_a_limit_compares_the_value_itself(limits, statuses):
    found = checked(limits, [entry("a"), entry("b", right=False)])
    assert [one.status for one in found] == statuses


def test_a_limit_is_reported_with_value_interval_and_the_side_it_fails_on():
    (found,) = checked({"min_repair_success": 0.9}, [entry("a"), entry("b", right=False)])
    assert limit_words(found) == (
        "min_repair_success: repair_success is 0.5, 95 % 0.0945 to 0.905, too low: at least 0.9 is allowed; summary · two-layer · m"
    )


def test_unjudged_trials_leave_a_limit_open_that_they_could_decide():
    run = [entry("a"), unjudged("b")]
    assert [one.status for one in checked({"min_repair_success": 0.5}, run)] == ["holds"]
    assert [one.status for one in checked({"min_repair_success": 0.9}, run)] == ["open"]
    assert [
        one.status
        for one in checked(
            {"min_repair_success": 0.9}, [entry("a", right=False), entry("c", right=False), unjudged("b")]
        )
    ] == ["broken"]


@pytest.mark.parametrize(
    ("limits", "run"),
    [
        ({"max_wasted": 1.0}, [entry("a"), unjudged("b")]),
        ({"max_wasted": 0.0}, [entry("a", right=False), unjudged("b")]),
        ({"max_wasted": 1.0}, [entry("a"), unjudged("a", sample=1)]),
        ({"max_completion_tokens": 9.0}, [entry("a"), unjudged("b")]),
        ({"max_wasted": 1.0}, [unjudged("a")]),
    ],
)
def test_a_score_of_judged_trials_alone_is_open_while_one_is_unjudged(limits, run):
    (found,) = checked(limits, run)
    assert found.status == "open"
    assert "unjudged trials decide" in limit_words(found)


def test_a_score_that_has_nothing_to_do_with_the_unjudged_trial_is_not_open():
    run = [entry("a"), entry("b"), unjudged("c", kind="control")]
    assert [one.status for one in checked({"min_repair_success": 1.0}, run)] == ["holds"]
    assert [one.status for one in checked({"max_unjudged": 0.5, "max_crashed": 0.0, "max_progress": 7.0}, run)] == [
        "holds", "holds", "holds",
    ]  # fmt: skip


def test_an_undefined_score_says_why_in_words():
    run = [entry("a"), entry("b", strategy="mend", kind="control", outcome="untouched")]
    found = next(one for one in checked({"min_repair_success": 0.5}, run) if one.status == "undefined")
    assert "repair_success is undefined, because there are no cases with an edit fault; mend" in limit_words(found)


def test_each_treatment_and_each_part_of_the_corpus_has_a_limit_of_its_own():
    run = [entry("a"), entry("b", right=False), entry("a", strategy="mend")]
    found = checked({"min_repair_success": 0.9}, run, parts={"a": "train", "b": "test"})
    assert [(one.part, one.treatment.strategy, one.status) for one in found] == [
        ("test", "summary", "broken"), ("train", "mend", "holds"), ("train", "summary", "holds"),
    ]  # fmt: skip


def test_limits_hold_for_what_is_selected_and_not_for_the_controls():
    run = [entry("a"), entry("a", model=None, right=False), entry("a", policy="naive", right=False)]
    limit = {"min_repair_success": 0.9}
    assert [one.status for one in checked(limit, run, LimitSelection(policies=("two-layer",), bounds=("rules",)))] == [
        "holds"
    ]
    assert len(checked(limit, run, LimitSelection(bounds=("rules",)))) == 2
    assert len(checked(limit, run, LimitSelection(repairers=("rules",), bounds=("rules",)))) == 1


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"max_waste": 1.0}, r"gate.limits.max_waste: unknown score 'waste'; did you mean 'wasted'\?"),
        ({"wasted": 1.0}, "a limit named 'wasted'; begin it with max_ or min_"),
        ({"min_repair_success": 90.0}, "90 for a share; give a number from 0 to 1"),
        ({"min_wasted": -5.0}, "gate.limits.min_wasted: -5 for what is never below 0; give a number from 0 on"),
    ],
)
def test_a_limit_that_could_not_hold_is_an_error(limits, message):
    with pytest.raises(BadInput, match=message):
        read_limits(limits, PLACE)


def test_a_limit_on_what_the_run_does_not_have_is_an_error_that_names_what_it_has():
    with pytest.raises(
        BadInput,
        match=r"undefined, because there are no .*: so it is in this run; take it out, or one of: .*control_success",
    ) as caught:
        checked({"min_repair_success": 0.5}, [entry("a", kind="control", outcome="untouched")])
    assert "wasted" in caught.value.hint


def test_a_treatment_without_the_score_is_shown_where_another_one_has_it():
    run = [entry("a"), entry("b", strategy="mend", kind="control", outcome="untouched")]
    assert {one.treatment.strategy: one.status for one in checked({"min_repair_success": 0.5}, run)} == {
        "summary": "holds",
        "mend": "undefined",
    }


def test_a_selection_of_what_is_not_there_is_an_error():
    with pytest.raises(UnknownName, match=r"gate.strategies: unknown strategy 'sumary'; did you mean 'summary'"):
        checked({"max_wasted": 1.0}, [entry("a")], LimitSelection(strategies=("sumary",)))
    with pytest.raises(BadInput, match="no trial that is selected"):
        checked({"max_wasted": 1.0}, [entry("a")], LimitSelection(part="test"))

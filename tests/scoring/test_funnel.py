"""Where repair stopped, for the first response and for the last one."""

import pytest

from mendbench.scoring.funnel import STAGES, final_stage, first_stage, funnel
from tests.fakes.scored import attempt, record

WRONG = {"verdict": "incorrect", "outcome": "unrepaired", "right_after_first": False, "end": "error"}


def failed(*progress, **changes):
    attempts = tuple(attempt(number, progress=level) for number, level in enumerate(progress, start=1))
    return record(**{**WRONG, "attempts": attempts, **changes})


@pytest.mark.parametrize(
    ("progress", "stage"),
    [
        (0, "no usable response"),
        (1, "unchanged"),
        (2, "invalid"),
        (3, "edited elsewhere"),
        (4, "cause edited"),
        (5, "cause edited"),
        (6, "green but wrong"),
    ],
)
def test_a_response_that_is_not_right_stopped_at_the_stage_of_its_ladder(progress, stage):
    assert first_stage(failed(progress)) == final_stage(failed(progress)) == stage


def test_the_first_response_is_judged_by_itself_and_the_trial_by_its_end():
    late = record(attempts=(attempt(1, progress=3), attempt(2, progress=7)), right_after_first=False)
    assert (first_stage(late), final_stage(late)) == ("edited elsewhere", "right")
    spoilt = failed(6, 3, right_after_first=True)
    assert (first_stage(spoilt), final_stage(spoilt)) == ("right", "edited elsewhere")


def test_a_run_that_is_green_and_wrong_is_called_so_wherever_its_edit_was():
    green = attempt(1, progress=3, label="plausible")
    found = record(**WRONG | {"outcome": "plausible", "end": "success"}, edited=True, attempts=(green,))
    assert (first_stage(found), final_stage(found)) == ("green but wrong", "green but wrong")


def test_a_trial_in_which_nobody_was_asked_and_one_without_a_verdict_are_counted_apart():
    assert first_stage(failed()) == final_stage(failed()) == "not asked"
    assert first_stage(record(verdict="unjudged")) == final_stage(record(verdict="crashed")) == "open"


def test_a_funnel_counts_every_trial_with_an_edit_fault_once_at_each_end():
    found = funnel([record("a"), failed(1), record("b", verdict="unjudged"), record("c", kind="control")])
    assert found.trials == sum(found.first.values()) == sum(found.final.values()) == 3
    assert found.final == dict.fromkeys(STAGES, 0) | {"right": 1, "unchanged": 1, "open": 1}

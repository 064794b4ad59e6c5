import pytest

from mendbench.scoring.chance import ResponseDigest
from mendbench.scoring.comparing.changes import changes_of, same_responses
from mendbench.scoring.comparing.pairing import TrialPair
from mendbench.scoring.gating.gate import regime_of
from mendbench.scoring.gating.resampled import Pair
from tests.fakes.compared import THEIRS, VERDICTS, Responses, trial
from tests.fakes.gates import entry
from tests.fakes.tables import for_each

SAME = Responses()


def pair(before="1", after="1", case="a", **changes):
    """Return one trial on both sides; ``changes`` are B's."""
    return TrialPair(a=trial(case, verdict=VERDICTS[before]), b=trial(case, THEIRS, verdict=VERDICTS[after], **changes))


@for_each(
    ("before", "after", "direction"),
    [
        ("1", "0", "newly failing"), ("1", "!", "newly failing"), ("0", "1", "newly passing"), ("!", "1", "newly passing"),
        ("1", "?", "no verdict any more"), ("0", "?", "no verdict any more"), ("!", "?", "no verdict any more"),
        ("?", "1", "newly judged"), ("?", "0", "newly judged"), ("?", "!", "newly judged"),
        ("0", "!", "otherwise"), ("!", "0", "otherwise"),
        ("1", "1", None), ("0", "0", None), ("?", "?", None), ("!", "!", None),
    ],
)  # fmt: skip
def test_every_way_from_one_verdict_to_another_has_its_name(before, after, direction):
    assert [one.direction for one in changes_of([pair(before, after)], SAME, SAME)] == (
        [direction] if direction else []
    )


@for_each("changed", [{"outcome": "plausible"}, {"stop_reason": "no_progress"}, {"wasted_attempts": 1}])
def test_a_trial_that_ended_otherwise_is_a_change_too(changed):
    (change,) = changes_of([pair("0", "0", **changed)], SAME, SAME)
    (name,) = changed
    assert change.direction == "otherwise"
    assert getattr(change.after, name) == changed[name] != getattr(change.before, name)


def test_what_is_newly_failing_stands_first_and_the_order_of_trials_does_not_matter():
    pairs = [pair("?", "1", "a"), pair("0", "1", "b"), pair("1", "0", "d"), pair("1", "0", "c"), pair("1", "1", "e")]
    found = changes_of(pairs, SAME, SAME)
    assert [one.case for one in found] == ["c", "d", "b", "a"]
    assert changes_of(pairs[::-1], SAME, SAME) == found


def digests(*texts, asked=True):
    return tuple(ResponseDigest(prompt="p", response=text, asked=asked) for text in texts)


@for_each(
    ("ours", "theirs", "same"),
    [
        (digests("x", "y"), digests("x", "y"), "same responses"), ((), (), "same responses"),
        (digests("x", "y"), digests("x"), "same responses as far as both went"), ((), digests("x"), "same responses as far as both went"),
        (digests("x"), digests("y"), "other responses"), (digests("x", "y"), digests("x", "z"), "other responses"),
        (digests("x", asked=False), digests("y", asked=False), "other responses, and not by chance"),
        (digests("x", asked=False), digests("y"), "other responses"),
    ],
)  # fmt: skip
def test_answers_are_compared_as_far_as_both_trials_went(ours, theirs, same):
    assert same_responses(pair(), Responses(ours), Responses(theirs)) == same
    (change,) = changes_of([pair("1", "0")], Responses(ours), Responses(theirs))
    assert change.responses == same


def test_code_that_crashed_after_another_answer_did_not_do_so_by_chance():
    (change,) = changes_of([pair("1", "!")], Responses(digests("x")), Responses(digests("y")))
    assert change.responses == "other responses, and not by chance"


@pytest.mark.parametrize("asked", [True, False])
@pytest.mark.parametrize("then", ["1", "0", "!"])
@pytest.mark.parametrize("now", ["1", "0", "!"])
@pytest.mark.parametrize("texts", [("x",), ("y",), ("x", "y"), ()])
def test_the_gate_and_a_comparison_have_one_rule_for_what_may_be_chance(asked, then, now, texts):
    ours, theirs = digests("x", asked=asked), digests(*texts, asked=asked)
    held = Pair(then=entry(verdict=VERDICTS[then], responses=ours), now=entry(verdict=VERDICTS[now], responses=theirs))
    found = same_responses(pair(then, now), Responses(ours), Responses(theirs))
    assert (regime_of(held) == "resampled") == (found == "other responses")

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.runtime.nodes.call_depth import CallDepth, called, depth_for, heard, notice

NOTICE = "Maximum function call depth exceeded"


def after_calls(count, depth):
    for _ in range(count):
        depth = called(depth)
    return depth


@pytest.mark.parametrize(
    ("provider", "limit"), [(None, 20), ("", 20), ("openai", 20), ("claude", 20), ("mistral", 30), ("Mistral", 30)]
)
def test_a_turn_may_make_as_many_calls_as_its_provider_is_allowed(provider, limit):
    depth = depth_for(provider)
    assert (depth.limit, depth.calls) == (limit, 0)
    assert notice(after_calls(limit, depth)) is None
    assert notice(after_calls(limit + 1, depth)) == NOTICE


def test_a_message_of_the_user_begins_a_turn_at_zero():
    over = after_calls(21, depth_for())
    assert notice(over) == NOTICE
    assert heard(over, "user") == CallDepth(limit=20, calls=0)


@pytest.mark.parametrize("role", ["assistant", "tool", "system", "User", ""])
def test_no_other_role_begins_a_turn(role):
    over = after_calls(21, depth_for())
    assert heard(over, role) == over


def test_a_long_conversation_is_never_stopped_for_its_length():
    depth = depth_for()
    for _ in range(50):
        depth = after_calls(20, heard(depth, "user"))
        assert notice(depth) is None


@given(steps=st.lists(st.sampled_from(["call", "user", "tool", "assistant"]), max_size=80), limit=st.integers(0, 40))
def test_the_notice_is_due_exactly_when_the_calls_since_the_users_last_message_exceed_the_limit(steps, limit):
    depth = CallDepth(limit=limit)
    for step in steps:
        depth = called(depth) if step == "call" else heard(depth, step)
    last = max((at for at, step in enumerate(steps) if step == "user"), default=-1)
    assert (notice(depth) is not None) == (steps[last + 1 :].count("call") > limit)

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.runtime.nodes.completions import Call, added, calls_of, refusal, reply_of, tokens_of
from tests.fakes.function_calls import calling

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["choices", "message", "tool_calls", "function", "usage", "content"]), inner)
    ),
    max_leaves=12,
)


@given(body=JSON)
def test_whatever_is_answered_is_read(body):
    assert reply_of(body) is None or isinstance(reply_of(body), str)
    assert all(isinstance(call.arguments, str) for call in calls_of(body))
    assert set(tokens_of(body)) == {"input_tokens", "output_tokens", "total_tokens"}
    assert refusal(body, 500)


@pytest.mark.parametrize(
    ("arguments", "text"), [('{"a": 1}', '{"a": 1}'), ({"a": 1}, '{"a":1}'), (None, ""), ("", ""), ([1], "[1]")]
)
def test_arguments_come_as_text_whatever_the_server_gives(arguments, text):
    assert calls_of(json.loads(calling(("f", arguments)).body)) == (Call(name="f", arguments=text),)


def test_tokens_add_up_and_what_is_not_counted_stays_unknown():
    counts = {"input_tokens": 1, "output_tokens": None, "total_tokens": None}
    other = {"input_tokens": 2, "output_tokens": 5, "total_tokens": None}
    assert added(counts, other) == added(other, counts) == {"input_tokens": 3, "output_tokens": 5, "total_tokens": None}

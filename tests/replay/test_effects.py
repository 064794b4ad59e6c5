"""Whether an exchange changed the world."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.model.exchange import Response
from mendbench.replay.effects import by_live, by_method, by_state, did
from tests.fakes.worlds import ClassifyingLive, FakeLive, get, json_response, post

URL = "https://api.test/x"
OK, REFUSED = json_response({"ok": True}), json_response({"ok": False, "error": "no"})
STATES = st.dictionaries(st.sampled_from("abc"), st.integers(0, 1), max_size=2)


@pytest.mark.parametrize(
    ("request_", "response", "changed"),
    [
        (get(URL), OK, False),
        (post(URL, {}), OK, True),
        (post(URL, {}), REFUSED, False),
        (post(URL, {}), Response(status=0, fault="timeout"), False),
        (post("mcp://git/tools/list", {}), OK, False),
    ],
)
def test_a_method_promises_or_does(request_, response, changed):
    assert by_method(request_, response) is changed
    assert by_live(FakeLive(lambda _request: response), request_, response) is changed


@pytest.mark.parametrize("request_", [get(URL), post(URL, {})])
@pytest.mark.parametrize(("only_read", "changed"), [(True, False), (False, True)])
def test_a_live_worlds_own_word_wins_and_what_it_refused_changed_nothing(request_, only_read, changed):
    live = ClassifyingLive(lambda _request: OK, only_reads=lambda _request: only_read)
    assert by_live(live, request_, OK) is changed
    assert by_live(live, request_, REFUSED) is False


@pytest.mark.parametrize("depth", [10, 300, 450])
def test_an_answer_whose_error_is_nested_beyond_any_service_is_a_refusal_still(depth):
    error: object = "deep"
    for _ in range(depth // 2):
        error = {"a": [error]}
    assert not did(json_response({"message": "no", "error": error}))


@given(one=STATES, other=STATES, counts=st.tuples(st.integers(0, 2), st.integers(0, 2)))
def test_where_a_state_counts_its_changes_the_count_alone_decides(one, other, counts):
    assert by_state(one, other) is (one != other)
    before, after = ({**state, "counters": {"writes": n}} for state, n in zip((one, other), counts, strict=True))
    assert by_state(before, after) is (counts[0] != counts[1])

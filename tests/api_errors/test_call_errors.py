from hypothesis import given
from hypothesis import strategies as st

from mendbench.api_errors.call_errors import CallErrors, Stop, error_in, handled, reset
from mendbench.api_errors.patterns import PatternHistory
from tests.fakes.tables import for_each

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def after(*results, start=None):
    """Return the state after calls with these results, and what each call said."""
    state, said = start or CallErrors(), []
    for result in results:
        state, stop = handled(state, result, "run_code")
        said.append(stop)
    return state, said


@for_each(
    "result",
    [
        "ERROR: disk full",
        "Error: disk full",
        "Error executing code: disk full",
        "Error occurred while saving",
        "❌ disk full",
        'the tool said {"success":false}',
        '{"success": false, "error": "x"}',
        {"success": False},
        {"success": False, "error": "disk full"},
    ],
)
def test_a_result_that_states_an_error_is_one(result):
    assert error_in(result)


@for_each(
    "result",
    [
        None, "", "done", "no Error: here", " ERROR: behind a blank", "error: in lower case", "Errors: 0",
        {"success": True}, {"success": None}, {"success": 0}, {"ok": False}, {"error": "x"}, [{"success": False}], 500, False,
    ],
)  # fmt: skip
def test_everything_else_is_no_error(result):
    assert error_in(result) is None


def test_an_object_is_reported_by_all_of_its_text():
    state, _ = after({"success": False, "error": "permission denied"})
    assert state.history.category == "permission_error"


def test_the_third_error_of_a_kind_says_stop_and_sets_the_flag():
    state, said = after("ERROR: disk full", {"success": False, "error": "out of memory"}, "❌ disk full")
    assert said[:2] == [None, None]
    assert isinstance(said[2], Stop)
    assert "(resources)" in said[2].suggestion
    assert state.stop_retrying


def test_two_errors_of_a_kind_set_no_flag():
    state, said = after("ERROR: disk full", "ERROR: disk full")
    assert said == [None, None]
    assert not state.stop_retrying


def test_a_success_in_between_does_not_reset_the_count():
    _, said = after("ERROR: disk full", "saved", "ERROR: disk full", {"success": True}, "ERROR: disk full")
    assert [bool(stop) for stop in said] == [False, False, False, False, True]


def test_the_flag_stays_when_other_errors_and_successes_follow():
    state, said = after(*["ERROR: disk full"] * 3, "saved", "ERROR: permission denied")
    assert state.stop_retrying
    assert said[3:] == [None, None]


def test_each_further_error_of_the_kind_says_stop_again():
    _, said = after(*["ERROR: disk full"] * 5)
    assert [bool(stop) for stop in said] == [False, False, True, True, True]


def test_the_called_function_is_kept_with_its_error():
    state, _ = handled(CallErrors(), "ERROR: disk full", "save_plot")
    assert [(error.text, error.function) for error in state.history.errors] == [("ERROR: disk full", "save_plot")]


def test_a_reset_forgets_errors_and_flag_and_keeps_how_unknown_errors_count():
    start = CallErrors(history=PatternHistory(unrecognised="resets"))
    state, _ = after(*["ERROR: disk full"] * 3, start=start)
    assert reset(state) == start
    assert reset(start) == start


@given(results=st.lists(JSON, max_size=8))
def test_no_result_breaks_the_handler_and_only_errors_change_its_state(results):
    state = CallErrors()
    for result in results:
        following, stop = handled(state, result, "f")
        assert (following == state and stop is None) == (error_in(result) is None)
        state = following
    assert state == after(*results)[0]

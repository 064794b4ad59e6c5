from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.api_errors.retry import retry_after_s, retrying, transient, wait_s
from mendbench.errors import ReplayMiss
from mendbench.io.virtual_clock import START_MS, VirtualClock
from mendbench.model.exchange import Response


def attempts_of(results, clock=None, **options):
    left = list(results)
    made = []

    def call():
        made.append(None)
        result = left.pop(0)
        if isinstance(result, BaseException):
            raise result
        return result

    kept = {"again": lambda result: result == "busy", "attempts": 3, "base_s": 1, "cap_s": 30, **options}
    return retrying(call, clock, **kept), len(made)


def test_a_good_result_is_taken_at_once():
    clock = VirtualClock()
    assert attempts_of(["done"], clock) == ("done", 1)
    assert clock.now_ms() == START_MS


def test_waiting_moves_the_virtual_clock_by_the_same_time_on_every_run():
    times = []
    for _ in range(2):
        clock = VirtualClock()
        assert attempts_of(["busy", "busy", "done"], clock, seed="GET a.test") == ("done", 3)
        times.append(clock.now_ms() - START_MS)
    assert times[0] == times[1]
    assert 1500 <= times[0] <= 3000


def test_after_the_last_attempt_the_last_result_is_returned():
    assert attempts_of(["busy"] * 5, VirtualClock()) == ("busy", 3)


def test_a_server_that_names_a_wait_gets_it():
    clock = VirtualClock()
    assert attempts_of(["busy", "done"], clock, retry_after=lambda _result: 30.0) == ("done", 2)
    assert clock.now_ms() - START_MS == 30_000


def test_a_server_that_asks_for_too_long_a_wait_is_not_waited_for():
    clock = VirtualClock()
    assert attempts_of(["busy", "done"], clock, retry_after=lambda _result: 3600.0) == ("busy", 1)
    assert clock.now_ms() == START_MS


def test_named_errors_are_tried_again_and_the_last_one_is_raised():
    assert attempts_of([OSError("one"), "done"], VirtualClock(), errors=(OSError,)) == ("done", 2)
    with pytest.raises(OSError, match="two"):
        attempts_of([OSError("one"), OSError("two")], VirtualClock(), errors=(OSError,), attempts=2)


def test_other_errors_pass_at_once():
    clock = VirtualClock()
    with pytest.raises(KeyError):
        attempts_of([KeyError("x"), "done"], clock, errors=(OSError,))
    assert clock.now_ms() == START_MS


def test_an_escape_passes_through():
    with pytest.raises(ReplayMiss):
        attempts_of(
            [ReplayMiss("GET x", nearest=None, differs=(), record="r"), "done"], VirtualClock(), errors=(Exception,)
        )


def test_a_given_sleep_is_used_instead_of_a_clock():
    slept = []
    assert attempts_of(["busy", "done"], None, sleep=slept.append) == ("done", 2)
    assert len(slept) == 1
    with pytest.raises(ValueError, match="clock or a sleep"):
        attempts_of(["done"], None)


def test_another_way_to_compute_the_wait_can_be_given():
    clock = VirtualClock()
    calls = []

    def wait(attempt, *, base_s, cap_s, seed):
        calls.append((attempt, base_s, cap_s, seed))
        return 7.0

    assert attempts_of(["busy", "busy", "done"], clock, wait=wait, seed="x") == ("done", 3)
    assert clock.now_ms() - START_MS == 14_000
    assert calls == [(1, 1, 30, "x"), (2, 1, 30, "x")]


def test_a_wait_has_not_changed_so_that_recorded_trials_keep_their_times():
    assert round(wait_s(1, base_s=1, cap_s=30, seed="GET a.test"), 6) == 0.526112


@given(attempt=st.integers(1, 2000), seed=st.text(max_size=5))
def test_a_wait_lies_between_half_and_the_whole_of_the_doubled_base(attempt, seed):
    whole = min(30.0, 2.0 ** min(attempt - 1, 10))
    assert whole / 2 <= wait_s(attempt, base_s=1, cap_s=30, seed=seed) <= whole


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None), ("30", 30.0), ("0", 0.0), ("1.5", 1.5), ("-1", None), ("soon", None), ("inf", None), ("nan", None),
        ("Thu, 01 Jan 2026 00:01:00 GMT", 60.0), ("Wed, 31 Dec 2025 00:00:00 GMT", 0.0), ("Thu, 01 Jan 2026 00:01:00 -0000", 60.0),
    ],
)  # fmt: skip
def test_retry_after_is_seconds_or_a_date(value, expected):
    assert retry_after_s(value, START_MS) == expected


@pytest.mark.parametrize(("status", "fault", "expected"), [(429, None, True), (503, None, True), (404, None, False), (200, None, False), (0, "timeout", True), (0, "reset", True), (0, "dns", False), (0, "tls", False)])  # fmt: skip
def test_what_another_try_may_cure(status, fault, expected):
    assert transient(Response(status=status, fault=fault)) is expected


def test_a_date_is_read_by_the_clock_of_who_set_it():
    until, its_now = "Sun, 22 Nov 2026 12:00:07 GMT", "Sun, 22 Nov 2026 12:00:00 GMT"
    assert retry_after_s(until, 0, its_now) == 7
    assert retry_after_s(its_now, 0, until) == 0
    assert retry_after_s(until, 1_795_348_800_000, "no date") == 7
    assert retry_after_s("5", 0, its_now) == 5

"""How fast one model's server may be asked."""

from __future__ import annotations

import threading
from functools import partial
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.live.rate_limit import Pace, ResponseNotNeeded
from mendbench.model.exchange import Response
from tests.fakes.recording import PATIENCE_S

GOOD, LIMITED = Response(status=200), Response(status=429)


def limited(response):
    return response.status == 429


class Watched(threading.Condition):
    """Says when somebody waits."""

    def __init__(self):
        super().__init__()
        self.waits = threading.Event()

    def wait(self, timeout=None):
        self.waits.set()
        return super().wait(timeout)


def in_thread(work):
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def test_while_one_ask_waits_for_a_rate_limit_nobody_is_asked():
    pace, log = Pace(at_once=4), []
    pace._changed = watched = Watched()

    def other():
        with pace.sending() as sending:
            sending.send(lambda: log.append("other") or GOOD, limited)

    def sleep(seconds):
        threads.append(in_thread(other))
        assert watched.waits.wait(PATIENCE_S)
        log.append(seconds)

    threads = []
    with pace.sending(sleep) as sending:
        sending.send(lambda: log.append("one") or LIMITED, limited)
        sending.rest(7.0)
    threads[0].join(PATIENCE_S)
    assert log == ["one", 7.0, "other"]


def test_an_ask_that_gives_up_lets_the_others_go_on():
    pace = Pace()
    with pytest.raises(ZeroDivisionError), pace.sending() as sending:
        sending.send(lambda: LIMITED, limited)
        raise ZeroDivisionError
    with pace.sending() as sending:
        assert sending.send(lambda: GOOD, limited) == GOOD


def test_what_raises_is_no_longer_under_way():
    pace = Pace(at_once=1)
    with pytest.raises(ZeroDivisionError), pace.sending() as sending:
        sending.send(lambda: 1 / 0, limited)
    with pace.sending() as sending:
        assert sending.send(lambda: GOOD, limited) == GOOD


def test_after_a_limit_fewer_are_asked_at_once_and_with_each_answer_one_more():
    pace = Pace(at_once=8)
    allowed = [pace._allowed]
    for response in (LIMITED, LIMITED, LIMITED, LIMITED, GOOD, Response(status=0, fault="reset"), *[GOOD] * 8):
        with pace.sending() as sending:
            sending.send(partial(Response, status=response.status, fault=response.fault), limited)
        allowed.append(pace._allowed)
    assert allowed == [8, 4, 2, 1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 8, 8]


def test_no_more_than_allowed_are_under_way():
    pace, together = Pace(at_once=2), threading.Barrier(2)
    inside, most = [], []

    def call():
        inside.append(1)
        most.append(len(inside))
        together.wait(PATIENCE_S)
        inside.pop()
        return GOOD

    def send():
        with pace.sending() as sending:
            sending.send(call, limited)

    threads = [in_thread(send) for _ in range(6)]
    for thread in threads:
        thread.join(PATIENCE_S)
    assert len(most) == 6
    assert max(most) == 2


@given(per_minute=st.floats(1, 6000), took=st.lists(st.floats(0, 5), min_size=2, max_size=12))
def test_asks_are_never_sent_closer_than_the_configured_rate(per_minute, took):
    moment, sent = [100.0], []

    def sleep(seconds):
        assert seconds > 0
        moment[0] += seconds

    pace = Pace(per_minute=per_minute, now=lambda: moment[0], sleep=sleep)
    for seconds in took:
        with pace.sending() as sending:
            sending.send(lambda: sent.append(moment[0]) or GOOD, limited)
        moment[0] += seconds
    gaps = [after - before for before, after in pairwise(sent)]
    assert all(gap >= 60 / per_minute - 1e-6 for gap in gaps)
    assert all(gap <= max(60 / per_minute, seconds) + 1e-6 for gap, seconds in zip(gaps, took, strict=False))


def test_waiters_are_notified_when_it_stops_and_nothing_more_is_asked():
    pace, events = Pace(), []
    pace._changed = watched = Watched()

    def waiting():
        try:
            with pace.sending() as sending:
                sending.send(lambda: GOOD, limited)
        except ResponseNotNeeded:
            events.append("stopped")

    with pace.sending() as sending:

        def call():
            thread = in_thread(waiting)
            assert watched.waits.wait(PATIENCE_S)
            pace.stop()
            thread.join(PATIENCE_S)
            return GOOD

        assert sending.send(call, limited) == GOOD
    assert events == ["stopped"]
    with pytest.raises(ResponseNotNeeded), pace.sending() as sending:
        sending.send(lambda: pytest.fail("it was asked"), limited)


def test_a_real_wait_ends_when_it_is_stopped():
    pace = Pace()
    pace.stop()
    with pytest.raises(ResponseNotNeeded), pace.sending() as sending:
        sending.rest(3600.0)

"""How fast one model's server may be asked: so many asks at once, so many a minute, and none while it wants to be left alone."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mendbench.model.exchange import Response

_PER_MINUTE = 60.0


class Stopped(BaseException):
    """Nobody wants the response any more. Not an ``Exception``: what tries again must not take it for a failure."""


class Pace:
    """One for each model, shared by all threads that ask it.

    A server that refuses a model request for the rate of asking (:meth:`Sending.rest`) is left alone by all of them until
    that wait is over. Then it is sent half as many at once as before, and one more with each response, up to ``at_once`` again.
    ``now`` is a monotonic clock, in seconds.
    """

    def __init__(
        self,
        *,
        at_once: int = 1,
        per_minute: float | None = None,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] | None = None,
    ) -> None:
        self.at_once = at_once
        self._apart_s = _PER_MINUTE / per_minute if per_minute else 0.0
        self._now, self._sleep = now, sleep or self._interruptible
        self._changed = threading.Condition()
        self._stopped = threading.Event()
        self._allowed, self._under_way, self._resting = at_once, 0, 0
        self._next: float | None = None
        """When the next ask may be sent at the earliest."""

    @contextmanager
    def sending(self, sleep: Callable[[float], None] | None = None) -> Iterator[Sending]:
        """Yield what sends one model request, as often as it takes. ``sleep`` is how it waits between two tries."""
        one = Sending(self, sleep or self._sleep)
        try:
            yield one
        finally:
            one.end_rest()

    def stop(self) -> None:
        """Let nobody be asked any more: whoever waits gets :class:`Stopped`, and responses under way come."""
        self._stopped.set()
        with self._changed:
            self._changed.notify_all()

    def begin(self) -> None:
        """Wait until the server may be asked, and count the model request as under way.

        Raises:
            Stopped: it may not be asked any more.
        """
        while True:
            with self._changed:
                while not self._stopped.is_set() and (self._resting or self._under_way >= self._allowed):
                    self._changed.wait()
                if self._stopped.is_set():
                    raise Stopped
                now = self._now()
                early_s = 0.0 if self._next is None else self._next - now
                if early_s <= 0:
                    self._under_way += 1
                    self._next = now + self._apart_s
                    return
            self._sleep(early_s)

    def end(self, *, limited: bool, answered: bool) -> None:
        """Say that a model request is no longer under way, and whether it was refused for the rate of asking (a rest then begins)."""
        with self._changed:
            self._under_way -= 1
            if limited:
                self._allowed = max(1, self._allowed // 2)
                self._resting += 1
            elif answered:
                self._allowed = min(self.at_once, self._allowed + 1)
            self._changed.notify_all()

    def end_rest(self) -> None:
        """Say that the wait of one refused ask is over."""
        with self._changed:
            self._resting -= 1
            self._changed.notify_all()

    def _interruptible(self, seconds: float) -> None:
        if self._stopped.wait(seconds):
            raise Stopped


class Sending:
    """One ask on its way through a pace. Made by :meth:`Pace.sending`."""

    def __init__(self, pace: Pace, sleep: Callable[[float], None]) -> None:
        self._pace, self._sleep = pace, sleep
        self._rests = False

    def send(self, call: Callable[[], Response], limited: Callable[[Response], bool]) -> Response:
        """Wait for the turn, and return what ``call`` returns.

        Where that is ``limited``, nobody asks the server until :meth:`rest` or the whole model request is over.

        Raises:
            Stopped: the server may not be asked any more.
        """
        self.end_rest()
        self._pace.begin()
        refused = answered = False
        try:
            came = call()
            refused = limited(came)
            answered = not refused and came.fault is None
        finally:
            self._rests = refused
            self._pace.end(limited=refused, answered=answered)
        return came

    def rest(self, seconds: float) -> None:
        """Wait before the next try, together with all others if the last one was refused for the rate of asking."""
        try:
            self._sleep(seconds)
        finally:
            self.end_rest()

    def end_rest(self) -> None:
        """Let the others go on, if they wait for this model request."""
        if self._rests:
            self._rests = False
            self._pace.end_rest()

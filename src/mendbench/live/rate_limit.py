"""The rate limit of one model's server: concurrent requests, requests per minute, and pauses that the server requests."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mendbench.model.exchange import Response

_PER_MINUTE = 60.0


class ResponseNotNeeded(BaseException):
    """The response is no longer needed. Not an ``Exception``: code that retries must not treat it as a failure."""


class Pace:
    """One for each model, shared by all threads that call it.

    If a server refuses a model request because of its rate (:meth:`Sending.rest`), all threads wait until that pause is over. After that,
    half as many requests run at once, and one more with each response, up to ``at_once`` again. ``now`` is a monotonic clock, in seconds.
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
        """The earliest time for the next request."""

    @contextmanager
    def sending(self, sleep: Callable[[float], None] | None = None) -> Iterator[Sending]:
        """Yield the sender of one model request, including its retries. ``sleep`` is how it waits between two tries."""
        sender = Sending(self, sleep or self._sleep)
        try:
            yield sender
        finally:
            sender.end_rest()

    def stop(self) -> None:
        """Allow no more requests: waiting threads get :class:`ResponseNotNeeded`, and responses under way still arrive."""
        self._stopped.set()
        with self._changed:
            self._changed.notify_all()

    def begin(self) -> None:
        """Wait until the server may be called, and count the model request as under way.

        Raises:
            ResponseNotNeeded: the server may not be called any more.
        """
        while True:
            with self._changed:
                while not self._stopped.is_set() and (self._resting or self._under_way >= self._allowed):
                    self._changed.wait()
                if self._stopped.is_set():
                    raise ResponseNotNeeded
                now = self._now()
                early_s = 0.0 if self._next is None else self._next - now
                if early_s <= 0:
                    self._under_way += 1
                    self._next = now + self._apart_s
                    return
            self._sleep(early_s)

    def end(self, *, limited: bool, answered: bool) -> None:
        """Mark a model request as no longer under way, and whether it was refused because of its rate (then a pause begins)."""
        with self._changed:
            self._under_way -= 1
            if limited:
                self._allowed = max(1, self._allowed // 2)
                self._resting += 1
            elif answered:
                self._allowed = min(self.at_once, self._allowed + 1)
            self._changed.notify_all()

    def end_rest(self) -> None:
        """Mark the pause of one refused request as over."""
        with self._changed:
            self._resting -= 1
            self._changed.notify_all()

    def _interruptible(self, seconds: float) -> None:
        if self._stopped.wait(seconds):
            raise ResponseNotNeeded


class Sending:
    """One model request under a pace. Made by :meth:`Pace.sending`."""

    def __init__(self, pace: Pace, sleep: Callable[[float], None]) -> None:
        self._pace, self._sleep = pace, sleep
        self._rests = False

    def send(self, call: Callable[[], Response], limited: Callable[[Response], bool]) -> Response:
        """Wait for the turn, and return the result of ``call``.

        If the result is ``limited``, no thread calls the server until :meth:`rest` or the whole model request is over.

        Raises:
            ResponseNotNeeded: the server may not be called any more.
        """
        self.end_rest()
        self._pace.begin()
        refused = answered = False
        try:
            response = call()
            refused = limited(response)
            answered = not refused and response.fault is None
        finally:
            self._rests = refused
            self._pace.end(limited=refused, answered=answered)
        return response

    def rest(self, seconds: float) -> None:
        """Wait before the next try, together with all others if the last one was refused because of its rate."""
        try:
            self._sleep(seconds)
        finally:
            self.end_rest()

    def end_rest(self) -> None:
        """Let the other threads continue if they wait for this model request."""
        if self._rests:
            self._rests = False
            self._pace.end_rest()

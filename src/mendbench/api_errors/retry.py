"""Retries: exponential backoff with deterministic jitter, and a sleep function from the caller.

In a trial the sleep advances the virtual clock. Only calls of a model's server really sleep.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Protocol, TypeVar

from mendbench.model.exchange import Response

T = TypeVar("T")

TRANSIENT_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Statuses that a retry may resolve (RFC 9110 sections 15.5.9, 15.6; RFC 8470 section 5.2; RFC 6585 section 4)."""

TRANSIENT_FAULTS = frozenset({"timeout", "refused", "reset", "truncated"})
"""Transport faults that a retry may resolve. An unknown host name and a bad certificate are permanent."""

PATIENCE_S = 120.0
"""The longest wait that a server may request, seconds. Longer ones end the retries."""


class Advancing(Protocol):
    """The part of a clock that a virtual sleep needs."""

    def advance(self, ms: int) -> None:
        """Advance the time by that much."""


class Wait(Protocol):
    """How long to wait after a failed attempt."""

    def __call__(self, attempt: int, /, *, base_s: float, cap_s: float, seed: str) -> float:
        """Return seconds; the same for the same arguments."""


def transient(response: Response) -> bool:
    """Return whether a retry may get a better response."""
    return response.fault in TRANSIENT_FAULTS if response.fault else response.status in TRANSIENT_STATUSES


def retry_after_s(value: str | None, now_ms: int, date: str | None = None) -> float | None:
    """Return the delay in a ``Retry-After`` header in seconds, or None if it is absent or unreadable.

    It contains seconds or a date (RFC 9110 section 10.2.3). A date is relative to ``date``, the response's own ``Date`` header, if present,
    and otherwise to ``now_ms``.
    """
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        pass
    else:
        return seconds if 0 <= seconds < float("inf") else None
    until, since = _date_s(value), _date_s(date or "")
    return None if until is None else max(0.0, until - (now_ms / 1000 if since is None else since))


def _date_s(text: str) -> float | None:
    """Return a date (RFC 9110 section 5.6.7) in seconds since the Unix epoch, or None if it is not a date."""
    try:
        when = parsedate_to_datetime(text)
        return (when.replace(tzinfo=UTC) if when.tzinfo is None else when).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def wait_s(attempt: int, *, base_s: float, cap_s: float, seed: str) -> float:
    """Return how long to wait after failed attempt number ``attempt`` (from 1), seconds.

    ``base_s`` doubles with each attempt, up to ``cap_s``. Half of that is fixed. The other half is jitter, drawn from a digest of ``seed``.
    """
    whole = min(cap_s, base_s * 2.0 ** min(attempt - 1, 64))
    return whole * (0.5 + 0.5 * drawn(seed, attempt))


def drawn(seed: str, attempt: int) -> float:
    """Return a pseudo-random number from 0 up to 1, determined by the seed and the attempt."""
    return int.from_bytes(hashlib.sha256(f"{seed}\n{attempt}".encode()).digest()[:4], "big") / 2**32


def retrying(
    call: Callable[[], T],
    clock: Advancing | None,
    *,
    again: Callable[[T], bool],
    attempts: int,
    base_s: float,
    cap_s: float,
    retry_after: Callable[[T], float | None] = lambda _result: None,
    errors: tuple[type[Exception], ...] = (),
    seed: str = "",
    sleep: Callable[[float], None] | None = None,
    patience_s: float = PATIENCE_S,
    wait: Wait = wait_s,
) -> T:
    """Call until ``again(result)`` is false, at most ``attempts`` times, and return the last result.

    Waits on ``clock`` (virtual), or with ``sleep`` (seconds) if given. A result's ``retry_after`` (seconds) replaces the delay from
    ``wait``; one beyond ``patience_s`` ends the retries. ``errors`` are retried too; the last one is raised.

    Raises:
        ValueError: neither a clock nor a sleep is given.
    """
    import tenacity  # noqa: PLC0415  replay alone never retries, and does not pay for it

    pause = sleep if sleep is not None else _on(clock)

    def asked(state: tenacity.RetryCallState) -> float | None:
        outcome = state.outcome
        return retry_after(outcome.result()) if outcome is not None and not outcome.failed else None

    def waited(state: tenacity.RetryCallState) -> float:
        wanted = asked(state)
        return wait(state.attempt_number, base_s=base_s, cap_s=cap_s, seed=seed) if wanted is None else wanted

    def stop(state: tenacity.RetryCallState) -> bool:
        return state.attempt_number >= attempts or (asked(state) or 0.0) > patience_s

    def last(state: tenacity.RetryCallState) -> T:
        if state.outcome is None:
            raise ValueError("no attempt was made")
        result: T = state.outcome.result()
        return result

    retry = tenacity.retry_if_result(again) | tenacity.retry_if_exception_type(errors)
    retryer = tenacity.Retrying(sleep=pause, stop=stop, wait=waited, retry=retry, retry_error_callback=last)
    return retryer(call)


def _on(clock: Advancing | None) -> Callable[[float], None]:
    if clock is None:
        raise ValueError("a clock or a sleep is needed to wait with")
    return lambda seconds: clock.advance(round(seconds * 1000))

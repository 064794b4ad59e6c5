"""Retries requests after temporary errors, on the trial's clock."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from mendbench.api_errors.retry import retry_after_s, retrying, transient
from mendbench.exchanges.urls import host_of
from mendbench.model.exchange import Request, Response
from mendbench.ports.clock import Clock
from mendbench.runtime.nodes.interface import Send

T = TypeVar("T")

TRIES = 3
"""Maximum number of tries for a request."""

FIRST_WAIT_S = 1.0
"""Wait before the second try if the response specifies none; it doubles with each try."""

LONGEST_WAIT_S = 30.0
"""Longest wait that the response does not request."""

_REPEATABLE = frozenset({"GET", "HEAD", "OPTIONS", "PUT", "DELETE"})
"""Idempotent methods (RFC 9110 section 9.2.2)."""

_FORBIDDEN, _GATEWAY_TIMEOUT = 403, 504


def send_with_retries(request: Request, send: Send, clock: Clock) -> Response:
    """Send ``request`` until it succeeds, at most :data:`TRIES` times, and return the last response.

    Busy statuses and temporary faults are retried, after the ``Retry-After`` of the response if it has one. A value above
    :data:`~mendbench.api_errors.retry.PATIENCE_S` ends the retries. A write whose response did not arrive (timeout, reset,
    cut off, 504) is not repeated, because it may have taken effect.
    """
    return retried(
        lambda: send(request),
        clock,
        again=lambda response: _worth_repeating(request, response),
        header=Response.header,
        seed=f"{request.method} {host_of(request.url)}",
    )


def retried(
    call: Callable[[], T],
    clock: Clock,
    *,
    again: Callable[[T], bool],
    header: Callable[[T, str], str | None],
    seed: str,
) -> T:
    """Call until ``again(result)`` is false, at most :data:`TRIES` times, and return the last result.

    ``header`` returns a header of the response in a result. ``seed`` determines the jitter of the waits.
    """
    first = call()
    if not again(first):  # by far the most: they do not load the library for retries
        return first
    pending = [first]
    return retrying(
        lambda: pending.pop() if pending else call(),
        clock,
        again=again,
        attempts=TRIES,
        base_s=FIRST_WAIT_S,
        cap_s=LONGEST_WAIT_S,
        retry_after=lambda result: retry_after_s(header(result, "retry-after"), clock.now_ms(), header(result, "date")),
        seed=seed,
    )


def _worth_repeating(request: Request, response: Response) -> bool:
    """Return whether another try may succeed and cannot repeat a write.

    GitHub returns 403 with ``Retry-After`` after a burst of requests (its secondary rate limit).
    """
    asked_to_wait = response.status == _FORBIDDEN and response.header("retry-after") is not None
    if not (transient(response) or asked_to_wait):
        return False
    if request.method in _REPEATABLE:
        return True
    return response.fault == "refused" if response.fault else response.status != _GATEWAY_TIMEOUT

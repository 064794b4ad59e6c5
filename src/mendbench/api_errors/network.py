"""The network handler: how long a provider is waited for, when a request is sent again, and what a user is told.

It is about transport. An HTTP status is a response and is not tried again here, not even 429 or 503, unless the caller
says so; and every fault is tried again, where :mod:`mendbench.api_errors.retry` leaves out what stays as it is
(``TRANSIENT_FAULTS``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mendbench.api_errors.retry import Advancing, drawn, retrying
from mendbench.model.exchange import Fault, Response

MAX_RETRIES = 5
"""Tries after the first one."""

BASE_S = 1.0
"""Wait before the first retry, seconds, without jitter; it doubles with each."""

CAP_S = 30.0
"""The longest wait, seconds, jitter included."""

JITTER = 0.3
"""The largest share of a wait that is added to it."""

_UNREACHED = "Unable to connect to {provider}. Please check your internet connection."

_MESSAGES: dict[Fault, str] = {
    "timeout": "Request to {provider} timed out. Please try again.",
    "refused": _UNREACHED,
    "reset": _UNREACHED,
    "dns": _UNREACHED,
    "tls": "SSL connection error with {provider}. Please try again.",
    "truncated": "Network error occurred: the answer broke off",
}
"""One for each fault, and all of them are tried again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeouts:
    """How long one request may take, seconds."""

    open_s: float
    """Until the connection stands."""
    read_s: float
    """From when the request is begun until its whole response is there: writing it has no time of its own."""


DEFAULT_TIMEOUTS = Timeouts(open_s=10, read_s=120)

_PROVIDER_TIMEOUTS = {
    "claude": Timeouts(open_s=10, read_s=300),
    "deepseek": Timeouts(open_s=15, read_s=180),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkFailure:
    """No response came, whatever was tried."""

    message: str
    """What the user is told."""
    fault: Fault
    """Of the last try."""
    tries: int


def provider_of(model: str) -> str | None:
    """Return the provider that a model's name begins with, as in ``claude/sonnet``, or None if it names none."""
    provider, slash, _ = model.partition("/")
    return provider if slash and provider else None


def timeouts_for(provider: str | None) -> Timeouts:
    """Return a provider's timeouts; names compare without case, and an unknown one has the default."""
    return _PROVIDER_TIMEOUTS.get((provider or "").lower(), DEFAULT_TIMEOUTS)


def network_message(fault: Fault, provider: str | None = None) -> str:
    """Return what a user is told of a fault that did not pass."""
    return _MESSAGES[fault].format(provider=provider or "API")


def network_wait_s(attempt: int, *, base_s: float = BASE_S, cap_s: float = CAP_S, seed: str) -> float:
    """Return how long to wait after failed attempt number ``attempt`` (from 1), seconds.

    ``base_s`` doubled with each attempt, and up to :data:`JITTER` of that on top, drawn from a digest of ``seed``; at
    most ``cap_s``.
    """
    whole = base_s * 2.0 ** min(attempt - 1, 64)
    return min(whole + JITTER * drawn(seed, attempt) * whole, cap_s)


def with_network_retry(
    call: Callable[[], Response],
    clock: Advancing | None,
    *,
    provider: str | None = None,
    max_retries: int = MAX_RETRIES,
    busy: Callable[[Response], bool] = lambda _response: False,
    retry_after: Callable[[Response], float | None] = lambda _response: None,
    seed: str = "",
    sleep: Callable[[float], None] | None = None,
) -> Response | NetworkFailure:
    """Call until a response comes without a fault, at most ``max_retries`` times again, and return it.

    Waits on ``clock`` (virtual), or with ``sleep`` (seconds) where that is given. Responses that are ``busy`` count as
    tries like any other; the last one is returned, and ``retry_after`` is how long such a response asks to be left
    alone (seconds). What ``call`` raises passes at once.

    Raises:
        ValueError: neither a clock nor a sleep is given.
    """
    if clock is None and sleep is None:
        raise ValueError("a clock or a sleep is needed to wait with")
    tries = 0

    def counted() -> Response:
        nonlocal tries
        tries += 1
        return call()

    def again(came: Response) -> bool:
        return came.fault is not None or busy(came)

    first = counted()
    pending = [first]
    response = (
        first
        if not again(first)
        else retrying(
            lambda: pending.pop() if pending else counted(),
            clock,
            again=again,
            attempts=max_retries + 1,
            base_s=BASE_S,
            cap_s=CAP_S,
            retry_after=retry_after,
            seed=seed,
            sleep=sleep,
            wait=network_wait_s,
        )
    )
    if response.fault is None:
        return response
    return NetworkFailure(message=network_message(response.fault, provider), fault=response.fault, tries=tries)

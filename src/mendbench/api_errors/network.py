"""The network handler: timeouts per provider, retries, and messages for the user.

It handles transport only. An HTTP status is a response and is not retried here, not even 429 or 503, unless the caller requests it. All
faults are retried, whereas :mod:`mendbench.api_errors.retry` retries transient ones only (``TRANSIENT_FAULTS``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mendbench.api_errors.retry import Advancing, drawn, retrying
from mendbench.model.exchange import Fault, Response

MAX_RETRIES = 5
"""Attempts after the first one."""

BASE_S = 1.0
"""Wait before the first retry, seconds, without jitter; it doubles with each."""

CAP_S = 30.0
"""The longest wait, seconds, jitter included."""

JITTER = 0.3
"""The maximum jitter, as a share of the wait."""

_UNREACHED = "Unable to connect to {provider}. Please check your internet connection."

_MESSAGES: dict[Fault, str] = {
    "timeout": "Request to {provider} timed out. Please try again.",
    "refused": _UNREACHED,
    "reset": _UNREACHED,
    "dns": _UNREACHED,
    "tls": "SSL connection error with {provider}. Please try again.",
    "truncated": "Network error occurred: the answer broke off",
}
"""One for each fault. All of them are retried."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeouts:
    """How long one request may take, seconds."""

    open_s: float
    """Until the connection is established."""
    read_s: float
    """From the start of the request to the end of its response. Writing has no separate timeout."""


DEFAULT_TIMEOUTS = Timeouts(open_s=10, read_s=120)

_PROVIDER_TIMEOUTS = {
    "claude": Timeouts(open_s=10, read_s=300),
    "deepseek": Timeouts(open_s=15, read_s=180),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkFailure:
    """No attempt got a response."""

    message: str
    """The message for the user."""
    fault: Fault
    """Of the last attempt."""
    tries: int


def provider_of(model: str) -> str | None:
    """Return the provider prefix of a model's name, as in ``claude/sonnet``, or None."""
    provider, slash, _ = model.partition("/")
    return provider if slash and provider else None


def timeouts_for(provider: str | None) -> Timeouts:
    """Return a provider's timeouts; names are case-insensitive, and an unknown one has the default."""
    return _PROVIDER_TIMEOUTS.get((provider or "").lower(), DEFAULT_TIMEOUTS)


def network_message(fault: Fault, provider: str | None = None) -> str:
    """Return the user's message for a fault that persisted."""
    return _MESSAGES[fault].format(provider=provider or "API")


def network_wait_s(attempt: int, *, base_s: float = BASE_S, cap_s: float = CAP_S, seed: str) -> float:
    """Return how long to wait after failed attempt number ``attempt`` (from 1), seconds.

    ``base_s`` doubles with each attempt. Up to :data:`JITTER` of that is added, drawn from a digest of ``seed``. The sum is at most
    ``cap_s``.
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
    """Call until a response has no fault, with at most ``max_retries`` retries, and return the response.

    Waits on ``clock`` (virtual), or with ``sleep`` (seconds) if given. Responses that are ``busy`` are retried too, and the last one is
    returned. ``retry_after`` is the delay that such a response requests (seconds). Exceptions of ``call`` propagate.

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

    def again(response: Response) -> bool:
        return response.fault is not None or busy(response)

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

"""Calls a real model behind an OpenAI-compatible URL: while recording, and if a workflow is run for real."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mendbench.api_errors.chat_responses import choice_of, holds_failure, refuses_for_length
from mendbench.api_errors.network import (
    MAX_RETRIES,
    NetworkFailure,
    Timeouts,
    provider_of,
    timeouts_for,
    with_network_retry,
)
from mendbench.api_errors.retry import TRANSIENT_STATUSES, retry_after_s
from mendbench.errors import BadInput, Incomplete
from mendbench.exchanges.bodies import parse_body
from mendbench.io.canonical_json import canonical_json, digest
from mendbench.live.rate_limit import Pace
from mendbench.live.world import HttpLive
from mendbench.model.exchange import Fault, Request, Response
from mendbench.model.json import JsonObject
from mendbench.secrets.redaction import Redactor, sanitise

if TYPE_CHECKING:
    import httpx2

ATTEMPTS = MAX_RETRIES + 1

OWN_SERVER_S = 600.0
"""How long to wait for one response of a model whose name has no provider, in seconds. Such a model runs on a user's own machine, and a
small model on a busy machine takes minutes."""

LEAST_KEY = 8
"""Minimum length of a key that is removed from responses. A server without keys accepts any word (``none``, ``ollama``). Such a word
occurs in normal text too, and removing it would change the response."""

_UNREACHABLE = frozenset[Fault]({"refused", "dns"})
"""Failures that a retry does not fix if the server has never responded."""

_FAULTS: dict[Fault, str] = {
    "timeout": "timed out",
    "refused": "connection refused",
    "reset": "connection reset",
    "dns": "unknown host",
    "tls": "TLS failed",
    "truncated": "the response broke off",
}

_SERVER_ERROR = 500
_TOO_MANY_REQUESTS = 429


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatCaller:
    """Turns a model request into ``POST {base_url}/chat/completions``. Only what the model request configures is sent.

    ``api_key_env`` names the variable that holds the key; None if the server needs none. ``provider`` selects the timeouts; None for the
    part before the slash in the model's name. ``place`` and ``file`` name where the server is configured. A server that cannot be reached
    is tried again only if it is among those that ``responded``.
    """

    base_url: str
    place: str = "model"
    file: str = "the configuration"
    responded: set[str] = field(default_factory=set, repr=False, compare=False)
    """Addresses of the servers that have sent any response. Shared by all requests in one run."""
    api_key_env: str | None = None
    provider: str | None = None
    timeout_s: float | None = None
    """How long to wait for one response, in seconds; None for the provider's timeouts."""
    attempts: int = ATTEMPTS
    sleep: Callable[[float], None] | None = None
    """How to wait between two tries; None for a real sleep that the pace can end."""
    pace: Pace | None = field(default=None, repr=False, compare=False)
    """Shared by all requests to the model; None for a separate one."""
    transport: httpx2.BaseTransport | None = field(default=None, repr=False)

    def send(self, model_request: JsonObject) -> Response:
        """Return the provider's whole response: its chat completion, or its refusal of a prompt that is too long.

        Raises:
            Stopped: its pace was stopped before the response came.
            BadInput: the server refuses the model request itself (key, model, parameters), or the key's variable is not set.
            Incomplete: no response came after all attempts, or no server listens at the model's address. A timeout is never a response.
        """
        key = self._key()
        waits = self._timeouts(self.provider or provider_of(str(model_request["model"])))
        live = HttpLive({}, patience_s=waits.read_s, open_s=waits.open_s, transport=self.transport)
        request = self._request(model_request, key)
        pace = self.pace or Pace(sleep=time.sleep)

        def sent() -> Response:
            response = sending.send(lambda: live.send(request), _limited)
            if response.fault is None:
                self.responded.add(self.base_url)
            elif response.fault in _UNREACHABLE and self.base_url not in self.responded:
                why = f"nothing listens at {self._at} ({_FAULTS[response.fault]})"
                raise Incomplete(f"{self.place}: {why}; start the server, or correct base_url in {self.file}")
            return response

        try:
            with pace.sending(self.sleep) as sending:
                result = with_network_retry(
                    sent,
                    None,
                    max_retries=self.attempts - 1,
                    busy=_busy,
                    retry_after=_wanted_s,
                    seed=digest(model_request),
                    sleep=sending.rest,
                )
        finally:
            live.close()
        if isinstance(result, NetworkFailure):
            why = f"{result.tries} attempts, last: {_FAULTS[result.fault]}"
            raise Incomplete(f"model {model_request['model']!r} at {self._at} gave no response ({why})")
        clean = Redactor({"model-api-key": key} if key and len(key) >= LEAST_KEY else {}).response(result)
        self._judge(clean, str(model_request.get("model")))
        kept = tuple((name, value) for name, value in clean.headers if name.lower() == "content-type")
        return Response(status=clean.status, headers=kept, body=clean.body, elapsed_ms=clean.elapsed_ms)

    def _timeouts(self, provider: str | None) -> Timeouts:
        theirs = timeouts_for(provider)
        patience = self.timeout_s or (OWN_SERVER_S if provider is None else theirs.read_s)
        return Timeouts(open_s=min(theirs.open_s, patience), read_s=patience)

    @property
    def _at(self) -> str:
        """The server's address for display: without a password."""
        return str(sanitise(self.base_url))

    def _key(self) -> str | None:
        if self.api_key_env is None:
            return None
        key = os.environ.get(self.api_key_env)
        if not key:
            raise BadInput(
                self.api_key_env, "the environment variable is not set", "set it to the API key of the model's server"
            )
        return key

    def _request(self, model_request: JsonObject, key: str | None) -> Request:
        wire: JsonObject = {
            "model": model_request["model"],
            "messages": model_request["messages"],
            **(model_request.get("params") or {}),
        }
        wire |= {
            name: model_request[name] for name in ("response_format", "tools") if model_request.get(name) is not None
        }
        headers = (("Content-Type", "application/json"), *((("Authorization", f"Bearer {key}"),) if key else ()))
        url = f"{self.base_url.rstrip('/')}/chat/completions"
        return Request(method="POST", url=url, headers=headers, body=canonical_json(wire).encode())

    def _judge(self, response: Response, model: str) -> None:
        """Refuse anything that is not a response, so that it is never recorded."""
        text = response.body.decode("utf-8", "replace")
        if _busy(response):
            tried = f"after {self.attempts} attempts at most: HTTP {response.status} {' '.join(text.split())[:200]}".rstrip()
            raise Incomplete(f"model {model!r} at {self._at} gave no response {tried}")
        if refuses_for_length(response):
            return
        if not 200 <= response.status < 300:  # noqa: PLR2004  the 2xx
            raise BadInput(
                self._at,
                f"HTTP {response.status} to model {model!r}: {text[:200]}",
                "check URL, key, model and parameters",
            )
        if choice_of(parse_body(response.body, response.header("content-type"))) is None:
            raise Incomplete(f"model {model!r} at {self._at} answered without a choice: {text[:200]}")


def _busy(response: Response) -> bool:
    """Return whether the server temporarily failed to respond.

    429 and similar statuses, any 5xx, such as Anthropic's 529 ``overloaded_error``, or a success that contains a failure: a server that
    forwards another one's response has sent its 200 before the other one fails.
    """
    if response.fault is not None:
        return False
    if response.status in TRANSIENT_STATUSES or response.status >= _SERVER_ERROR:
        return True
    return 200 <= response.status < 300 and holds_failure(parse_body(response.body, response.header("content-type")))  # noqa: PLR2004  the 2xx


def _wanted_s(response: Response) -> float | None:
    """Return the wait that the server requests, in seconds; None if it names no future time: then the backoff applies."""
    now_ms = round(time.time() * 1000)
    return retry_after_s(response.header("retry-after"), now_ms, response.header("date")) or None


def _limited(response: Response) -> bool:
    """Return whether the server asks all clients to wait: RFC 6585 section 4, or it gives a time (RFC 9110 section 10.2.3)."""
    return response.status == _TOO_MANY_REQUESTS or (_busy(response) and response.header("retry-after") is not None)

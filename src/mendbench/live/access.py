"""Access to live APIs while recording: what one scope may send to them, and with which real secrets."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from mendbench.errors import LiveRefused
from mendbench.exchanges.placeholders import filled
from mendbench.exchanges.urls import host_of, normalise_url
from mendbench.live.world import Live
from mendbench.model.exchange import Request, Response
from mendbench.secrets.redaction import Redactor
from mendbench.secrets.undeclared import sanitise

MIN_SECRET = 8
"""Minimum length of a real secret in characters: a shorter one also occurs in other words, and removing it would damage them."""

_URL_SHOWN, _BODY_SHOWN = 200, 120
"""How many characters of a write's URL and body a list of writes shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveAccess:
    """What one scope may send to the live APIs of a case.

    A workflow holds canaries in place of secrets. The real values are inserted when a request is sent, and removed from the response
    before any other code sees it. So only the API gets them.
    """

    case: str
    services: frozenset[str]
    """The live services of the case. Requests to other services are ignored here."""
    canaries: Mapping[str, str] = field(repr=False)
    """All secrets of the case, by name."""
    variables: Mapping[str, str]
    """Environment variables that hold their real values, by the same names."""
    allow_writes: bool = False
    workflows: tuple[str, ...] = ()
    """What each execution of the scope runs, as a list of writes names it. The last one applies to all further executions.

    Empty for a scope that may send nothing.
    """

    def covers(self, service: str) -> bool:
        """Return whether requests to a service go to a live API."""
        return service in self.services

    def is_closed_to(self, service: str) -> bool:
        """Return whether a service is a live API, and the scope may send nothing to it."""
        return self.covers(service) and not self.workflows

    def send(self, live: Live, request: Request, *, clean: Request, node: str | None, execution: int) -> Response:
        """Send a request with the real secrets in it, and return the response without them.

        ``clean`` is the redacted request. A write is listed on standard error before it is sent.

        Raises:
            LiveRefused: a variable is not set or cannot be used, a secret has no variable, or writes are not allowed.
        """
        secrets = {name: self._value(name, variable) for name, variable in self.variables.items()}
        real = self._filled(request, clean, secrets)
        if not clean.safe:
            self._announce(_shown(clean, node, self.workflows[min(execution, len(self.workflows) - 1)]))
        return _redactor(tuple(sorted(secrets.items()))).response(live.send(real))

    def _value(self, name: str, variable: str) -> str:
        value = os.environ.get(variable)
        if value is None:
            why, hint = "is not set", "set it to the real value to record; replay does not need it"
        elif len(value) < MIN_SECRET:
            why = "is empty" if not value else f"has fewer than {MIN_SECRET} characters"
            hint = "set it to the real value: a shorter one cannot be taken out of responses safely"
        elif value != value.strip() or not (value.isascii() and value.isprintable()):
            why, hint = "begins or ends with a space, or holds more than printable ASCII", "set it to the bare value"
        else:
            return value
        raise LiveRefused(f"{self.case}: secrets.{name}", f"the environment variable {variable} {why}", hint)

    def _filled(self, request: Request, clean: Request, secrets: Mapping[str, str]) -> Request:
        """Return a request with the real values for canaries, and for placeholders that came with a response.

        Raises:
            LiveRefused: a canary is left: a live API would get a made-up secret.
        """
        by_canary = {self.canaries[name]: value for name, value in secrets.items()}
        real = request
        if secrets:
            names = "|".join(map(re.escape, secrets))
            places = re.compile(rf"({'|'.join(by_canary)})|(?:<|%3[Cc])secret(?::|%3[Aa])({names})(?:>|%3[Ee])")
            real = filled(request, places, lambda found: by_canary[found[1]] if found[1] else secrets[found[2]])
        left = _canaries_in(real, self.canaries)
        if not left and host_of(real.url) == host_of(request.url):
            return real
        name = left[0] if left else next(iter(secrets))
        shown = _target(clean)
        if name in secrets:
            found = (
                f"{shown} holds ${{canary:{name}}} where its real value cannot be put, such as inside base64 or a host"
            )
            hint = "give the workflow the whole encoded text as a secret of its own"
        else:
            found = f"{shown} would send the made-up value of ${{canary:{name}}} to a live API"
            hint = f"name the variable that holds the real one in case.yaml: secrets: {{{name}: '${{env:VARIABLE}}'}}"
        raise LiveRefused(f"{self.case}: secrets", found, hint)

    def _announce(self, write: str) -> None:
        """List a write.

        Raises:
            LiveRefused: writes are not allowed, or there is no output to list them on.
        """
        if not self.allow_writes:
            raise writes_refused(self.case, [write])
        try:
            sys.stderr.write(f"mendbench: live write: {write}\n")
            sys.stderr.flush()
        except (OSError, ValueError, AttributeError):
            hint = "open standard error: a live write is listed before it is sent"
            raise LiveRefused("standard error", "cannot be written to", hint) from None


def writes_refused(case: str, writes: list[str]) -> LiveRefused:
    """Return the error that lists live writes that were not allowed."""
    count = "1 live write was" if len(writes) == 1 else f"{len(writes)} live writes were"
    return LiveRefused(case, f"{count} not sent: {'; '.join(writes)}", "pass --allow-writes to send them", writes)


def _shown(clean: Request, node: str | None, workflow: str) -> str:
    body = _cut(" ".join(clean.body.decode("utf-8", "replace").split()), _BODY_SHOWN)
    text = f"{_target(clean)}{f' {body}' if body else ''} ({f'node {node}, ' if node else ''}{workflow})"
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in str(sanitise(text)))


def _target(clean: Request) -> str:
    return f"{clean.method} {_cut(normalise_url(clean.url), _URL_SHOWN)}"


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def _canaries_in(request: Request, canaries: Mapping[str, str]) -> tuple[str, ...]:
    redactor = _redactor(tuple(sorted(canaries.items())))
    headers = "\n".join(f"{name}: {value}" for name, value in request.headers)
    return tuple(sorted({*redactor.leaks(request.url), *redactor.leaks(headers), *redactor.leaks(request.body)}))


@lru_cache(maxsize=16)
def _redactor(secrets: tuple[tuple[str, str], ...]) -> Redactor:
    return Redactor(dict(secrets))

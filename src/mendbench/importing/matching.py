"""An imported world: it serves a workflow's requests from the exchanges of a source, in their order.

Two requests are the same if method, URL and body are the same, as keys compare them. Headers are ignored because they are
another client's. All credentials count as equal.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from mendbench.cassettes.keys import canonical_body
from mendbench.errors import ReplayMiss
from mendbench.exchanges.urls import model_url, normalise_url
from mendbench.importing.interface import FoundExchange
from mendbench.io.canonical_json import canonical_json, digest
from mendbench.model.exchange import Exchange, Request, Response
from mendbench.model.json import JsonObject
from mendbench.ports.world import World
from mendbench.runtime.nodes.interface import json_request
from mendbench.secrets.issued_credentials import without_credentials
from mendbench.secrets.redaction import CREDENTIAL_HEADERS, Redactor, sanitise, sanitise_under

_PLACEHOLDER = re.compile(r"(?:<|%3C)(?:secret|redacted)[^<>%]*(?:%3A[^<>%]*)?(?:>|%3E)", re.IGNORECASE)
_SECRET = "SECRET"  # noqa: S105 - a word that stands for every credential
_TOO_MANY, _SERVER_ERROR = 429, 500
_LEAST = 6
"""Minimum length of a value that is removed everywhere: shorter ones also occur inside other words."""


@dataclass(slots=True)
class ImportedWorld:
    """Serves responses from a source's exchanges; the recording treats it as a live world.

    ``redactor`` removes the secrets from requests and from imported responses. A node that gets a fault,
    429 or 5xx may retry; if the source has no more responses, it gets the last such response again, and ``again`` counts it.
    """

    found: tuple[FoundExchange, ...]
    redactor: Redactor
    used: list[str] = field(default_factory=list)
    """Locations of the responses used, in the order of use."""
    again: int = 0
    lacking: FoundExchange | None = None
    """The requested exchange whose response the source does not contain."""
    node: str | None = None
    """The node that sends the current request."""
    _forms: dict[str, str] = field(default_factory=dict)

    def serves(self, request: Request) -> bool:
        """Return whether the source has a response to this request."""
        exchange = self._next(request)
        if exchange is not None and exchange.response is None:
            self.lacking = exchange
        return exchange is not None and exchange.response is not None

    def resets(self, request: Request) -> bool:  # noqa: ARG002 - the protocol's
        """Return that no earlier writes are needed: every response exists already."""
        return False

    def send(self, request: Request) -> Response:
        """Return the next response.

        Raises:
            LookupError: the source has none.
        """
        exchange = self._next(request)
        if exchange is None or exchange.response is None:
            raise LookupError(request.url)
        self.again += exchange.place in self.used
        self.used.append(exchange.place)
        return cleaned(exchange.response, self.redactor)

    def _next(self, request: Request) -> FoundExchange | None:
        form = self._form(request)
        same = [exchange for exchange in self.found if self._same(exchange, form)]
        fresh = next((exchange for exchange in same if exchange.place not in self.used), None)
        last = same[-1] if same else None
        return fresh or (last if last is not None and last.response is not None and _passing(last.response) else None)

    def _same(self, exchange: FoundExchange, form: str) -> bool:
        if exchange.request is None:
            return exchange.node == self.node
        known = self._forms.get(exchange.place)
        if known is None:
            known = self._forms[exchange.place] = self._form(exchange.request)
        return known == form and (exchange.node is None or self.node is None or exchange.node == self.node)

    def _form(self, request: Request) -> str:
        return request_form(self.redactor.request(request))


class ImportedModels:
    """The models of an imported world."""

    def __init__(self, imported: ImportedWorld) -> None:
        self._imported = imported

    def send(self, model_request: JsonObject) -> Response:
        """Return the source's next response to this request.

        Raises:
            ReplayMiss: the source has none.
        """
        request = json_request(model_url(model_request["model"]), model_request)
        if not self._imported.serves(request):
            sent = f"{request.method} {request.url}"
            raise ReplayMiss(sent, nearest=None, differs=(), record="mendbench case check --record new_episodes")
        return self._imported.send(request)


class NodeNoting:
    """A world that notes the requesting node before it forwards the request."""

    def __init__(self, world: World, imported: ImportedWorld) -> None:
        self._world, self._imported = world, imported

    def send(self, request: Request, *, node: str | None = None) -> Response:
        """Return the world's response."""
        self._imported.node = node
        return self._world.send(request, node=node)

    def traffic(self) -> tuple[Exchange, ...]:
        """Return the world's exchanges."""
        return self._world.traffic()

    def begin_execution(self) -> None:
        """Mark the next exchanges as part of the next execution."""
        self._world.begin_execution()


def request_form(request: Request) -> str:
    """Return a form that is the same for two requests that differ only in headers and the values of credentials."""
    url = _PLACEHOLDER.sub(_SECRET, str(sanitise(request.url)))
    body = canonical_body(replace(request, url=url))
    if isinstance(body, dict) and set(body) == {"form"}:
        body = {"form": [[pair[0], sanitise_under(pair[0], pair[1])] for pair in body["form"]]}
    shown = canonical_json(sanitise(body))
    return digest([request.method.upper(), normalise_url(url), _PLACEHOLDER.sub(_SECRET, shown)])


def cleaned(response: Response, redactor: Redactor) -> Response:
    """Return a response without secrets: known ones are found by value, all others by key and shape."""
    return without_credentials(redactor.response(response))


def secrets_in(found: Sequence[FoundExchange]) -> dict[str, str]:
    """Return the credentials in requests, by their header: values without the scheme."""
    secrets: dict[str, str] = {}
    for name, value in (
        pair for exchange in found for pair in (exchange.request.headers if exchange.request else exchange.headers)
    ):
        word = value.split()[-1] if value.split() else ""
        held = name.lower() in CREDENTIAL_HEADERS or sanitise({name: value}) != {name: value}
        if held and len(word) >= _LEAST and not _PLACEHOLDER.search(word) and word not in secrets.values():
            number = sum(label.partition(" ")[0] == name.lower() for label in secrets)
            secrets[f"{name.lower()} {number + 1}" if number else name.lower()] = word
    return secrets


def _passing(response: Response) -> bool:
    return response.fault is not None or response.status == _TOO_MANY or response.status >= _SERVER_ERROR

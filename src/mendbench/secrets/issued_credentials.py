"""Undeclared credentials that a response issues: removed from the recording, but still usable in later requests."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from mendbench.exchanges.bodies import parse_body
from mendbench.exchanges.placeholders import filled
from mendbench.model.exchange import Headers, Request, Response
from mendbench.model.json import Json
from mendbench.secrets.redaction import Redactor
from mendbench.secrets.undeclared import noting, sanitise, sanitise_under, without_shapes

_MARK = re.compile(r"(?:<|%3[Cc])redacted(?::|%3[Aa])([0-9a-f]{8})(?:>|%3[Ee])")

_NAMED = re.compile(r"<secret:([0-9a-f]{8})>")
_LEAST = 8
"""The minimum length of a credential that is searched for everywhere: shorter ones also occur in other words."""


def without_credentials(response: Response) -> Response:
    """Return a response without credentials, recognised by key and format. A response without any is unchanged to the byte."""
    headers = tuple((name, str(sanitise_under(name, value))) for name, value in response.headers)
    return replace(response, headers=headers, body=_clean_body(response.body))


def without_provider_shapes(response: Response) -> Response:
    """Return a model's response without credentials of a provider's format. Names mean nothing, because a model invents values.

    JSON stays JSON: a truncated credential ends with the text that contains it. A response without credentials is unchanged to the byte.
    """
    text = response.body.decode("utf-8", "surrogateescape")
    try:
        value: Json = json.loads(text)
        bare = _bare(value)
        clean = text if bare == value and without_shapes(text) == text else json.dumps(bare)
    except (ValueError, RecursionError):
        clean = without_shapes(text)
    return response if clean == text else replace(response, body=clean.encode("utf-8", "surrogateescape"))


def _bare(value: Json) -> Json:
    if isinstance(value, str):
        return without_shapes(value)
    if isinstance(value, dict):
        return {without_shapes(name): _bare(item) for name, item in value.items()}
    return [_bare(item) for item in value] if isinstance(value, list) else value


def _clean_body(body: bytes) -> bytes:
    try:
        text = body.decode()
    except UnicodeDecodeError:
        raw = body.decode("utf-8", "surrogateescape")
        clean = str(sanitise(raw))
        return body if clean == raw else clean.encode("utf-8", "surrogateescape")
    value: Json = parse_body(body, None)
    clean = sanitise(value)
    if clean == value:
        return body
    written = clean if isinstance(value, str) and value == text else json.dumps(clean, ensure_ascii=False)
    return str(written).encode("utf-8", "replace")


def _as_marks(text: str) -> str:
    return _NAMED.sub(r"<redacted:\1>", text)


def _marks_in(headers: Headers, body: bytes) -> Iterator[str]:
    for text in (*(value for _, value in headers), body.decode("utf-8", "replace")):
        yield from _MARK.findall(text)


@dataclass(slots=True)
class IssuedCredentials:
    """The credentials that a live world issued in one scope, by their placeholders in the recording.

    A workflow that signs in and then uses its token sends the placeholder, but the world must get the token. If a node encodes or hashes
    the token, the result is that of the placeholder, and the world will refuse it: declare such a credential.
    """

    _held: dict[str, str] = field(default_factory=dict, repr=False)
    _lost: set[str] = field(default_factory=set)

    def take(self, response: Response) -> Response:
        """Return a response as it may be recorded, and keep the removed credentials.

        A credential that was issued once is removed everywhere, in any encoding.
        """
        with noting(self._held):
            clean = without_credentials(response)
        long = {mark: held for mark, held in self._held.items() if len(held) >= _LEAST}
        if not long:
            return clean
        again = Redactor(long)
        headers = tuple((name, _as_marks(again.text(value))) for name, value in clean.headers)
        body = _as_marks(again.data(clean.body).decode("utf-8", "surrogateescape"))
        return replace(clean, headers=headers, body=body.encode("utf-8", "surrogateescape"))

    def serve(self, response: Response) -> None:
        """Register a response from an earlier recording: its placeholders have no values any more."""
        self._lost.update(_marks_in(response.headers, response.body))

    def lacks(self, request: Request) -> bool:
        """Return whether a request needs a credential that was issued in an earlier recording."""
        if not self._lost:
            return False
        sent = {*_marks_in(request.headers, request.body), *_MARK.findall(request.url)}
        return bool(sent & self._lost - self._held.keys())

    def give(self, request: Request) -> Request:
        """Return a request with its placeholders replaced by the credentials."""
        if not self._held:
            return request
        return filled(request, _MARK, self._of)

    def _of(self, found: re.Match[str]) -> str:
        return self._held.get(found.group(1), found.group())

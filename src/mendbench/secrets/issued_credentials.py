"""Credentials that a response hands out and nobody declared: out of the record, and still good for the requests that follow."""

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
from mendbench.secrets.sensitive import noting, sanitise, sanitise_under, without_shapes

_MARK = re.compile(r"(?:<|%3[Cc])redacted(?::|%3[Aa])([0-9a-f]{8})(?:>|%3[Ee])")

_NAMED = re.compile(r"<secret:([0-9a-f]{8})>")
_LEAST = 8
"""Characters of what is looked for wherever it stands: shorter ones stand in other words too."""


def without_credentials(response: Response) -> Response:
    """Return a response without credentials, told by their keys and shapes. One that has none stays as it is, to the byte."""
    headers = tuple((name, str(sanitise_under(name, value))) for name, value in response.headers)
    return replace(response, headers=headers, body=_clean_body(response.body))


def without_provider_shapes(response: Response) -> Response:
    """Return a model's response without what has a provider's shape: a name tells nothing where a model makes up values.

    JSON stays JSON: a key that breaks off with the response ends with the text that it stands in. A response without any stays as it is,
    to the byte.
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
    """What a live world handed out in one scope, by the marks that stand in the record.

    A workflow that signs in and goes on with the token that it got sends the mark: the world has to get the token. Where a node
    makes something else of it (base64, a digest), that is of the mark, and the world will refuse it: declare such a credential.
    """

    _held: dict[str, str] = field(default_factory=dict, repr=False)
    _lost: set[str] = field(default_factory=set)

    def take(self, response: Response) -> Response:
        """Return a response as it may be recorded, and keep what was taken out of it.

        What was handed out once is taken out wherever it stands again, in whatever spelling.
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
        """Note what is served from a recording that was made before: its marks stand for nothing any more."""
        self._lost.update(_marks_in(response.headers, response.body))

    def lacks(self, request: Request) -> bool:
        """Return whether a request needs what was handed out in a recording that was made before."""
        if not self._lost:
            return False
        sent = {*_marks_in(request.headers, request.body), *_MARK.findall(request.url)}
        return bool(sent & self._lost - self._held.keys())

    def give(self, request: Request) -> Request:
        """Return a request with what the marks in it stand for."""
        if not self._held:
            return request
        return filled(request, _MARK, self._of)

    def _of(self, found: re.Match[str]) -> str:
        return self._held.get(found.group(1), found.group())

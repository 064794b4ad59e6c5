"""Redaction: replace secrets by their names in every request and response before it is keyed, stored, shown or logged.

A secret is found in any of these encodings: plain, inside JSON strings (however deeply nested),
percent-encoded, as HTML entities, in hexadecimal digits, as part of a base64 text (so Basic auth), in gzip bodies and in
gzip that is base64, and in any nesting of these. It is replaced by a placeholder ``<secret:NAME>``. The rest of an encoded piece is
replaced by its digest. So different values stay different, and the length of a secret is not revealed. Redaction is idempotent.
:func:`sanitise` is the counterpart for unknown secrets: it uses key names and the format of values.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from mendbench.model.exchange import Headers, Request, Response
from mendbench.model.json import Json
from mendbench.secrets.encodings import LAYERS, in_place, parsed, pieces, respelled, unpacked
from mendbench.secrets.secret_forms import Spelled, after, cores
from mendbench.secrets.undeclared import (
    MOST_REMEMBERED,
    is_noting,
    redacted_mark,
    sanitise,
    sanitise_key,
    sanitise_under,
)

__all__ = ["Redactor", "canary", "plant_canaries", "sanitise", "sanitise_key", "sanitise_under"]

REDACTED = "<redacted>"
"""The placeholder for an undeclared credential in a response."""

CREDENTIAL_HEADERS = frozenset({"authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key"})
"""Headers whose value is always a credential (RFC 9110 section 11, RFC 6265, and the common API key header)."""

_CANARY = re.compile(r"\$\{canary:([A-Za-z0-9_.-]+)\}")
_PLACEHOLDER = re.compile(r"<secret:[^<>]*>")
_MARK = re.compile(r"(<secret:[^<>]*>|<redacted(?::[0-9a-f]{8})?>)")
_FRAME = re.compile(r"(?i)(?:\b(?:bearer|basic|token|bot|digest|apikey)(?![^\s:=\"'])|[\s:=\"'])*")
"""Text around a credential that is not part of it: names of schemes, quotes, separators."""
_GZIP_MAGIC = b"\x1f\x8b"
MAX_PLAIN = 20_000_000
"""The maximum size of decompressed gzip content, in bytes, as protection against decompression bombs."""
_MAX_GZIP_LAYERS = 16
"""A file that decompresses to itself exists; legitimate data does not nest deeper."""
_MIN_PACKED = 24
"""Every encoding is at least as long as the secret, except gzip, which has 18 bytes of overhead (RFC 1952), so 24 in base64."""
_MOST_SEEN = 2048
_MIN_ENCODED = 6
"""The minimum length of a secret that is searched for inside encoded pieces: shorter ones occur in random bytes."""


def canary(case_id: str, name: str) -> str:
    """Return the canary of that name for a case: deterministic, 46 characters, and unlike any vendor's token."""
    return "canary" + hashlib.sha256(f"mendbench canary\n{case_id}\n{name}".encode()).hexdigest()[:40]


def plant_canaries(value: Json, case_id: str) -> tuple[Json, dict[str, str]]:
    """Replace every ``${canary:NAME}`` in the strings of ``value``.

    Returns the new value (the old one is unchanged) and the planted secrets by name.
    """
    planted: dict[str, str] = {}

    def plant(found: re.Match[str]) -> str:
        return planted.setdefault(found.group(1), canary(case_id, found.group(1)))

    def walk(item: Json) -> Json:
        if isinstance(item, str):
            return _CANARY.sub(plant, item)
        if isinstance(item, dict):
            return {walk(key): walk(each) for key, each in item.items()}
        return [walk(each) for each in item] if isinstance(item, list) else item

    return walk(value), planted


@dataclass(frozen=True, slots=True)
class Redactor:
    """Removes declared secrets from texts, bodies, headers and whole exchanges."""

    secrets: Mapping[str, str] = field(repr=False)
    """Secrets by their declared name. Empty ones are ignored."""
    _names: tuple[str, ...] = field(init=False, repr=False, compare=False)
    _literals: tuple[str, ...] = field(init=False, repr=False, compare=False)
    _spelled: Spelled | None = field(init=False, repr=False, compare=False)
    _long: tuple[str, ...] = field(init=False, repr=False, compare=False)
    """Names of the secrets that are searched for inside encoded pieces."""
    _shortest: int = field(init=False, repr=False, compare=False)
    """The minimum length of a text that can contain a secret."""
    _seen: dict[str, str] = field(init=False, repr=False, compare=False)
    """A cache of short texts and their redacted forms."""

    def __post_init__(self) -> None:
        """Prepare the secrets, the longest first."""
        known = sorted(((n, s) for n, s in self.secrets.items() if s), key=lambda pair: (-len(pair[1]), pair[0]))
        object.__setattr__(self, "_names", tuple(name for name, _ in known))
        literals = [literal for _, secret in known for literal in (secret, *cores(secret))]
        object.__setattr__(self, "_literals", tuple(literals))
        object.__setattr__(self, "_spelled", Spelled([secret for _, secret in known]) if known else None)
        object.__setattr__(self, "_long", tuple(name for name, secret in known if len(secret) >= _MIN_ENCODED))
        object.__setattr__(self, "_seen", {})
        object.__setattr__(self, "_shortest", min((len(secret) for _, secret in known), default=0))

    def __reduce__(self) -> tuple[type[Redactor], tuple[dict[str, str]]]:
        """Pickle only the secrets."""
        return Redactor, (dict(self.secrets),)

    def text(self, text: str) -> str:
        """Return ``text`` with every encoding of every secret replaced by its placeholder."""
        if self._spelled is None or len(text) < min(self._shortest, _MIN_PACKED):
            return text
        if len(text) > MOST_REMEMBERED or is_noting():
            return self._text(text, LAYERS)
        clean = self._seen.get(text)
        if clean is None:
            clean = self._text(text, LAYERS)
            if len(self._seen) >= _MOST_SEEN:
                self._seen.clear()
            self._seen[text] = clean
        return clean

    def _text(self, text: str, layers: int) -> str:
        if self._may_hold(text):
            text = self._outside_marks(text, self._plainly)
        if not self._long or not layers:
            return text
        clean = self._outside_marks(text, lambda part: self._pieces(part, layers - 1))
        return in_place(clean, lambda part: self._bared(part, layers))

    def _bared(self, text: str, layers: int) -> str:
        """Return a text redacted after decoding its escapes, if that reveals a secret; JSON stays JSON."""
        for number, bare in enumerate(respelled(text)):
            found = self._text(bare, layers - 1 if number == 0 else 0)
            if found != bare:
                value = parsed(text)
                return found if value is None else json.dumps(self.value(value), ensure_ascii=False)
        return text

    def _plainly(self, text: str) -> str:
        return text if self._spelled is None else self._spelled.sub(self._placeholder, text)

    def _outside_marks(self, text: str, clean: Callable[[str], str]) -> str:
        """Return a text cleaned, with existing placeholders unchanged."""
        if "<" not in text:
            return clean(text)
        return "".join(part if at % 2 else clean(part) for at, part in enumerate(_MARK.split(text)))

    def _pieces(self, text: str, layers: int) -> str:
        """Return a text without the encoded pieces that contain a secret."""
        parts: list[str] = []
        end = 0
        for piece in pieces(text):
            if piece.start < end:
                continue
            clean = self._text(piece.says, layers)
            if clean == piece.says:
                continue
            names = "".join(dict.fromkeys(_PLACEHOLDER.findall(clean)))
            rest = _PLACEHOLDER.sub("", clean)
            parts += [text[end : piece.start], names, redacted_mark(rest) if rest else ""]
            end = piece.end
        return "".join([*parts, text[end:]])

    def data(self, data: bytes) -> bytes:
        """Return ``data`` redacted; gzip data is returned decompressed."""
        plain = _decompressed(data)
        if self._spelled is None:
            return plain
        text = plain.decode("utf-8", "surrogateescape")
        clean = self.text(text)
        return plain if clean is text else clean.encode("utf-8", "surrogateescape")

    def value(self, value: Json) -> Json:
        """Return a JSON value with all its strings redacted, keys too. The value passed in is unchanged."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(str(key)): self.value(item) for key, item in value.items()}
        return [self.value(item) for item in value] if isinstance(value, list | tuple) else value

    def headers(self, headers: Headers) -> Headers:
        """Return headers redacted. Credential headers never keep their value, declared secret or not.

        Different values stay different: a doubled scheme stays doubled, and text next to a declared secret, or in its place, becomes
        ``<redacted:DIGEST>``.
        """
        return tuple((name, self._header(name, value)) for name, value in headers)

    def request(self, request: Request) -> Request:
        """Return the request as it may be keyed, stored and shown."""
        body = self.data(request.body)
        headers = _fitting(self.headers(request.headers), request.body, body)
        return replace(request, url=self.text(request.url), headers=headers, body=body)

    def response(self, response: Response) -> Response:
        """Return the response as it may be stored and shown."""
        body = self.data(response.body)
        return replace(response, headers=_fitting(self.headers(response.headers), response.body, body), body=body)

    def leaks(self, found: str | bytes) -> tuple[str, ...]:
        """Return the names of the secrets that are in ``found`` in any encoding, sorted."""
        if self._spelled is None:
            return ()
        text = _decompressed(found).decode("utf-8", "surrogateescape") if isinstance(found, bytes) else found
        before = _PLACEHOLDER.sub("\0", text)
        return tuple(sorted({name[8:-1] for name in _PLACEHOLDER.findall(self.text(before))}))

    def _may_hold(self, text: str) -> bool:
        """Return whether the slow search is necessary: an encoded form needs one of these characters."""
        if "%" in text or "\\" in text or ("+" in text and any(" " in secret for secret in self.secrets.values())):
            return True
        return any(literal in text for literal in self._literals)

    def _placeholder(self, match: re.Match[str]) -> str:
        name = self._names[(match.lastindex or 1) - 1]
        rest = after(self.secrets[name], match.group())
        return f"<secret:{name}>" + (redacted_mark(rest) if rest else "")

    def _header(self, name: str, value: str) -> str:
        lower = name.lower()
        if lower not in CREDENTIAL_HEADERS:
            return self.text(value)
        clean = "".join(part if _MARK.fullmatch(part) else self.text(part) for part in _MARK.split(value))
        if lower == "set-cookie":
            return "".join(dict.fromkeys(_PLACEHOLDER.findall(clean))) or REDACTED
        return "".join(part if _MARK.fullmatch(part) else _hidden(part) for part in _MARK.split(clean))


def _hidden(text: str) -> str:
    """Return a piece of a credential header with each possible credential replaced by its digest."""
    frame = _FRAME.match(text)
    kept = frame.group() if frame else ""
    rest = text[len(kept) :]
    return kept + (redacted_mark(rest) if rest else "")


def _decompressed(data: bytes) -> bytes:
    """Return the content of gzip data, or its readable part; other bytes are unchanged."""
    for _ in range(_MAX_GZIP_LAYERS):
        if not data.startswith(_GZIP_MAGIC):
            break
        inner = unpacked(data, MAX_PLAIN)
        if not inner:
            break
        data = inner
    return data


def _fitting(headers: Headers, before: bytes, after: bytes) -> Headers:
    """Return the headers that are still valid for a body that redaction changed."""
    if before == after:
        return headers
    gone = {"content-length", "content-encoding"} if before.startswith(_GZIP_MAGIC) else {"content-length"}
    return tuple((name, value) for name, value in headers if name.lower() not in gone)

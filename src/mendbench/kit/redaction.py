"""Secrets out, their names in: what every request and answer goes through before it is keyed, stored, shown or logged.

A secret is found in any of the spellings that it travels in: plain, inside JSON strings (however deeply nested),
percent-encoded, as part of a base64 text (so Basic auth), and in gzip bodies. It leaves a placeholder
``<secret:NAME>`` behind. Redacting twice is redacting once. :func:`sanitise` is the other half: it knows no secret,
and judges by key names and by the shape of values.
"""

from __future__ import annotations

import base64
import hashlib
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from mendbench.kit.sensitive import redacted_mark, sanitise
from mendbench.model.exchange import Answer, Headers, Request
from mendbench.model.json import Json

__all__ = ["Redactor", "canary", "plant_canaries", "sanitise"]

REDACTED = "<redacted>"
"""Stands for a credential that an answer hands out and nobody declared."""

CREDENTIAL_HEADERS = frozenset({"authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key"})
"""Headers whose value is a credential whatever it is (RFC 9110 section 11, RFC 6265, and the common API key header)."""

_CANARY = re.compile(r"\$\{canary:([A-Za-z0-9_.-]+)\}")
_PLACEHOLDER = re.compile(r"<secret:[^<>]*>")
_MARK = re.compile(r"(<secret:[^<>]*>|<redacted(?::[0-9a-f]{8})?>)")
_FRAME = re.compile(r"(?i)(?:\b(?:bearer|basic|token|bot|digest|apikey)(?![^\s:=\"'])|[\s:=\"'])*")
"""What stands around a credential and is none: names of schemes, quotes, separators."""
_GZIP_MAGIC = b"\x1f\x8b"
_MAX_GZIP_LAYERS = 16
"""A file that decompresses to itself exists; nothing honest nests deeper."""
_MIN_CORE = 6
"""Base64 characters that must match before a text counts as holding a secret."""
_BASE64 = "A-Za-z0-9+/_-"


def canary(case_id: str, name: str) -> str:
    """Return the canary of that name for a case: always the same, 46 characters, and like no real vendor's token."""
    return "canary" + hashlib.sha256(f"mendbench canary\n{case_id}\n{name}".encode()).hexdigest()[:40]


def plant_canaries(value: Json, case_id: str) -> tuple[Json, dict[str, str]]:
    """Replace every ``${canary:NAME}`` in the strings of ``value``.

    Returns the new value (the old one is left as it was) and the planted secrets by name.
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
    """Takes declared secrets out of texts, bodies, headers and whole exchanges."""

    secrets: Mapping[str, str] = field(repr=False)
    """Secrets by their declared name. Empty ones are ignored."""
    _names: tuple[str, ...] = field(init=False, repr=False, compare=False)
    _literals: tuple[str, ...] = field(init=False, repr=False, compare=False)
    _pattern: re.Pattern[str] | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Compile one pattern over all spellings, the longest secret first."""
        known = sorted(((n, s) for n, s in self.secrets.items() if s), key=lambda pair: (-len(pair[1]), pair[0]))
        object.__setattr__(self, "_names", tuple(name for name, _ in known))
        literals = [literal for _, secret in known for literal in (secret, *_cores(secret))]
        object.__setattr__(self, "_literals", tuple(literals))
        groups = "|".join(f"({_spellings(secret)})" for _, secret in known)
        object.__setattr__(self, "_pattern", re.compile(groups) if known else None)

    def text(self, text: str) -> str:
        """Return ``text`` with every spelling of every secret replaced by its placeholder."""
        if self._pattern is None or not self._may_hold(text):
            return text
        pattern = self._pattern
        parts: list[str] = []
        end = 0
        for kept in _PLACEHOLDER.finditer(text):
            parts += [pattern.sub(self._placeholder, text[end : kept.start()]), kept.group()]
            end = kept.end()
        return "".join([*parts, pattern.sub(self._placeholder, text[end:])])

    def data(self, data: bytes) -> bytes:
        """Return ``data`` redacted; what was gzip comes back decompressed."""
        plain = _decompressed(data)
        if self._pattern is None:
            return plain
        text = plain.decode("utf-8", "surrogateescape")
        clean = self.text(text)
        return plain if clean is text else clean.encode("utf-8", "surrogateescape")

    def value(self, value: Json) -> Json:
        """Return a JSON value with all its strings redacted, keys too. The value passed in is left as it was."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(str(key)): self.value(item) for key, item in value.items()}
        return [self.value(item) for item in value] if isinstance(value, list | tuple) else value

    def headers(self, headers: Headers) -> Headers:
        """Return headers redacted. Credential headers never keep their value, declared secret or not.

        Values that differ still differ afterwards: a doubled scheme stays doubled, and what stands beside a declared
        secret, or in its place, leaves ``<redacted:DIGEST>``.
        """
        return tuple((name, self._header(name, value)) for name, value in headers)

    def request(self, request: Request) -> Request:
        """Return the request as it may be keyed, stored and shown."""
        body = self.data(request.body)
        headers = _fitting(self.headers(request.headers), request.body, body)
        return replace(request, url=self.text(request.url), headers=headers, body=body)

    def answer(self, answer: Answer) -> Answer:
        """Return the answer as it may be stored and shown."""
        body = self.data(answer.body)
        return replace(answer, headers=_fitting(self.headers(answer.headers), answer.body, body), body=body)

    def leaks(self, found: str | bytes) -> tuple[str, ...]:
        """Return the names of the secrets that are in ``found`` in any spelling, sorted."""
        if self._pattern is None:
            return ()
        text = _decompressed(found).decode("utf-8", "surrogateescape") if isinstance(found, bytes) else found
        names = {
            self._names[(match.lastindex or 1) - 1]
            for part in _PLACEHOLDER.split(text)
            for match in self._pattern.finditer(part)
        }
        return tuple(sorted(names))

    def _may_hold(self, text: str) -> bool:
        """Return whether the slow search is worth it: an encoded spelling needs one of these characters."""
        if "%" in text or "\\" in text or ("+" in text and any(" " in secret for secret in self.secrets.values())):
            return True
        return any(literal in text for literal in self._literals)

    def _placeholder(self, match: re.Match[str]) -> str:
        return f"<secret:{self._names[(match.lastindex or 1) - 1]}>"

    def _header(self, name: str, value: str) -> str:
        lower = name.lower()
        if lower not in CREDENTIAL_HEADERS:
            return self.text(value)
        clean = "".join(part if _MARK.fullmatch(part) else self.text(part) for part in _MARK.split(value))
        if lower == "set-cookie":
            return "".join(dict.fromkeys(_PLACEHOLDER.findall(clean))) or REDACTED
        return "".join(part if _MARK.fullmatch(part) else _hidden(part) for part in _MARK.split(clean))


def _hidden(text: str) -> str:
    """Return a piece of a credential header with all that may be a credential replaced by its digest."""
    frame = _FRAME.match(text)
    kept = frame.group() if frame else ""
    rest = text[len(kept) :]
    return kept + (redacted_mark(rest) if rest else "")


def _spellings(secret: str) -> str:
    """Return a pattern for a secret in plain, JSON-escaped and percent-encoded spelling, and inside base64."""
    plain = "".join(_character(char) for char in secret)
    inside = [
        f"[{_BASE64}]?"
        + "".join(_character(char) for char in core)
        + f"(?:[{_BASE64}])?(?:=|%(?:25){{0,3}}3[Dd]){{0,2}}"
        for core in _cores(secret)
    ]
    return "|".join([plain, *inside])


def _character(char: str) -> str:
    r"""Return a pattern for one character however it is escaped: ``"``, ``\"``, ``%22``, ``%2522``, ``\u0022``."""
    encoded = char.encode("utf-8", "surrogatepass")
    percent = "".join(f"%(?:25){{0,3}}{_either_case(f'{byte:02x}')}" for byte in encoded)
    units = char.encode("utf-16-be", "surrogatepass")
    pairs = [units[i : i + 2].hex() for i in range(0, len(units), 2)]
    escaped = "".join(rf"\\{{1,16}}u{_either_case(pair)}" for pair in pairs)
    ways = [rf"\\{{0,16}}{re.escape(char)}" if char in '"\\/' else re.escape(char), percent, escaped]
    if char == " ":
        ways.append(r"\+")
    if char in "\n\r\t\b\f":
        ways.append(r"\\{1,16}" + {"\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f"}[char])
    return f"(?:{'|'.join(ways)})"


def _either_case(digits: str) -> str:
    return "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in digits)


def _cores(secret: str) -> tuple[str, ...]:
    """Return what of the secret stands unchanged in any base64 text around it.

    One core for each alignment and alphabet (RFC 4648 sections 4 and 5).
    """
    raw = secret.encode("utf-8", "surrogatepass")
    cores: list[str] = []
    for shift in range(3):
        coded = base64.b64encode(b"\0" * shift + raw).decode()
        core = coded[(0, 2, 3)[shift] : (shift + len(raw)) * 8 // 6]
        if len(core) >= _MIN_CORE:
            cores += [core, core.replace("+", "-").replace("/", "_")]
    return tuple(dict.fromkeys(cores))


def _decompressed(data: bytes) -> bytes:
    """Return what is inside gzip, or as much as can be read of it; other bytes as they are."""
    for _ in range(_MAX_GZIP_LAYERS):
        if not data.startswith(_GZIP_MAGIC):
            break
        inner = _gunzip(data)
        if inner is None:
            break
        data = inner
    return data


def _gunzip(data: bytes) -> bytes | None:
    parts: list[bytes] = []
    while data.startswith(_GZIP_MAGIC):
        reader = zlib.decompressobj(wbits=31)
        try:
            parts.append(reader.decompress(data))
        except zlib.error:
            break
        data = reader.unused_data
    return b"".join(parts) or None


def _fitting(headers: Headers, before: bytes, after: bytes) -> Headers:
    """Return the headers that are still true of a body that redaction changed."""
    if before == after:
        return headers
    gone = {"content-length", "content-encoding"} if before.startswith(_GZIP_MAGIC) else {"content-length"}
    return tuple((name, value) for name, value in headers if name.lower() not in gone)

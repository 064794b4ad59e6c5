"""Secrets out, their names in: what every request and answer goes through before it is keyed, stored, shown or logged.

A secret is found in any of the spellings that it travels in: plain, inside JSON strings (however deeply nested),
percent-encoded, as HTML entities, in hexadecimal digits, as part of a base64 text (so Basic auth), in gzip bodies and in
gzip that is base64, and in one of these inside another. It leaves a placeholder ``<secret:NAME>`` behind; what else an
encoded piece said leaves its digest, so that what differed still differs and no length of a secret tells.
Redacting twice is redacting once. :func:`sanitise` is the other half: it knows no secret,
and judges by key names and by the shape of values.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from mendbench.kit.encoded import BREAK, LAYERS, in_place, letters, parsed, pieces, respelled, unpacked
from mendbench.kit.sensitive import MOST_REMEMBERED, is_noting, redacted_mark, sanitise, sanitise_key, sanitise_under
from mendbench.model.exchange import Answer, Headers, Request
from mendbench.model.json import Json

__all__ = ["Redactor", "canary", "plant_canaries", "sanitise", "sanitise_key", "sanitise_under"]

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
MAX_PLAIN = 20_000_000
"""So much of what is inside gzip is read, bytes: a thousandth of that may be a bomb."""
_MAX_GZIP_LAYERS = 16
"""A file that decompresses to itself exists; nothing honest nests deeper."""
_MIN_CORE = 6
"""Base64 characters that must match before a text counts as holding a secret."""
_BASE64 = "A-Za-z0-9+/_-"
_PADDING = "(?:=|%(?:25){0,3}3[Dd]){0,2}"
_LINES = rf"(?:{BREAK}[A-Za-z0-9+/]+={{0,2}}(?=[\"'\\\r\n<]|\Z))*"
_SKIPPED = (0, 2, 3)
"""Characters of a base64 group that bytes before a secret take part in, by how many those are."""
_MIN_PACKED = 24
"""Every spelling is at least as long as the secret, but for gzip, which has 18 bytes around what it holds (RFC 1952), so 24 in base64."""
_MOST_SPELLED = 4096
"""Characters of the longest secret of which each may be spelled otherwise by itself: a pattern of more is dear. A longer one is found as it
is, and in texts and pieces that are encoded as a whole."""
_MOST_SEEN = 2048
_MIN_ENCODED = 6
"""Characters of a secret that is looked for inside encoded pieces: shorter ones turn up in any bytes."""


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
    _long: tuple[str, ...] = field(init=False, repr=False, compare=False)
    """Names of the secrets that are looked for inside encoded pieces."""
    _shortest: int = field(init=False, repr=False, compare=False)
    """Characters that a text has at least that holds a secret."""
    _seen: dict[str, str] = field(init=False, repr=False, compare=False)
    """Short texts, and what they are without secrets."""

    def __post_init__(self) -> None:
        """Compile one pattern over all spellings, the longest secret first."""
        known = sorted(((n, s) for n, s in self.secrets.items() if s), key=lambda pair: (-len(pair[1]), pair[0]))
        object.__setattr__(self, "_names", tuple(name for name, _ in known))
        literals = [literal for _, secret in known for literal in (secret, *_cores(secret))]
        object.__setattr__(self, "_literals", tuple(literals))
        groups = "|".join(f"({_spellings(secret)})" for _, secret in known)
        object.__setattr__(self, "_pattern", re.compile(groups) if known else None)
        object.__setattr__(self, "_long", tuple(name for name, secret in known if len(secret) >= _MIN_ENCODED))
        object.__setattr__(self, "_seen", {})
        object.__setattr__(self, "_shortest", min((len(secret) for _, secret in known), default=0))

    def __reduce__(self) -> tuple[type[Redactor], tuple[dict[str, str]]]:
        """Travel as the secrets alone."""
        return Redactor, (dict(self.secrets),)

    def text(self, text: str) -> str:
        """Return ``text`` with every spelling of every secret replaced by its placeholder."""
        if self._pattern is None or len(text) < min(self._shortest, _MIN_PACKED):
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
        """Return a text redacted with its escapes taken off, if it holds a secret then; JSON stays JSON."""
        for number, bare in enumerate(respelled(text)):
            found = self._text(bare, layers - 1 if number == 0 else 0)
            if found != bare:
                value = parsed(text)
                return found if value is None else json.dumps(self.value(value), ensure_ascii=False)
        return text

    def _plainly(self, text: str) -> str:
        return text if self._pattern is None else self._pattern.sub(self._placeholder, text)

    def _outside_marks(self, text: str, clean: Callable[[str], str]) -> str:
        """Return a text cleaned, what was put in the place of secrets before left as it is."""
        if "<" not in text:
            return clean(text)
        return "".join(part if at % 2 else clean(part) for at, part in enumerate(_MARK.split(text)))

    def _pieces(self, text: str, layers: int) -> str:
        """Return a text without the encoded pieces that hold a secret."""
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
        before = _PLACEHOLDER.sub("\0", text)
        return tuple(sorted({name[8:-1] for name in _PLACEHOLDER.findall(self.text(before))}))

    def _may_hold(self, text: str) -> bool:
        """Return whether the slow search is worth it: an encoded spelling needs one of these characters."""
        if "%" in text or "\\" in text or ("+" in text and any(" " in secret for secret in self.secrets.values())):
            return True
        return any(literal in text for literal in self._literals)

    def _placeholder(self, match: re.Match[str]) -> str:
        name = self._names[(match.lastindex or 1) - 1]
        rest = _after(self.secrets[name], match.group())
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
    """Return a piece of a credential header with all that may be a credential replaced by its digest."""
    frame = _FRAME.match(text)
    kept = frame.group() if frame else ""
    rest = text[len(kept) :]
    return kept + (redacted_mark(rest) if rest else "")


def _spellings(secret: str) -> str:
    """Return a pattern for a secret in plain, JSON-escaped and percent-encoded spelling, and inside base64 to its end."""
    if len(secret) > _MOST_SPELLED:
        return re.escape(secret)
    plain = "".join(_character(char) for char in secret)
    inside = [
        f"[{_BASE64}]?"
        + "".join(_character(char) for char in core)
        + rf"(?:[{_BASE64}]|%(?:25){{0,3}}2[BFbf])*{_PADDING}{_LINES}"
        for core in _cores(secret)
    ]
    return "|".join([plain, *inside])


def _after(secret: str, spelled: str) -> str:
    """Return what a base64 text says after the secret in it; nothing where it is no base64 text."""
    text = letters(spelled)
    raw = secret.encode("utf-8", "surrogatepass")
    for shift in range(3):
        core = _core(raw, shift)
        at = text.find(core) if len(core) >= _MIN_CORE else -1
        if at in (0, 1):
            whole = "A" * _SKIPPED[shift] + text[at:]
            data = base64.b64decode(whole[: len(whole) // 4 * 4] + _last(whole[len(whole) // 4 * 4 :]))
            return data[shift + len(raw) :].decode("utf-8", "replace")
    return ""


def _last(group: str) -> str:
    """Return the last, incomplete group of a base64 text padded; nothing where it is none."""
    return group + "=" * (4 - len(group)) if len(group) > 1 else ""


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
        core = _core(raw, shift)
        if len(core) >= _MIN_CORE:
            cores += [core, core.replace("+", "-").replace("/", "_")]
    return tuple(dict.fromkeys(cores))


def _core(raw: bytes, shift: int) -> str:
    """Return what stands for these bytes alone where so many others stand before them in a group of three."""
    coded = base64.b64encode(b"\0" * shift + raw).decode()
    return coded[_SKIPPED[shift] : (shift + len(raw)) * 8 // 6]


def _decompressed(data: bytes) -> bytes:
    """Return what is inside gzip, or as much as can be read of it; other bytes as they are."""
    for _ in range(_MAX_GZIP_LAYERS):
        if not data.startswith(_GZIP_MAGIC):
            break
        inner = unpacked(data, MAX_PLAIN)
        if not inner:
            break
        data = inner
    return data


def _fitting(headers: Headers, before: bytes, after: bytes) -> Headers:
    """Return the headers that are still true of a body that redaction changed."""
    if before == after:
        return headers
    gone = {"content-length", "content-encoding"} if before.startswith(_GZIP_MAGIC) else {"content-length"}
    return tuple((name, value) for name, value in headers if name.lower() not in gone)

"""How a secret may be spelled in a text, as patterns: plain, escaped as JSON and percent-encoded, and inside base64."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from mendbench.secrets.encodings import BREAK, letters

_MIN_CORE = 6
"""Base64 characters that must match before a text counts as holding a secret."""
_BASE64 = "A-Za-z0-9+/_-"
_PADDING = "(?:=|%(?:25){0,3}3[Dd]){0,2}"
_LINES = rf"(?:{BREAK}[A-Za-z0-9+/]+={{0,2}}(?=[\"'\\\r\n<]|\Z))*"
_SKIPPED = (0, 2, 3)
"""Characters of a base64 group that bytes before a secret take part in, by how many those are."""
_MOST_SPELLED = 4096
"""Characters of the longest secret of which each may be spelled otherwise by itself: a pattern of more is dear. A longer one is found as it
is, and in texts and pieces that are encoded as a whole."""
_BEGINNING = 4
"""Characters of a spelling that are looked for before all of it is."""
_SIMPLE = re.compile(rf"[A-Za-z0-9_-]{{{_BEGINNING},}}")


class Spelled:
    """Secrets in all their spellings, to be looked for in texts. A secret that comes first wins where two begin at one place."""

    def __init__(self, secrets: Sequence[str]) -> None:
        self._secrets = tuple(secrets)
        literals = [literal for secret in secrets for literal in (secret, *cores(secret))]
        self._beginning = re.compile("|".join(dict.fromkeys(map(_begun, literals))))
        self._plain = _plain(self._secrets)

    def sub(self, put: Callable[[re.Match[str]], str], text: str) -> str:
        """Return ``text`` with what ``put`` returns in the place of each secret; ``lastindex`` of its match counts the secrets from 1."""
        if not self._beginning.search(text):
            return text
        plain = self._plain
        if plain is None or not self._only(plain, text):
            return _pattern(self._secrets).sub(put, text)
        return plain.sub(put, text)

    def _only(self, plain: re.Pattern[str], text: str) -> bool:
        """Return whether whatever begins as a spelling of a secret is one as it is: most are, and need no dear pattern."""
        found = self._beginning.search(text)
        while found:
            secret = plain.match(text, found.start())
            if secret is None:
                return False
            found = self._beginning.search(text, secret.end())
        return True


def cores(secret: str) -> tuple[str, ...]:
    """Return what of the secret stands unchanged in any base64 text around it.

    One core for each alignment and alphabet (RFC 4648 sections 4 and 5).
    """
    raw = secret.encode("utf-8", "surrogatepass")
    found: list[str] = []
    for shift in range(3):
        core = _core(raw, shift)
        if len(core) >= _MIN_CORE:
            found += [core, core.replace("+", "-").replace("/", "_")]
    return tuple(dict.fromkeys(found))


def after(secret: str, spelled: str) -> str:
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


def _begun(literal: str) -> str:
    return "".join(_character(char) for char in literal[:_BEGINNING])


def _plain(secrets: tuple[str, ...]) -> re.Pattern[str] | None:
    """Return a pattern over the secrets as they are, in the groups of :func:`_pattern`; None if it may say otherwise than that.

    It never does where all are of letters, digits, ``-`` and ``_``, none begins another, and none begins as its base64 or another's does.
    """
    told_apart = not any(one != other and one.startswith(other) for one in secrets for other in secrets)
    encoded = {core[:_BEGINNING] for secret in secrets for core in cores(secret)}
    if told_apart and all(_SIMPLE.fullmatch(secret) and secret[:_BEGINNING] not in encoded for secret in secrets):
        return re.compile("|".join(f"({secret})" for secret in secrets))
    return None


@lru_cache(maxsize=256)
def _pattern(secrets: tuple[str, ...]) -> re.Pattern[str]:
    """Return one pattern over all spellings, a group for each secret. It takes some 20 ms to compile."""
    return re.compile("|".join(f"({_spellings(secret)})" for secret in secrets))


def _spellings(secret: str) -> str:
    """Return a pattern for a secret in plain, JSON-escaped and percent-encoded spelling, and inside base64 to its end."""
    if len(secret) > _MOST_SPELLED:
        return re.escape(secret)
    plain = "".join(_character(char) for char in secret)
    inside = [
        f"[{_BASE64}]?"
        + "".join(_character(char) for char in core)
        + rf"(?:[{_BASE64}]|%(?:25){{0,3}}2[BFbf])*{_PADDING}{_LINES}"
        for core in cores(secret)
    ]
    return "|".join([plain, *inside])


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


def _core(raw: bytes, shift: int) -> str:
    """Return what stands for these bytes alone where so many others stand before them in a group of three."""
    coded = base64.b64encode(b"\0" * shift + raw).decode()
    return coded[_SKIPPED[shift] : (shift + len(raw)) * 8 // 6]

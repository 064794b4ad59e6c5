"""The forms of a declared secret in a text, as patterns: plain, JSON-escaped, percent-encoded, and inside base64."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from mendbench.secrets.encodings import BREAK, letters

_MIN_CORE = 6
"""The number of base64 characters that must match before a text counts as containing a secret."""
_BASE64 = "A-Za-z0-9+/_-"
_PADDING = "(?:=|%(?:25){0,3}3[Dd]){0,2}"
_LINES = rf"(?:{BREAK}[A-Za-z0-9+/]+={{0,2}}(?=[\"'\\\r\n<]|\Z))*"
_SKIPPED = (0, 2, 3)
"""The number of characters in a base64 group that preceding bytes affect, by the number of those bytes."""
_MOST_SPELLED = 4096
"""The maximum length of a secret whose characters may each be escaped separately: longer patterns are slow. A longer secret is found
unescaped, and in texts and pieces that are encoded as a whole."""
_BEGINNING = 4
"""The length of the prefix that is searched for before the whole form."""
_SIMPLE = re.compile(rf"[A-Za-z0-9_-]{{{_BEGINNING},}}")


class Spelled:
    """A search for secrets in all their forms. If two match at one position, the first secret wins."""

    def __init__(self, secrets: Sequence[str]) -> None:
        self._secrets = tuple(secrets)
        literals = [literal for secret in secrets for literal in (secret, *cores(secret))]
        self._beginning = re.compile("|".join(dict.fromkeys(map(_begun, literals))))
        self._plain = _plain(self._secrets)

    def sub(self, put: Callable[[re.Match[str]], str], text: str) -> str:
        """Return ``text`` with each secret replaced by the result of ``put``; ``lastindex`` of the match is its number, from 1."""
        if not self._beginning.search(text):
            return text
        plain = self._plain
        if plain is None or not self._only(plain, text):
            return _pattern(self._secrets).sub(put, text)
        return plain.sub(put, text)

    def _only(self, plain: re.Pattern[str], text: str) -> bool:
        """Return whether each prefix match is a literal secret: most are, and need no slow pattern."""
        found = self._beginning.search(text)
        while found:
            secret = plain.match(text, found.start())
            if secret is None:
                return False
            found = self._beginning.search(text, secret.end())
        return True


def cores(secret: str) -> tuple[str, ...]:
    """Return the parts of the secret's base64 that do not depend on the surrounding bytes.

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
    """Return the decoded rest of a base64 text after the secret; nothing if it is not base64."""
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
    """Return a pattern over the literal secrets, with the groups of :func:`_pattern`; None if the two could differ.

    They never differ if all secrets consist of letters, digits, ``-`` and ``_``, none is a prefix of another, and none starts like the
    base64 of any of them.
    """
    prefix_free = not any(one != other and one.startswith(other) for one in secrets for other in secrets)
    encoded = {core[:_BEGINNING] for secret in secrets for core in cores(secret)}
    if prefix_free and all(_SIMPLE.fullmatch(secret) and secret[:_BEGINNING] not in encoded for secret in secrets):
        return re.compile("|".join(f"({secret})" for secret in secrets))
    return None


@lru_cache(maxsize=256)
def _pattern(secrets: tuple[str, ...]) -> re.Pattern[str]:
    """Return one pattern over all forms, with a group for each secret. It takes about 20 ms to compile."""
    return re.compile("|".join(f"({_spellings(secret)})" for secret in secrets))


def _spellings(secret: str) -> str:
    """Return a pattern for a secret in plain, JSON-escaped and percent-encoded form, and inside base64 to its end."""
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
    """Return the last, incomplete group of a base64 text with padding, or nothing."""
    return group + "=" * (4 - len(group)) if len(group) > 1 else ""


def _character(char: str) -> str:
    r"""Return a pattern for one character in all escaped forms: ``"``, ``\"``, ``%22``, ``%2522``, ``\u0022``."""
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
    """Return the base64 characters that depend on these bytes alone, after a given number of other bytes in a group of three."""
    coded = base64.b64encode(b"\0" * shift + raw).decode()
    return coded[_SKIPPED[shift] : (shift + len(raw)) * 8 // 6]

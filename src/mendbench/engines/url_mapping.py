"""Maps the URLs of a trial's world to those of the loopback server, and back.

``https://HOST/path`` is served at ``http://127.0.0.1:PORT/HOST/path``, ``http://HOST/path`` at ``http://127.0.0.1:PORT/http:HOST/path``.
The reverse mapping needs no state, so no key, cassette or prompt contains a port.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

from mendbench.model.json import Json

CONTROL = "-"
"""First segment of the paths that are not part of the world."""
PLAIN = "http:"
"""Prefix of a host's segment if its URL began with ``http://``."""

_SLASH = r"(?:/|\\/|%2[Ff])"
"""A slash as it is written in text, in JSON that escapes it, and in a form or a query."""
_COLON = r"(?::|%3[Aa])"
_PORT = r"(?:(?::|%3[Aa])[0-9]+)?"
_HOST = rf"(?:[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*{_PORT}|(?=\$\{{))"
"""A host with its port, or the beginning of a template for one."""


@dataclass(frozen=True)
class Spelling:
    """The mapping for one server.

    ``hosts`` are those whose URLs are rewritten, whatever their port. URLs whose host is a template are rewritten too.
    """

    base: str
    """``http://127.0.0.1:PORT``, without a slash at its end."""
    hosts: frozenset[str] = frozenset()
    hidden: tuple[tuple[str, str], ...] = ()
    """Other temporary texts and their replacements, such as the folder of an execution."""

    def to_world(self, text: str) -> str:
        """Return ``text`` with the URLs of the known hosts as the program has to request them."""
        if "http" not in text.lower():
            return text
        return self._outward.sub(self._served, text)

    def back(self, text: str) -> str:
        """Return ``text`` with every URL of the server as it was before, and without temporary texts."""
        if self._authority in text or self._quoted_authority in text.lower():
            text = self._inward.sub(_original, text)
            text = text.replace(self.base, "<world>").replace(self._authority, "<world>")
        for value, shown in self.hidden:
            text = text.replace(value, shown)
        return text

    def value_to_world(self, value: Json) -> Json:
        """Return a JSON value with :meth:`to_world` applied to all its texts; names stay."""
        return _mapped(value, self.to_world, names=False)

    def value_back(self, value: Json) -> Json:
        """Return a JSON value with :meth:`back` applied to all its texts and names."""
        return _mapped(value, self.back, names=True)

    def bytes_back(self, data: bytes) -> bytes:
        """Return a body with :meth:`back` applied; bytes that are not text are unchanged."""
        return _in_text(data, self.back)

    def bytes_to_world(self, data: bytes) -> bytes:
        """Return a body with :meth:`to_world` applied; bytes that are not text are unchanged."""
        return _in_text(data, self.to_world)

    def asked(self, target: str) -> str | None:
        """Return the original URL of a request target (RFC 9112 section 3.2), None if it names no host.

        ``/HOST/path`` is the usual form. ``http://HOST/path`` comes from a client that uses the server as a proxy.
        """
        if target.startswith(self.base + "/"):
            target = target.removeprefix(self.base)
        if not target.startswith("/"):
            return target if target.lower().startswith("http://") else None
        segment, slash, rest = target[1:].partition("/")
        segment, mark, query = segment.partition("?")
        scheme = "http" if segment.startswith(PLAIN) else "https"
        host = segment.removeprefix(PLAIN).replace("%3A", ":").replace("%3a", ":")
        if not re.fullmatch(r"[A-Za-z0-9_.-]+(?::[0-9]+)?", host) or host == CONTROL:
            return None
        return f"{scheme}://{host}{mark}{query}{slash}{rest}"

    @property
    def _authority(self) -> str:
        return self.base.removeprefix("http://")

    @property
    def _quoted_authority(self) -> str:
        return self._authority.replace(":", "%3a")

    @cached_property
    def _outward(self) -> re.Pattern[str]:
        hosts = "|".join(sorted(map(re.escape, self.hosts), key=len, reverse=True))
        known = rf"(?:{hosts}){_PORT}(?![A-Za-z0-9_-]|\.[A-Za-z0-9])" if hosts else r"(?!)"
        return re.compile(rf"(?i)\b(https?)({_COLON})({_SLASH})\3({known}|(?=\$\{{))")

    @cached_property
    def _inward(self) -> re.Pattern[str]:
        authority = re.escape(self._authority).replace(":", _COLON)
        return re.compile(rf"(?i)http({_COLON})({_SLASH})\2(?:{authority})\2(http{_COLON})?({_HOST})")

    def _served(self, found: re.Match[str]) -> str:
        scheme, colon, slash, host = found.groups()
        authority = self._authority if colon == ":" else self._authority.replace(":", colon)
        plain = f"http{colon}" if scheme.lower() == "http" else ""
        return f"http{colon}{slash}{slash}{authority}{slash}{plain}{host}"


def hosts_in(value: Json) -> frozenset[str]:
    """Return the hosts, without their ports, of all HTTP URLs in the texts of a JSON value."""
    found: set[str] = set()
    for text in _texts(value):
        found |= {host.lower() for host in _URL_HOST.findall(text)}
    return frozenset(found)


_URL_HOST = re.compile(r"(?i)\bhttps?://([A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*)")


def _original(found: re.Match[str]) -> str:
    colon, slash, plain, host = found.groups()
    if host == CONTROL and plain is None:
        return f"<world>{slash}{host}"
    return f"{'http' if plain else 'https'}{colon}{slash}{slash}{host}"


def _in_text(data: bytes, change: Callable[[str], str]) -> bytes:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return data
    changed = change(text)
    return data if changed == text else changed.encode()


def _mapped(value: Json, change: Callable[[str], str], *, names: bool) -> Json:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {
            (change(name) if names and isinstance(name, str) else name): _mapped(item, change, names=names)
            for name, item in value.items()
        }
    return [_mapped(item, change, names=names) for item in value] if isinstance(value, list) else value


def _texts(value: Json) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)

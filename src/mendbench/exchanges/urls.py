"""Normalised URLs."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import SplitResult, quote, unquote_to_bytes, urlsplit, urlunsplit

from mendbench.model.exchange import MODEL_SCHEME

DEFAULT_PORTS = {"http": 80, "https": 443}
_PATH_SAFE = "/:@!$&'()*+,;=~-._"
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
"""RFC 3986 section 2.3: the only characters that mean the same with and without percent-encoding."""
_ASKS = re.compile(
    r"_?(?:search|query|sql|find|lookup|list|get|count|validate|verify|check|test|preview|estimate|batchget|runquery|multiget|mget|msearch)"
)
"""Last words of paths whose POST asks for data and changes nothing."""
_ENCODED = re.compile(r"(%[0-9A-Fa-f]{2})")


def split_url(url: str) -> SplitResult:
    """Return the parts of ``url``; empty ones for a text that is not a URL, such as ``http://[``."""
    try:
        return urlsplit(url)
    except ValueError:
        return urlsplit("")


@lru_cache(maxsize=4096)
def normalise_url(url: str) -> str:
    """Return ``url`` normalised (RFC 3986 section 6.2); a text that is not a URL is unchanged.

    Scheme and host are in lower case, the default port and the fragment are removed, the query is sorted by name (values of one
    name keep their order), percent-encoding uniform, an empty path is ``/``. In a path only unreserved characters are
    decoded (section 6.2.2.2): ``%2F`` is not ``/``. A query is read like a form, so ``+`` and ``%20`` are the same there.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return url
    if not parts.scheme:
        return url
    scheme = parts.scheme.lower()
    host = (parts.hostname or "").lower()
    if ":" in host:
        host = f"[{host}]"
    if port is not None and port != DEFAULT_PORTS.get(scheme):
        host = f"{host}:{port}"
    if parts.username is not None:
        password = f":{parts.password}" if parts.password is not None else ""
        host = f"{parts.username}{password}@{host}"
    return urlunsplit((scheme, host, _path(parts.path) or "/", _query(parts.query), ""))


def _path(path: str) -> str:
    """Return a path with upper-case percent-encoding where needed, including encoded reserved characters."""
    return "".join(_encoded(part) if _ENCODED.fullmatch(part) else _quoted(part) for part in _ENCODED.split(path))


def _encoded(triplet: str) -> str:
    code = int(triplet[1:], 16)
    return chr(code) if code in _UNRESERVED else triplet.upper()


def _quoted(text: str) -> str:
    return quote(text.encode("utf-8", "surrogatepass"), safe=_PATH_SAFE)


def _query(query: str) -> str:
    """Return the pairs of a query sorted by name, each name and value decoded and encoded again, byte by byte."""
    pairs = [tuple(map(_form_bytes, part.partition("=")[::2])) for part in query.split("&") if part]
    ordered = sorted(pairs, key=lambda pair: pair[0])
    return "&".join(f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in ordered)


def _form_bytes(text: str) -> bytes:
    return unquote_to_bytes(text.replace("+", " ").encode("utf-8", "surrogatepass"))


def host_of(url: str) -> str:
    """Return the host of ``url`` in lower case without its port; for ``mcp://server/tool`` the server. Empty if there is none."""
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""


def effective_method(method: str, url: str) -> str:
    """Return the method of a request by what it does: ``GET`` for a POST whose path ends in a word such as ``search`` or ``validate``."""
    if method.upper() != "POST":
        return method.upper()
    try:
        path = urlsplit(url).path
    except ValueError:
        return "POST"
    last = re.split(r"[/:.]", path.rstrip("/"))[-1].lower()
    return "GET" if _ASKS.fullmatch(last) else "POST"


def model_url(model: str) -> str:
    """Return the address of a model's chat: ``model://<name>/chat``, the name quoted."""
    return f"{MODEL_SCHEME}{quote(model, safe='')}/chat"

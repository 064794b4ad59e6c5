"""URLs in one spelling."""

from __future__ import annotations

from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit, urlunsplit

DEFAULT_PORTS = {"http": 80, "https": 443}
_PATH_SAFE = "/:@!$&'()*+,;=~-._"


def normalise_url(url: str) -> str:
    """Return ``url`` in one spelling: scheme and host in lower case, default port and fragment gone, query sorted by name
    (values of one name keep their order), percent-encoding uniform, ``/`` for an empty path (RFC 3986 section 6.2).
    A text that is not a URL is returned as it is.
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
    path = quote(unquote(parts.path), safe=_PATH_SAFE) or "/"
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    query = urlencode(sorted(pairs, key=lambda pair: pair[0]), quote_via=quote)
    return urlunsplit((scheme, host, path, query, ""))


def host_of(url: str) -> str:
    """Return the host of ``url`` in lower case without its port; for ``mcp://server/tool`` the server. Empty if there is none."""
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""

"""The requests of a curl command line, as the shell passes it (curl's manual, "curl.1")."""

from __future__ import annotations

import base64
import shlex
from dataclasses import dataclass, field, replace
from urllib.parse import quote

from mendbench.exchanges.urls import split_url
from mendbench.model.exchange import Headers, Request, find_header

_VALUED = frozenset("AbcCdDeEFhHKmoPQrTtuUwxXyYzZ")
"""Short options with a value."""

_SHORT = {
    "X": "request", "H": "header", "d": "data", "u": "user", "F": "form", "T": "upload-file", "A": "user-agent", "b": "cookie",
    "e": "referer", "G": "get", "I": "head", "L": "location", "i": "include", "v": "verbose", "K": "config", ":": "next",
}  # fmt: skip
"""Short options that matter here, and their long names."""

_LONG_VALUED = frozenset({
    "abstract-unix-socket", "aws-sigv4", "cacert", "capath", "cert", "cert-type", "ciphers", "config", "connect-timeout", "connect-to",
    "continue-at", "cookie", "cookie-jar", "data", "data-ascii", "data-binary", "data-raw", "data-urlencode", "dump-header", "form",
    "form-string", "header", "interface", "json", "key", "key-type", "limit-rate", "max-filesize", "max-redirs", "max-time", "noproxy",
    "oauth2-bearer", "output", "output-dir", "pass", "proxy", "proxy-header", "proxy-user", "range", "rate", "referer", "request",
    "request-target", "resolve", "retry", "retry-delay", "retry-max-time", "speed-limit", "speed-time", "stderr", "time-cond",
    "tls-max", "trace", "trace-ascii", "unix-socket", "upload-file", "url", "url-query", "user", "user-agent", "write-out",
})  # fmt: skip
"""Long options with a value."""

_DATA = frozenset({"data", "data-ascii", "data-raw", "data-binary", "data-urlencode", "json"})
_AS_HEADERS = frozenset({"user-agent", "referer", "cookie"})
_CREDENTIALS = {"user": "Basic", "oauth2-bearer": "Bearer"}
_MULTIPART = "its body is multipart, with a boundary that curl invents"
_PROBLEMS = {
    "form": _MULTIPART, "form-string": _MULTIPART, "upload-file": "its body is in a file", "config": "its options are in a file",
    "next": "the command has several parts (--next): run them one by one",
}  # fmt: skip
"""Options that make a request incomplete here, and why."""
_ENDS = frozenset({"|", "||", "&&", ";", "&", ">", ">>", "2>", "2>&1", "&>", ">&", "<"})
"""Words of a shell with which the command ends."""

_FORM = "application/x-www-form-urlencoded"
_JSON = "application/json"


@dataclass(frozen=True, slots=True, kw_only=True)
class CurlCommand:
    """One command line."""

    requests: tuple[Request, ...]
    """One for each URL."""
    follows: bool
    """Whether it follows redirects."""
    problem: str | None = None
    """Why the requests are not complete; None if they are."""


@dataclass(slots=True)
class _Options:
    """What the options said so far."""

    urls: list[str] = field(default_factory=list)
    headers: list[tuple[str, str]] = field(default_factory=list)
    data: list[str] = field(default_factory=list)
    given: dict[str, str] = field(default_factory=dict)
    problem: str | None = None


def words_of(line: str) -> list[str] | None:
    """Return the words of a command line; None if a quotation or the line goes on in the next one."""
    if line.endswith("\\"):
        return None
    try:
        return shlex.split(line.replace("\\\n", " "))
    except ValueError:
        return None


def read_command(words: list[str]) -> CurlCommand:
    """Return the requests of a command line's words, the first of which is curl."""
    options = _Options()
    left = words[1:]
    while left:
        word = left.pop(0)
        if word in _ENDS or word.rstrip(";") != word:
            if word not in _ENDS:
                options.urls.append(word.rstrip(";"))
            break
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            if not equals and name in _LONG_VALUED:
                value = left.pop(0) if left else ""
            _take(options, name, value)
        elif word.startswith("-") and len(word) > 1:
            _take_short(options, word[1:], left)
        elif not word.startswith(("2>", ">")):
            options.urls.append(word)
    return CurlCommand(
        requests=tuple(_request(options, url) for url in options.urls),
        follows="location" in options.given,
        problem=options.problem,
    )


def _take_short(options: _Options, letters: str, left: list[str]) -> None:
    """Take options written together, such as ``-sXPOST``: the rest of the word, or else the next word, is the value."""
    for at, letter in enumerate(letters):
        if letter in _VALUED:
            value = letters[at + 1 :] or (left.pop(0) if left else "")
            _take(options, _SHORT.get(letter, ""), value)
            return
        _take(options, _SHORT.get(letter, ""), "")


def _take(options: _Options, name: str, value: str) -> None:
    if name in _DATA:
        _take_data(options, name, value)
    elif name == "header":
        _take_header(options, value)
    elif name in _AS_HEADERS:
        options.headers.append((name, value))
    elif name in _CREDENTIALS:
        word = base64.b64encode(value.encode()).decode() if name == "user" else value
        options.headers.append(("authorization", f"{_CREDENTIALS[name]} {word}"))
    elif name in _PROBLEMS:
        options.problem = _PROBLEMS[name]
    elif name == "url":
        options.urls.append(value)
    else:
        options.given[name] = value


def _take_data(options: _Options, name: str, value: str) -> None:
    part = _encoded(value) if name == "data-urlencode" else value
    if part is None or (value.startswith("@") and name not in {"data-raw", "data-urlencode"}):
        options.problem = "its body is in a file"
    else:
        options.data.append(part)
    options.given.setdefault("json" if name == "json" else "data", "")


def _take_header(options: _Options, value: str) -> None:
    """Take a header; ``Name;`` has no value, and a file of headers is a problem."""
    name, colon, content = value.partition(":")
    if value.startswith("@"):
        options.problem = "its headers are in a file"
    elif colon or value.endswith(";"):
        options.headers.append((name.rstrip(";").strip(), content.strip()))


def _encoded(value: str) -> str | None:
    """Return a value of ``--data-urlencode``: ``content``, ``=content`` or ``name=content``; None if it is in a file."""
    name, equals, content = value.partition("=")
    if "@" in name:
        return None
    return f"{name}={quote(content, safe='')}" if equals and name else quote(content if equals else value, safe="")


def _request(options: _Options, url: str) -> Request:
    given, data = options.given, ("" if "json" in options.given else "&").join(options.data)
    whole = url if "://" in url else f"http://{url}"
    query = [data] if "get" in given and data else []
    query += [given["url-query"]] if given.get("url-query") else []
    if query:
        whole += ("&" if split_url(whole).query else "?") + "&".join(query)
    sends = bool(options.data) and "get" not in given
    method = given.get("request") or ("POST" if sends else "HEAD" if "head" in given else "GET")
    headers: Headers = tuple(options.headers)
    defaults = [("content-type", _JSON if "json" in given else _FORM)] if sends else []
    defaults += [("accept", _JSON)] if "json" in given else []
    headers += tuple((name, value) for name, value in defaults if find_header(headers, name) is None)
    request = Request(method=method.upper(), url=whole.partition("#")[0], body=data.encode() if sends else b"")
    return replace(request, headers=tuple((name, value) for name, value in headers if value))

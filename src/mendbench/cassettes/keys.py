"""When two requests are equal: canonical bodies, keys, and the differences between a request and the most similar one.

Only redacted requests come here, so a key never depends on a secret's value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from difflib import SequenceMatcher
from itertools import zip_longest
from urllib.parse import parse_qsl, urlsplit

from mendbench.exchanges.bodies import parse_body
from mendbench.exchanges.urls import normalise_url
from mendbench.io.canonical_json import canonical_json, digest
from mendbench.model.exchange import Request
from mendbench.model.json import Json

INDIFFERENT_HEADERS = frozenset(
    {
        "user-agent", "content-length", "transfer-encoding", "host", "connection", "keep-alive", "te", "accept-encoding",
        "date", "traceparent", "tracestate", "baggage", "x-request-id", "x-correlation-id",
    }
)  # fmt: skip
"""Headers that do not affect the response: those of the connection and the message's length (RFC 9110, RFC 9112) and for tracing (W3C
Trace Context and Baggage, and the two common ids). Every other header belongs to the key: it may choose a tenant, a version, a
representation, or make a repeated write a no-op.

Credentials are already placeholders: a missing one, or one without its scheme, makes a different request.
"""

WISHES_FOR_ANYTHING = ("*/*", "application/json")
"""Values of Accept that request the default representation. ``application/vnd.github.raw+json`` requests another one."""

_WHO_AND_HOW = frozenset({"authorization", "proxy-authorization", "cookie", "x-api-key", "accept", "content-type"})
"""Headers that do not change the effect of an accepted write: the sender, the body's encoding, and the preferred response."""

MAX_DIFFERENCES = 12
"""The number of differing fields that are named; more would not help."""

_BOUNDARY = re.compile(rb'boundary="?([^";]+)"?', re.IGNORECASE)
_SPELLING = ("charset=", "boundary=")
"""Parameters of a content type that describe how the body is written, not what it is."""
_MISSING = object()


def canonical_body(request: Request) -> Json:
    """Return the body in its form for comparison: JSON (1 equals 1.0), form fields sorted by name, text, or a digest.

    A digest represents bytes that are not text.

    Multipart boundaries are replaced by a fixed word.
    """
    kind = request.header("content-type") or ""
    body = request.body
    if "multipart/" in kind.lower() and (found := _BOUNDARY.search(kind.encode("utf-8", "replace"))):
        body = body.replace(b"--" + found.group(1), b"--boundary")
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return {"bytes": digest(body)}
    if "multipart/" in kind.lower():
        return text or None
    if text and "x-www-form-urlencoded" in kind.lower():
        pairs = parse_qsl(text, keep_blank_values=True, errors="surrogateescape")
        return {"form": sorted((list(pair) for pair in pairs), key=lambda pair: pair[0])}
    return parse_body(body, kind)


def keyed_headers(request: Request) -> dict[str, str]:
    """Return the headers that belong to the key by lower-case name, the values of one name joined by commas.

    All headers belong to it except the :data:`INDIFFERENT_HEADERS` and an Accept that is one of :data:`WISHES_FOR_ANYTHING`.
    """
    values: dict[str, list[str]] = {}
    for name, value in request.headers:
        values.setdefault(name.lower(), []).append(value.strip())
    kept = {name: ", ".join(said) for name, said in values.items() if name not in INDIFFERENT_HEADERS}
    if kept.get("accept", "").lower() in WISHES_FOR_ANYTHING:
        del kept["accept"]
    if "content-type" in kept:
        kept["content-type"] = _media_type(kept["content-type"])
    return kept


def _media_type(value: str) -> str:
    parts = [part.strip().lower() for part in value.split(";")]
    return ";".join(part for part in parts if part and not part.startswith(_SPELLING))


def identity(request: Request) -> str:
    """Return the digest of a request's content, independent of its place in a scope."""
    body, *kind = _digestible(request)
    return digest([request.method.upper(), normalise_url(request.url), body, keyed_headers(request), *kind])


def world_key(request: Request, after: str, n: int) -> str:
    """Return the key of a request's ``n``-th repeat (from 0) after the accepted writes that ``after`` represents."""
    return key_of(identity(request), after, n)


def key_of(identity_: str, after: str, n: int) -> str:
    """Return the key of a request whose :func:`identity` is known."""
    return digest([identity_, after, n])


def fold(after: str, request: Request) -> str:
    """Return the value of ``after`` once the write ``request`` was accepted."""
    deciding = {name: value for name, value in keyed_headers(request).items() if name not in _WHO_AND_HOW}
    wrote = [after, request.method.upper(), normalise_url(request.url), *_digestible(request)]
    return digest([*wrote, deciding] if deciding else wrote)


def differences(a: Request, b: Request) -> tuple[str, ...]:
    """Return the names of the fields in which two requests differ.

    The names have the form ``method``, ``url.path``, ``url.query.limit``, ``body.channel`` and so on.

    The result is empty exactly if their identities are equal.
    """
    names = ["method"] if a.method.upper() != b.method.upper() else []
    names += _url_differences(normalise_url(a.url), normalise_url(b.url))
    mine, theirs = keyed_headers(a), keyed_headers(b)
    names += [f"headers.{name}" for name in sorted(mine.keys() | theirs.keys()) if mine.get(name) != theirs.get(name)]
    names += _body_differences(a, b)
    return tuple(names[:MAX_DIFFERENCES])


def nearest(request: Request, candidates: Iterable[Request]) -> Request | None:
    """Return the candidate most similar to ``request``, or None if none is on the same host."""
    host = urlsplit(normalise_url(request.url)).netloc
    near = [each for each in candidates if urlsplit(normalise_url(each.url)).netloc == host]
    return min(near, key=lambda each: _distance(request, each), default=None)


def _digestible(request: Request) -> list[Json]:
    """Return the body in its form for comparison, and its kind where the value alone would be ambiguous.

    So JSON's ``null`` is not an empty body, and ``"a"`` is not the text ``a``.
    """
    body = canonical_body(request)
    try:
        canonical_json(body)
    except RecursionError:
        return [{"deep": digest(request.body)}]
    ambiguous = body is None or isinstance(body, str)
    return [body, "json"] if ambiguous and _is_json(request.body) else [body]


def _is_json(body: bytes) -> bool:
    try:
        json.loads(body.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return False
    return True


def _distance(a: Request, b: Request) -> tuple[float, int, int]:
    paths = SequenceMatcher(None, urlsplit(a.url).path.split("/"), urlsplit(b.url).path.split("/"), autojunk=False)
    return (1 - paths.ratio(), int(a.method.upper() != b.method.upper()), len(differences(a, b)))


def _url_differences(a: str, b: str) -> list[str]:
    mine, theirs = urlsplit(a), urlsplit(b)
    names = [
        f"url.{part}"
        for part, one, other in (
            ("scheme", mine.scheme, theirs.scheme),
            ("host", mine.netloc, theirs.netloc),
            ("path", mine.path, theirs.path),
        )
        if one != other
    ]
    one, other = (
        _grouped(parse_qsl(mine.query, keep_blank_values=True)),
        _grouped(parse_qsl(theirs.query, keep_blank_values=True)),
    )
    names += [f"url.query.{name}" for name in sorted(one.keys() | other.keys()) if one.get(name) != other.get(name)]
    return names or ([] if a == b else ["url"])


def _grouped(pairs: Iterable[Iterable[str]]) -> dict[str, list[str]]:
    grouped: dict[str, list[str]] = {}
    for name, value in pairs:
        grouped.setdefault(name, []).append(value)
    return grouped


def _fields(pairs: Iterable[Iterable[str]]) -> Json:
    return {name: values[0] if len(values) == 1 else values for name, values in _grouped(pairs).items()}


def _body_differences(one: Request, other: Request) -> list[str]:
    if canonical_json(_digestible(one)) == canonical_json(_digestible(other)):
        return []
    a, b = canonical_body(one), canonical_body(other)
    names: list[str] = []
    try:
        if isinstance(a, dict) and isinstance(b, dict) and set(a) == set(b) == {"form"}:
            a, b = _fields(a["form"]), _fields(b["form"])
        _walk(a, b, "body", names)
    except RecursionError:
        return ["body"]
    return names or ["body"]


def _walk(a: Json, b: Json, path: str, names: list[str]) -> None:
    if len(names) >= MAX_DIFFERENCES:
        return
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(a.keys() | b.keys(), key=str):
            _walk(a.get(key, _MISSING), b.get(key, _MISSING), f"{path}.{key}", names)
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for index, (one, other) in enumerate(zip(a, b, strict=True)):
            _walk(one, other, f"{path}[{index}]", names)
    elif path == "body" and isinstance(a, str) and isinstance(b, str):
        if a != b:
            names.append(f"body at character {first_difference(a, b)}")
    elif a is _MISSING or b is _MISSING or canonical_json(a) != canonical_json(b):
        names.append(path)


def first_difference(a: str, b: str) -> int:
    """Return the first position (from 0) at which two texts differ."""
    return next((i for i, (one, other) in enumerate(zip_longest(a, b)) if one != other), len(a))

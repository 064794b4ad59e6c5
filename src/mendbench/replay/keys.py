"""When two requests are the same one: canonical bodies, keys, and what tells a request from its nearest neighbour.

Only redacted requests come here, so a key never depends on a secret's value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher
from itertools import zip_longest
from urllib.parse import parse_qsl, urlsplit

from mendbench.kit.bodies import form_fields, parse_body
from mendbench.kit.canonical import canonical_json, digest
from mendbench.kit.urls import normalise_url
from mendbench.model.exchange import Request
from mendbench.model.json import Json

KEYED_HEADERS = ("accept", "authorization", "content-type", "x-api-key")
"""Headers that decide what an API answers, and so belong to the body's side of the key; so does any whose name ends in
``-version``.

Credentials are placeholders by now: a missing one, or one without its scheme, asks something else than a right one.
"""

MAX_DIFFERENCES = 12
"""So many differing fields are named; more help nobody."""

_BOUNDARY = re.compile(rb'boundary="?([^";]+)"?', re.IGNORECASE)
_MISSING = object()


def canonical_body(request: Request) -> Json:
    """Return the body as it is compared: JSON (1 equals 1.0), form fields sorted by name, text, or a digest.

    A digest stands for bytes that are no text.

    Multipart boundaries are replaced by a fixed word.
    """
    kind = request.header("content-type") or ""
    body = request.body
    if "multipart/" in kind.lower() and (found := _BOUNDARY.search(kind.encode("utf-8", "replace"))):
        body = body.replace(found.group(1), b"boundary")
    try:
        body.decode()
    except UnicodeDecodeError:
        return {"bytes": digest(body)}
    value = parse_body(body, kind)
    if form_fields(value) is not None and "x-www-form-urlencoded" in kind.lower():
        return {"form": sorted(value["form"], key=lambda pair: str(pair[0]))}
    return value


def keyed_headers(request: Request) -> dict[str, str]:
    """Return the headers that belong to the key, in lower case; a wish for JSON or for anything is no wish."""
    kept: dict[str, str] = {}
    for name, value in request.headers:
        lower = name.lower()
        if lower in kept or not (lower in KEYED_HEADERS or lower.endswith("-version")):
            continue
        if lower == "content-type":
            kept[lower] = value.split(";")[0].strip().lower()
        elif lower != "accept" or not ("*/*" in value or "json" in value.lower()):
            kept[lower] = value.strip()
    return kept


def identity(request: Request) -> str:
    """Return the digest of what a request asks, wherever in a scope it stands."""
    asked = [request.method.upper(), normalise_url(request.url), _digestible(request), keyed_headers(request)]
    return digest(asked)


def world_key(request: Request, after: str, n: int) -> str:
    """Return the key of a request's ``n``-th repeat (from 0) after the accepted writes that ``after`` stands for."""
    return key_of(identity(request), after, n)


def key_of(identity_: str, after: str, n: int) -> str:
    """Return the key of a request whose :func:`identity` is known."""
    return digest([identity_, after, n])


def fold(after: str, request: Request) -> str:
    """Return what ``after`` becomes once the write ``request`` was accepted."""
    return digest([after, request.method.upper(), normalise_url(request.url), _digestible(request)])


def differences(a: Request, b: Request) -> tuple[str, ...]:
    """Return the names of the fields in which two requests differ.

    They read ``method``, ``url.path``, ``url.query.limit``, ``body.channel`` and so on.

    Empty exactly where their identities are equal.
    """
    names = ["method"] if a.method.upper() != b.method.upper() else []
    names += _url_differences(normalise_url(a.url), normalise_url(b.url))
    mine, theirs = keyed_headers(a), keyed_headers(b)
    names += [f"headers.{name}" for name in sorted(mine.keys() | theirs.keys()) if mine.get(name) != theirs.get(name)]
    names += _body_differences(canonical_body(a), canonical_body(b))
    return tuple(names[:MAX_DIFFERENCES])


def nearest(request: Request, candidates: Iterable[Request]) -> Request | None:
    """Return the candidate most like ``request``, or None if none is on the same host."""
    host = urlsplit(normalise_url(request.url)).netloc
    near = [each for each in candidates if urlsplit(normalise_url(each.url)).netloc == host]
    return min(near, key=lambda each: _distance(request, each), default=None)


def _digestible(request: Request) -> Json:
    body = canonical_body(request)
    try:
        canonical_json(body)
    except RecursionError:
        return {"deep": digest(request.body)}
    return body


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


def _body_differences(a: Json, b: Json) -> list[str]:
    try:
        if canonical_json(a) == canonical_json(b):
            return []
        names: list[str] = []
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
    """Return at which character (from 0) two texts part."""
    return next((i for i, (one, other) in enumerate(zip_longest(a, b)) if one != other), len(a))

"""HTTP client spans of OpenTelemetry, by the stable semantic conventions for HTTP spans (1.23) and by those before them.

No convention in use has a place for bodies on spans, so instrumentations and vendors have their own: see :data:`BODIES`.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from mendbench.importing.cut_bodies import breaks_off
from mendbench.importing.interface import Dropped, FoundExchange, body_bytes, settled
from mendbench.importing.otel.faults import fault_in, fault_of
from mendbench.importing.otel.spans import Span
from mendbench.model.exchange import Fault, Headers, Request, Response
from mendbench.model.json import Json

BODIES: tuple[tuple[str, str], ...] = (
    ("http.request.body.content", "http.response.body.content"),
    ("http.request.body", "http.response.body"),
    ("http.request.body.text", "http.response.body.text"),
    ("request.body", "response.body"),
    ("http.request_body", "http.response_body"),
)
"""Attributes with the bodies of the request and of the response, on the span, its events or its children. Sources, in order:

- attribute registry of the semantic conventions (``development``), Elastic Common Schema, LoongSuite for Go;
- Hypertrace's agents, and most hooks written by hand;
- Logfire, which has the response's on a child span;
- Symfony's instrumentation for PHP;
- middlewares for Go.
"""

_METHOD = ("http.request.method", "http.method")
_URL = ("url.full", "http.url")
_STATUS = ("http.response.status_code", "http.status_code")
_SIZES = (
    ("http.request.body.size", "http.request.size", "http.request_content_length"),
    ("http.response.body.size", "http.response.size", "http.response_content_length"),
)
"""Attributes with the bytes of both bodies: stable, and before. A compressed body counts as sent, so it can be shorter than its text."""

_SLACK = 64
"""How much longer than its text a short compressed body can be, in bytes."""

_HIDDEN_USER = "REDACTED:REDACTED@"
"""What the convention for ``url.full`` puts in place of a user and a password."""

_WITHOUT_BODY = frozenset({"GET", "HEAD", "OPTIONS", "DELETE", "TRACE"})
"""Methods whose requests have no body with a defined meaning (RFC 9110 section 9.3)."""

_NO_BODY, _FINAL = frozenset({204, 304}), 200


def is_http_call(span: Span) -> bool:
    """Return whether a span is an HTTP request of a client."""
    return span.kind in {"client", ""} and bool(span.first(*_METHOD)) and bool(_url(span))


def http_exchange(span: Span, children: Sequence[Span]) -> FoundExchange | Dropped:
    """Return the exchange of an HTTP client span. ``children`` are its direct children that are no calls themselves."""
    method = span.text("http.request.method_original", *_METHOD).upper()
    url = _url(span)
    what = f"{span.place} {method} {url}"
    sent_name, received_name = zip(*BODIES, strict=True)
    sent = _body(_held(span, children, sent_name))
    if sent is None:
        if method not in _WITHOUT_BODY and _size(span, 0) != 0:
            return Dropped(what=what, why="the span does not hold the body that it sent")
        sent = b""
    if _is_cut(sent, _size(span, 0)):
        return Dropped(what=what, why="the body that it sent was cut")
    response: Response | None = None
    fault = _fault(span)
    if fault is not None:
        response = Response(status=0, fault=fault, elapsed_ms=span.elapsed_ms)
    else:
        status = _number(span.first(*_STATUS))
        if not status:
            return Dropped(what=what, why=_no_response(span))
        body = _body(_held(span, children, received_name))
        if body is not None and _is_cut(body, _size(span, 1)):
            return Dropped(what=what, why="its response was cut")
        if body is not None or method == "HEAD" or status in _NO_BODY or status < _FINAL or _size(span, 1) == 0:
            response = Response(
                status=status, headers=_headers(span, "response"), body=body or b"", elapsed_ms=span.elapsed_ms
            )
    request = Request(method=method, url=url, headers=_headers(span, "request"), body=sent)
    return FoundExchange(place=span.place, request=request, response=response)


def _url(span: Span) -> str:
    """Return the URL; from its parts where old instrumentations have only these. Empty if they are not all there."""
    url = span.text(*_URL).replace(_HIDDEN_USER, "")
    if not url:
        scheme, host = span.text("http.scheme"), span.text("http.host")
        url = f"{scheme}://{host}{span.text('http.target')}" if scheme and host else ""
    try:
        return url if urlsplit(url).scheme in {"http", "https"} else ""
    except ValueError:
        return ""


def _fault(span: Span) -> Fault | None:
    """Return the fault that ended the call: with a status, only what ``error.type`` itself names, as while a body was read."""
    return fault_in(span.text("error.type")) if _number(span.first(*_STATUS)) else fault_of(span)


def _no_response(span: Span) -> str:
    words = span.text("error.type") or span.message
    return f"it got no response, and {words!r} is no known fault" if words else "the span has no status and no error"


def _held(span: Span, children: Sequence[Span], names: Sequence[str]) -> Json:
    """Return the first value of these names on the span, then its events, then its children; None if there is none."""
    places = [
        span.attributes,
        *(attributes for _, attributes in span.events),
        *(child.attributes for child in children),
    ]
    return next((place[name] for place in places for name in names if place.get(name) is not None), None)


def _body(value: Json) -> bytes | None:
    """Return a captured body: text, the numbers of its bytes, or JSON; None if there is none."""
    if isinstance(value, list) and value and all(type(item) is int and 0 <= item < 256 for item in value):  # noqa: PLR2004
        return bytes(value)
    return None if value is None else body_bytes(value)


def _is_cut(body: bytes, size: int | None) -> bool:
    """Return whether a body was cut by a limit for attributes: it is shorter than was sent, or JSON without its end."""
    return (size is not None and len(body) + (_SLACK if body else 0) < size) or breaks_off(body)


def _size(span: Span, side: int) -> int | None:
    """Return the length of the request's body (0) or of the response's (1), in bytes; None if it is not known."""
    known = span.first(*_SIZES[side])
    if known is None:
        prefix = f"http.{('request', 'response')[side]}.header.content"
        known = span.first(f"{prefix}-length", f"{prefix}_length")
    return _number(known[0] if isinstance(known, list) and known else known)


def _number(value: Json) -> int | None:
    """Return a number, which some instrumentations write as text."""
    try:
        return None if value is None or isinstance(value, bool) else int(value)
    except (TypeError, ValueError):
        return None


def _headers(span: Span, side: str) -> Headers:
    """Return the captured headers: a list of values each. Old instrumentations write ``_`` for ``-``."""
    prefix = f"http.{side}.header."
    return settled(
        tuple(
            (name.removeprefix(prefix).replace("_", "-"), str(item))
            for name, value in span.attributes.items()
            if name.startswith(prefix)
            for item in (value if isinstance(value, list) else [value])
        )
    )

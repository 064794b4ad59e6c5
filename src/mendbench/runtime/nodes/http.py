"""The ``http`` node: one HTTP request."""

from __future__ import annotations

import json
from collections.abc import Iterator
from urllib.parse import quote, urlencode, urlsplit, urlunsplit

from mendbench.model.exchange import Headers, Request, Response
from mendbench.model.json import Json, JsonObject
from mendbench.ports.clock import Clock
from mendbench.runtime.nodes.interface import NodeOutput, NodeType, Send, failed_output
from mendbench.runtime.nodes.params import as_text, kind_of, optional_text, table, text, timeout
from mendbench.runtime.nodes.responses import answered, fault_message, succeeded
from mendbench.runtime.nodes.retries import send_with_retries
from mendbench.runtime.outline import NodeSpec
from mendbench.version import __version__

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
USER_AGENT = f"mendbench/{__version__}"
"""GitHub returns 403 for requests without a user agent."""

_WHO = "HTTP"


def run(params: JsonObject, send: Send, clock: Clock) -> NodeOutput:
    """Send the request, retry on temporary errors, and return its response.

    Raises:
        TypeError, ValueError: a parameter cannot be used.
    """
    request = request_of(params)
    return _output(request, send_with_retries(request, send, clock))


def request_of(params: JsonObject) -> Request:
    """Return the request that the parameters describe. With a body and no method, it is a POST.

    Raises:
        TypeError, ValueError: a parameter cannot be used.
    """
    body = params.get("body")
    method = (optional_text(params, "method", _WHO) or ("GET" if body is None else "POST")).upper()
    if method not in METHODS:
        raise ValueError(f"{_WHO} node parameter 'method' must be one of {', '.join(METHODS)}, got {method!r}")
    return Request(
        method=method,
        url=_url(text(params, "url", _WHO), table(params, "params", _WHO)),
        headers=_headers(params, body),
        body=_bytes(body),
        timeout_s=timeout(params, _WHO),
    )


def _output(request: Request, response: Response) -> NodeOutput:
    answer = answered(response)
    seconds = response.elapsed_ms / 1000
    if response.fault is not None:
        message = fault_message(response, request.url, request.timeout_s)
        outputs = {"response": answer.body, "response_time": seconds, "error": message}
        return failed_output("transport", outputs, answer)
    outputs = {
        "response": answer.body,
        "status_code": response.status,
        "response_headers": answer.headers,
        "response_time": seconds,
    }
    if succeeded(response):
        return NodeOutput(outputs=outputs, answered=answer)
    return failed_output("http", {**outputs, "error": f"HTTP {response.status}"}, answer)


def _url(url: str, query: JsonObject) -> str:
    try:
        parts = urlsplit(url.strip())
        host = parts.hostname
    except ValueError:
        host = None
    if not host or parts.scheme.lower() not in {"http", "https"}:
        raise ValueError(f"{_WHO} node parameter 'url' must be an http:// or https:// URL, got {url!r}")
    added = urlencode(list(_pairs(query)), quote_via=quote)
    both = "&".join(part for part in (parts.query, added) if part)
    return urlunsplit((parts.scheme, parts.netloc, parts.path, both, ""))


def _pairs(query: JsonObject) -> Iterator[tuple[str, str]]:
    """Yield the query's pairs: one per list item, none for null."""
    for name, value in query.items():
        for item in value if isinstance(value, list) else [value]:
            if item is not None:
                yield str(name), item.encode("utf-8", "replace").decode() if isinstance(item, str) else json.dumps(item)


def _headers(params: JsonObject, body: Json) -> Headers:
    token, key = optional_text(params, "auth_token", _WHO), optional_text(params, "api_key", _WHO)
    if token and key:
        raise ValueError(f"{_WHO} node takes 'auth_token' or 'api_key', not both")
    found = {str(name): _header_value(str(name), value) for name, value in table(params, "headers", _WHO).items()}
    names = {name.lower() for name in found}
    added = {
        "Authorization": f"Bearer {token}" if token else None,
        "X-API-Key": key,
        "Content-Type": "application/json" if body is not None and not isinstance(body, str) else None,
        "User-Agent": USER_AGENT,
    }
    found |= {name: _header_value(name, value) for name, value in added.items() if value and name.lower() not in names}
    return tuple(found.items())


def _header_value(name: str, value: Json) -> str:
    if isinstance(value, dict | list) or value is None:
        raise ValueError(f"{_WHO} header {name!r} must be a string, got {kind_of(value)}")
    written = value if isinstance(value, str) else json.dumps(value)
    if any(character in name + written for character in "\r\n\0"):
        raise ValueError(f"{_WHO} header {name!r} must stand on one line")
    return written.strip()


def _bytes(body: Json) -> bytes:
    """Return the body as sent: a string unchanged, anything else as JSON."""
    if body is None:
        return b""
    if isinstance(body, str):
        return body.encode("utf-8", "replace")
    return as_text(body).encode("utf-8", "backslashreplace")


NODE = NodeType(
    type="http",
    spec=NodeSpec(
        params=frozenset({"url", "method", "headers", "params", "body", "timeout", "auth_token", "api_key"}),
        required=frozenset({"url"}),
        outputs=frozenset({"response", "status_code", "response_headers", "response_time", "error"}),
    ),
    run=run,
)

"""Reads responses of the world: bodies as values, headers by lower-case name, faults as sentences."""

from __future__ import annotations

import ast
import json

from mendbench.exchanges.bodies import parse_body
from mendbench.io.json_documents import finite_json, nests_deeper
from mendbench.model.exchange import Response
from mendbench.model.json import Json, JsonObject
from mendbench.runtime.nodes.interface import Answered

MAX_DEPTH = 120
"""Deeper JSON stays text: no API nests so deep, and recursive code must not run out of stack."""

_SUCCESS = 2
"""First digit of success statuses (RFC 9110 section 15.3)."""


def body_of(response: Response) -> Json:
    """Return the body as a value: parsed JSON, text, or None if it is empty.

    Bytes that are not UTF-8 become replacement characters. Form-encoded bodies stay text.
    """
    value = parse_body(response.body, None)
    return response.body.decode("utf-8", "replace") if nests_deeper(value, MAX_DEPTH) else value


def succeeded(response: Response) -> bool:
    """Return whether the response is complete and its status is a success."""
    return response.fault is None and response.status // 100 == _SUCCESS


def headers_of(response: Response) -> JsonObject:
    """Return the headers by lower-case name, with repeated ones joined by commas (RFC 9110 section 5.3)."""
    found: JsonObject = {}
    for name, value in response.headers:
        key = name.lower()
        found[key] = f"{found[key]}, {value}" if key in found else value
    return found


def answered(response: Response) -> Answered:
    """Return the response as an :class:`Answered`; after a fault it has no status."""
    return Answered(body=body_of(response), status=response.status or None, headers=headers_of(response))


def fault_message(response: Response, what: str, timeout_s: float | None = None) -> str:
    """Return one sentence for the response's transport fault. ``what`` names the request's target."""
    sentences = {
        "timeout": f"Request to {what} timed out" + (f" after {timeout_s:g} seconds" if timeout_s else ""),
        "refused": f"Could not connect to {what}",
        "reset": f"Connection to {what} was reset before a whole answer came",
        "dns": f"Could not connect to {what}: the host name does not resolve",
        "tls": f"Could not connect to {what}: the TLS handshake failed",
        "truncated": f"The answer of {what} broke off before its end",
    }
    return sentences[response.fault or "reset"]


def value_in(text: str) -> Json:
    """Return the object or array that a text contains as JSON or as a Python literal, else the text itself.

    Bare numbers stay text: ids that are too long for a float must not lose digits.
    """
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        value = finite_json(text)
    except (ValueError, RecursionError):
        value = _python_literal(text)
    return value if isinstance(value, dict | list) and not nests_deeper(value, MAX_DEPTH) else text


def _python_literal(text: str) -> Json:
    try:
        return finite_json(json.dumps(ast.literal_eval(text.strip())))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None

"""Reads answers of the world: bodies as values, headers by lower-case name, faults in words."""

from __future__ import annotations

import ast
import json
from itertools import chain

from mendbench.exchanges.bodies import parse_body
from mendbench.io.json_documents import finite_json
from mendbench.model.exchange import Answer
from mendbench.model.json import Json, JsonObject
from mendbench.runtime.nodes.interface import Answered

MAX_DEPTH = 120
"""Deeper JSON is kept as text: no API nests so deep, and what walks values recursively must not run out of stack."""


_SUCCESS = 2
"""First digit of the statuses that say success (RFC 9110 section 15.3)."""


def body_of(answer: Answer) -> Json:
    """Return the body as a value: parsed JSON, text, or None if it is empty.

    Bytes that are not UTF-8 get replacement characters. Forms stay text: in an answer they are data like any other.
    """
    value = parse_body(answer.body, None)
    return value if depth_within(value, MAX_DEPTH) else answer.body.decode("utf-8", "replace")


def depth_within(value: Json, limit: int) -> bool:
    """Return whether ``value`` nests at most ``limit`` levels deep. Needs no stack."""
    level: list[Json] = [value]
    for _ in range(limit + 1):
        level = list(chain.from_iterable(_children(item) for item in level))
        if not level:
            return True
    return False


def succeeded(answer: Answer) -> bool:
    """Return whether the answer came whole and its status says success."""
    return answer.fault is None and answer.status // 100 == _SUCCESS


def headers_of(answer: Answer) -> JsonObject:
    """Return the headers by lower-case name, those that came more than once joined by commas (RFC 9110 section 5.3)."""
    found: JsonObject = {}
    for name, value in answer.headers:
        key = name.lower()
        found[key] = f"{found[key]}, {value}" if key in found else value
    return found


def answered(answer: Answer) -> Answered:
    """Return the answer as an :class:`Answered`; with a fault there is no status."""
    return Answered(body=body_of(answer), status=answer.status or None, headers=headers_of(answer))


def fault_words(answer: Answer, what: str, timeout_s: float | None = None) -> str:
    """Return one sentence for the answer's transport fault. ``what`` names who was asked."""
    sentences = {
        "timeout": f"Request to {what} timed out" + (f" after {timeout_s:g} seconds" if timeout_s else ""),
        "refused": f"Could not connect to {what}",
        "reset": f"Connection to {what} was reset before a whole answer came",
        "dns": f"Could not connect to {what}: the host name does not resolve",
        "tls": f"Could not connect to {what}: the TLS handshake failed",
        "truncated": f"The answer of {what} broke off before its end",
    }
    return sentences[answer.fault or "reset"]


def value_in(said: str) -> Json:
    """Return the object or array that a text holds as JSON or as a Python literal, else the text itself.

    Bare numbers stay text: ids that are too long for a float must not lose digits.
    """
    start = said.lstrip()[:1]
    if start not in ("{", "["):
        return said
    try:
        value = finite_json(said)
    except (ValueError, RecursionError):
        value = _python_literal(said)
    return value if isinstance(value, dict | list) and depth_within(value, MAX_DEPTH) else said


def _python_literal(said: str) -> Json:
    try:
        return finite_json(json.dumps(ast.literal_eval(said.strip())))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def _children(value: Json) -> list[Json]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []

"""Failures that travel inside a successful answer: ``{"ok": false}`` in an HTTP 200, ``errors`` of GraphQL, ``isError`` of MCP.

This is the *noticing* that all policies share. It reads structure only (which slots are there and what they hold), so that quoted
errors, null slots and data about something else that failed are no failures. Whose fault it is, a detector decides.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from mendbench.model.exchange import Answer
from mendbench.model.json import Json, JsonObject

MAX_WRAPPERS = 4
"""How many envelopes deep a failure may lie: Composio in MCP text in JSON-RPC is three."""

SUCCESSES = range(200, 300)
"""Statuses that say that a request was done (RFC 9110 section 15.3)."""

_FALSE_FLAGS = ("ok", "success", "successful", "successfull", "succeeded")
_TEXT_SLOTS = ("error", "message", "error_message", "detail", "description")


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """A failure found inside an answer."""

    message: str
    """The answer's own word for it: ``channel_not_found``, or ``request failed`` where it gave none."""
    body: Json
    """The innermost envelope that says so."""


def failure_in(body: Json) -> Embedded | None:
    """Return the failure that ``body`` carries, or None.

    ``body`` is a parsed JSON value or a text; a text that is a JSON object is looked into.
    """
    for layer in _layers(body):
        message = _failure_of(layer)
        if message is not None:
            return Embedded(message=message, body=layer)
    return None


def accepted(answer: Answer, body: Json) -> bool:
    """Return whether the world did what was asked: a 2xx answer without a fault and without a failure in its ``body``."""
    return answer.fault is None and answer.status in SUCCESSES and failure_in(body) is None


def _layers(body: Json) -> Iterator[JsonObject]:
    """Yield the envelopes of ``body`` from the outside in."""
    layer: Json = body
    for _ in range(MAX_WRAPPERS + 1):
        if isinstance(layer, str):
            layer = _parsed(layer)
        if not isinstance(layer, dict):
            return
        yield layer
        inner = _content_of(layer)
        if inner is None:
            return
        layer = inner


def _content_of(layer: JsonObject) -> Json:
    """Return what an envelope wraps, if it is one that we know."""
    if "jsonrpc" in layer:
        return layer.get("result")
    if layer.get("successful") is True or layer.get("success") is True:
        return layer.get("data")
    content = layer.get("content")
    if isinstance(content, list) and content and all(isinstance(part, dict) and "type" in part for part in content):
        structured = layer.get("structuredContent")
        texts = [part.get("text") for part in content if part.get("type") == "text"]
        return structured if isinstance(structured, dict) else texts[0] if len(texts) == 1 else None
    if set(layer) == {"result"}:
        return layer["result"]
    return None


def _failure_of(layer: JsonObject) -> str | None:
    if "jsonrpc" in layer and layer.get("error"):
        return _says(layer)
    if any(layer.get(flag) is False for flag in _FALSE_FLAGS):
        return _says(layer)
    if layer.get("isError") is True or layer.get("is_error") is True:
        return _says(layer)
    if (graphql := _graphql_failure(layer)) is not None:
        return graphql
    error = layer.get("error")
    if isinstance(error, dict) and (error.get("message") or error.get("code") or error.get("type")):
        return _says(layer)
    if isinstance(error, str) and error and not any(layer.get(flag) is True for flag in _FALSE_FLAGS):
        others = set(layer) - {"error", *_TEXT_SLOTS, "code", "error_code", "status", "error_description", "request_id"}
        return error if not others else None
    return None


def _graphql_failure(layer: JsonObject) -> str | None:
    errors = layer.get("errors")
    if isinstance(errors, list) and errors and set(layer) <= {"errors", "data", "extensions"}:
        first = errors[0]
        return str(first.get("message", "GraphQL error")) if isinstance(first, dict) else str(first)
    data = layer.get("data")
    if isinstance(data, dict) and set(layer) <= {"errors", "data", "extensions"}:
        for payload in data.values():
            if isinstance(payload, dict) and isinstance(payload.get("userErrors"), list) and payload["userErrors"]:
                first = payload["userErrors"][0]
                return str(first.get("message", "user error")) if isinstance(first, dict) else str(first)
    return None


def _says(layer: JsonObject) -> str:
    for slot in _TEXT_SLOTS:
        value = layer.get(slot)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, dict):
            inner = value.get("message") or value.get("code") or value.get("type")
            if inner:
                return str(inner)
    content = layer.get("content")
    if isinstance(content, list):
        texts = [str(part["text"]) for part in content if isinstance(part, dict) and part.get("text")]
        if texts:
            return "\n".join(texts)
    return "request failed"


def _parsed(text: str) -> Json:
    if not text.lstrip().startswith("{"):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None

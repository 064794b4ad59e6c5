"""Failures inside a successful response: ``{"ok": false}`` in an HTTP 200, ``errors`` of GraphQL, ``isError`` of MCP.

All policies share this step. It reads structure only (which slots exist and what they contain). So quoted errors, null slots and data about
something else that failed are not failures. A detector decides whose fault a failure is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from mendbench.api_errors.refusals import (
    FALSE_FLAGS,
    BatchParts,
    content_of,
    failed_parts,
    first_text,
    holds_done,
    name_of,
    refusal_in,
    well,
)
from mendbench.api_errors.xml_faults import fault_in, part_was_done
from mendbench.model.exchange import Response
from mendbench.model.json import Json, JsonObject

MAX_WRAPPERS = 4
"""The maximum envelope depth of a failure: Composio in MCP text in JSON-RPC is three."""

SUCCESSES = range(200, 300)
"""Statuses of a request that succeeded (RFC 9110 section 15.3)."""

_NO_WORDS = "request failed"
_SOME_DATA = 2
"""Content slots that, next to a false flag or an error, make it plain data."""
_STATUSES = frozenset({"status", "statuscode", "httpstatuscode", "code"})
_RESPONSES_VERDICTS = frozenset({"error", "fail", "failure"})
"""Status words of a response itself. ``failed`` is not one: it is the state of a run, a job or a payment."""
_FAILED_HTTP = range(400, 600)
_GRAPHQL = frozenset({"errors", "data", "extensions"})
"""The slots of a GraphQL response (GraphQL specification, section 7.1)."""
_TEXT_SLOTS = ("error", "message", "error_message", "detail", "description")


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """A failure found inside a response."""

    message: str
    """The response's own description, such as ``channel_not_found``, or ``request failed`` if it has none."""
    body: Json
    """The innermost envelope that reports the failure; for a batch, the list of refused items."""
    partial: bool = False
    """Whether the response reports partial success: in a batch, a multi-status or the data of a GraphQL response."""


def failure_in(body: Json) -> Embedded | None:
    """Return the failure that ``body`` carries, or None.

    ``body`` is a parsed JSON value or a text; a text that is a JSON object or XML is parsed. A partly refused batch carries a failure.
    """
    if isinstance(body, str) and body.lstrip().startswith("<"):
        fault = fault_in(body)
        return None if fault is None else Embedded(message=fault, body=body, partial=part_was_done(body))
    for layer in _layers(body):
        message = _failure_of(layer)
        if message is not None:
            return Embedded(message=message, body=layer, partial=_is_partial_graphql(layer))
        parts = failed_parts(layer)
        if parts is not None:
            return _part_of_batch(parts)
        message = refusal_in(layer)
        if message is not None:
            return Embedded(message=message, body=layer)
    parts = failed_parts(body) if isinstance(body, list) else None
    return None if parts is None else _part_of_batch(parts)


def accepted(response: Response, body: Json) -> bool:
    """Return whether the request succeeded: a 2xx response without a fault and without a failure in its ``body``."""
    return response.fault is None and response.status in SUCCESSES and failure_in(body) is None


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
    """Return the content of an envelope of a known kind."""
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


def _part_of_batch(parts: BatchParts) -> Embedded:
    """Return the failure of a batch, with the message of the first item that has one."""
    message = next((text for item in parts.refused if (text := _says_deep(item, depth=0))), None)
    return Embedded(message=message or _NO_WORDS, body=parts.refused, partial=parts.some_done)


def _failure_of(layer: JsonObject) -> str | None:
    if "jsonrpc" in layer and layer.get("error"):
        return _says(layer)
    if any(layer.get(flag) is False for flag in FALSE_FLAGS) and not _is_plain_data(layer):
        return _says(layer)
    if layer.get("isError") is True or layer.get("is_error") is True:
        return _says(layer)
    if (graphql := _graphql_failure(layer)) is not None:
        return graphql
    error = layer.get("error")
    if isinstance(error, dict) and (error.get("message") or error.get("code") or error.get("type")):
        means_success = well(_says(layer)) and not error.get("code")
        return None if means_success or _is_record(layer) else _says(layer)
    if (
        isinstance(error, str)
        and error
        and not well(error)
        and not any(layer.get(flag) is True for flag in FALSE_FLAGS)
    ):
        others = set(layer) - {"error", *_TEXT_SLOTS, "code", "error_code", "status", "error_description", "request_id"}
        return error if not others else None
    return None


def _graphql_failure(layer: JsonObject) -> str | None:
    errors = layer.get("errors")
    if isinstance(errors, list) and any(errors) and set(layer) <= _GRAPHQL:
        first = next(item for item in errors if item)
        return _spoken(first.get("message", "GraphQL error") if isinstance(first, dict) else first)
    data = layer.get("data")
    if isinstance(data, dict) and set(layer) <= _GRAPHQL:
        for payload in data.values():
            if isinstance(payload, dict) and isinstance(payload.get("userErrors"), list) and payload["userErrors"]:
                first = payload["userErrors"][0]
                return _spoken(first.get("message", "user error") if isinstance(first, dict) else first)
    return None


def _is_partial_graphql(layer: JsonObject) -> bool:
    """Return whether a GraphQL response has both errors and data."""
    errors = layer.get("errors")
    return set(layer) <= _GRAPHQL and isinstance(errors, list) and any(errors) and holds_done(layer.get("data"))


def _spoken(value: Json) -> str:
    """Return a text or a number unchanged, and the first message in an object or a list."""
    return str(value) if isinstance(value, str | int | float) else first_text(value) or _NO_WORDS


def _says(layer: JsonObject) -> str:
    for slot in _TEXT_SLOTS:
        value = layer.get(slot)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, dict):
            inner = value.get("message") or value.get("code") or value.get("type")
            if inner:
                return _spoken(inner)
    content = layer.get("content")
    if isinstance(content, list):
        texts = [_spoken(part["text"]) for part in content if isinstance(part, dict) and part.get("text")]
        if texts:
            return "\n".join(texts)
    return _NO_WORDS


def _is_plain_data(layer: JsonObject) -> bool:
    """Return whether a false flag is plain data: an answer in a quiz may be ``ok: false``."""
    worded = _says(layer) != _NO_WORDS or any(slot.lower().startswith(("err", "code", "reason")) for slot in layer)
    return not worded and len(content_of(layer)) >= _SOME_DATA


def _is_record(layer: JsonObject) -> bool:
    """Return whether an error object is part of a record (of a run, a crash) and not the error of the response."""
    named = {name_of(slot): value for slot, value in layer.items()}
    own = any(
        (isinstance(value, str) and value.lower() in _RESPONSES_VERDICTS)
        or (isinstance(value, int) and value in _FAILED_HTTP)
        for slot in _STATUSES
        if (value := named.get(slot)) is not None
    )
    return not own and len(content_of(layer)) >= _SOME_DATA


def _says_deep(item: Json, depth: int) -> str | None:
    """Return the first message in a batch item, or in the response or the errors inside it."""
    if isinstance(item, list):
        item = item[0] if item else None
    if isinstance(item, str):
        return item or None
    if not isinstance(item, dict) or depth > MAX_WRAPPERS:
        return None
    own = item.get("Message") or _says(item)
    if isinstance(own, str) and own != _NO_WORDS:
        return own
    inner = (item.get(slot) for slot in ("body", "response", "error", "errors"))
    return next((text for value in inner if (text := _says_deep(value, depth + 1))), None)


def _parsed(text: str) -> Json:
    if not text.lstrip().startswith("{"):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None

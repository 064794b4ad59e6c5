"""Read codes, texts and statuses from a response's body, slot by slot, through its envelopes."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from mendbench.detectors.structural.phrases import MAX_TEXT
from mendbench.model.json import Json, JsonObject

MAX_WRAPPERS = 4
"""Envelopes around the one that failed: a tool router's, in an MCP text, in a JSON-RPC result."""

MAX_ERRORS = 20
"""The maximum number of members of an ``errors`` list that are read."""

HTTP_FAILED = range(300, 600)

_FALSE_FLAGS = ("ok", "success", "successful", "successfull", "succeeded")
_TRUE_FLAGS = ("isError", "is_error")
_FAILED_STATUS = frozenset({"error", "fail", "failure"})
_CODE_SLOTS = (
    "code",
    "Code",
    "type",
    "reason",
    "issue",
    "__type",
    "error_code",
    "errorCode",
    "statusCode",
    "category",
    "status",
    "error",
)
_TEXT_SLOTS = (
    "message", "Message", "error", "detail", "error_description", "description", "error_message", "title",
    "userPresentableMessage", "msg", "err", "errmsg", "err_msg", "error_msg", "errorMessage", "ErrorMessage",
    "errorSummary", "error_summary", "info", "reason", "developerMessage",
)  # fmt: skip
_STATUS_SLOTS = ("status_code", "statusCode", "httpStatusCode", "status", "code", "error_code", "cod")
_LIST_SLOTS = ("errors", "errorMessages", "details", "detail", "causes", "validationResults", "errorCauses")
_XML = re.compile(r"<(Code|Message|faultstring|(?:\w+:)?Text|(?:\w+:)?status)\b[^<>]*>([^<]{1,500})</\1>")
_XML_SAID = re.compile(r"\b(?:msg|message|reason)=[\"']([^\"']{1,500})[\"']")
_SOAP_SENDER = re.compile(r"<(?:faultcode|(?:\w+:)?Value)>(?:\w+:)?(?:Client|Sender)[<.]")
_CODE_TEXT = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
MAX_DEEP = 6
"""The maximum depth of the search for texts in unknown slots."""
MAX_NESTED = 4
"""The maximum depth in a batch item: a response in the item, errors in the response."""
_JSON = re.compile(r"[\[{]\s*[\[{\"]")
_HTML = re.compile(r"^\s*(?:<!doctype html|<html|<head|<title)|<title>", re.IGNORECASE)


@dataclass(slots=True, kw_only=True)
class Reading:
    """What was found in one response. It is filled during parsing, and read-only afterwards."""

    failed: bool = False
    """Whether a slot reports a failure: a false flag, ``isError``, a non-empty error."""
    structured: bool = False
    """Whether there was any object or list to read."""
    html: bool = False
    soap_sender: bool = False
    """Whether a SOAP fault blames the sender."""
    user_errors: bool = False
    """Whether a GraphQL mutation refused its input (``userErrors``)."""
    codes: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    rpc: list[int] = field(default_factory=list)
    says: str | None = None
    """The innermost envelope's own message."""
    detail: str | None = None
    """The message of its first listed error, if the envelope's own message is general."""
    needed: str | None = None
    """The missing permission, if the response names it."""


def read(body: Json, *, failed: bool) -> Reading:
    """Return what ``body`` contains. ``failed`` means that something outside already reported the failure: a status, or the node."""
    reading = Reading()
    layer: Json = body
    for _ in range(MAX_WRAPPERS + 1):
        if isinstance(layer, str):
            parsed = _parsed(layer)
            _read_text(reading, layer)
            if parsed is None:
                break
            layer = parsed
        if isinstance(layer, list):
            reading.structured = True
            _read_list(reading, layer)
            break
        if not isinstance(layer, dict):
            break
        reading.structured = True
        if _marked(layer):
            reading.failed = True
        if reading.failed or failed:
            _read_layer(reading, layer)
        layer = _content_of(layer)
    if (reading.failed or failed) and not reading.texts:
        reading.texts += _leaves(body)
    return reading


def _leaves(value: Json, depth: int = 0) -> list[str]:
    """Return the texts in a value with unknown slots, without the names of the slots."""
    if isinstance(value, str):
        return [value[:MAX_TEXT]] if value.strip() else []
    inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return [text for item in inner[:MAX_ERRORS] for text in _leaves(item, depth + 1)] if depth < MAX_DEEP else []


def _marked(layer: JsonObject) -> bool:
    """Return whether a slot of the envelope itself reports a failure. Empty error slots do not count."""
    status = layer.get("status")
    return (
        any(layer.get(flag) is False for flag in _FALSE_FLAGS)
        or any(layer.get(flag) is True for flag in _TRUE_FLAGS)
        or bool(layer.get("error"))
        or bool(layer.get("errors"))
        or (isinstance(status, str) and status.lower() in _FAILED_STATUS and isinstance(layer.get("message"), str))
        or _user_errors(layer) is not None
    )


def _content_of(layer: JsonObject) -> Json:
    """Return the content of an envelope, or None."""
    if "jsonrpc" in layer:
        return layer.get("result")
    content = layer.get("content")
    if isinstance(content, list) and content and all(isinstance(part, dict) and "type" in part for part in content):
        structured = layer.get("structuredContent")
        texts = [part["text"] for part in content if isinstance(part.get("text"), str)]
        return structured if isinstance(structured, dict) and "result" not in structured else "\n".join(texts) or None
    if layer.get("successful") is True or layer.get("success") is True:
        return layer.get("data")
    for slot in ("error", "message"):
        inner = layer.get(slot)
        if isinstance(inner, str) and _parsed(inner) is not None:
            return inner
    return layer["result"] if set(layer) == {"result"} else None


def _read_text(reading: Reading, text: str) -> None:
    cut = text[:MAX_TEXT]
    if _HTML.search(cut):
        reading.html = True
        reading.texts.append(" ".join(re.sub(r"<[^<>]*>", " ", cut).split()))
        return
    for slot, value in _XML.findall(cut):
        (reading.codes if slot == "Code" else reading.texts).append(value)
        reading.says = value
    if cut.lstrip().startswith("<"):
        reading.soap_sender = _SOAP_SENDER.search(cut) is not None
        reading.texts += _XML_SAID.findall(cut)
    if cut.lstrip()[:1] in {"{", "["}:
        return
    if cut.strip():
        reading.texts.append(cut)
        reading.says = cut if reading.says is None or not cut.lstrip().startswith("<") else reading.says
    if cut.strip() and len(cut.split()) == 1:
        reading.codes.append(cut.strip())


def _read_layer(reading: Reading, layer: JsonObject) -> None:
    _read_slots(reading, layer)
    error = next(
        (layer[slot] for slot in ("error", "Error", "fault", "meta") if isinstance(layer.get(slot), dict)), None
    )
    if isinstance(error, dict):
        _read_slots(reading, error)
        code = error.get("code")
        if isinstance(code, int) and code < 0:
            reading.rpc.append(code)
    for owner in (layer, error, layer.get("details")):
        if isinstance(owner, dict):
            for slot in _LIST_SLOTS:
                _read_list(reading, owner.get(slot))
                reading.texts += _leaves(owner[slot])[:MAX_ERRORS] if isinstance(owner.get(slot), dict) else []
    data = layer.get("data")
    if isinstance(data, dict):
        _read_statuses(reading, data)
    refused = _user_errors(layer)
    if refused is not None:
        reading.user_errors = True
        _read_list(reading, refused)
    needed = layer.get("needed")
    if isinstance(needed, str) and needed:
        reading.needed = needed


def _read_slots(reading: Reading, value: JsonObject) -> None:
    codes = [value[slot] for slot in _CODE_SLOTS if isinstance(value.get(slot), str)]
    texts = [value[slot] for slot in _TEXT_SLOTS if isinstance(value.get(slot), str)]
    codes += [
        value[slot] for slot in _TEXT_SLOTS if isinstance(value.get(slot), str) and _CODE_TEXT.fullmatch(value[slot])
    ]
    reading.codes += [code for code in codes if code.lower() not in _FAILED_STATUS]
    reading.texts += [text[:MAX_TEXT] for text in texts]
    _read_statuses(reading, value)
    messages = [text for text in texts if text.strip()]
    if messages:
        reading.says = messages[0]


def _read_statuses(reading: Reading, value: JsonObject) -> None:
    for slot in _STATUS_SLOTS:
        status = value.get(slot)
        number = int(status) if isinstance(status, str) and re.fullmatch(r"[345]\d\d", status, re.ASCII) else status
        if isinstance(number, int) and number in HTTP_FAILED:
            reading.statuses.append(number)


def _read_list(reading: Reading, errors: Json, depth: int = 0) -> None:
    """Read a list of errors, each an object or a text. The first one's message is used for all, unless there is one already."""
    if not isinstance(errors, list) or depth > MAX_NESTED:
        return
    before, first = reading.says, None
    for item in errors[:MAX_ERRORS]:
        reading.says = None
        if isinstance(item, str):
            reading.texts.append(item[:MAX_TEXT])
            reading.says = item
        elif isinstance(item, dict):
            for part in _parts(item):
                _read_slots(reading, part)
                first = first or reading.says
                for slot in ("errors", "body", "response"):
                    _read_list(reading, part.get(slot), depth + 1)
            _read_list(reading, item.get("fieldViolations"), depth + 1)
        first = first or reading.says
    reading.says = before or first
    reading.detail = reading.detail or (first if before else None)


def _parts(item: JsonObject) -> list[JsonObject]:
    """Return an item of a list of errors and the objects in it with more details, such as an embedded response."""
    response: JsonObject = next((item[slot] for slot in ("body", "response") if isinstance(item.get(slot), dict)), {})
    inner = next(iter(item.values())) if len(item) == 1 else None
    parts = (
        item,
        inner,
        item.get("extensions"),
        item.get("metadata"),
        item.get("error"),
        response,
        response.get("error"),
    )
    return [part for part in parts if isinstance(part, dict)]


def _user_errors(layer: JsonObject) -> list[Json] | None:
    data = layer.get("data")
    payloads = [layer, *data.values()] if isinstance(data, dict) else [layer]
    for payload in payloads:
        refused = payload.get("userErrors") if isinstance(payload, dict) else None
        if isinstance(refused, list) and refused:
            return refused
    return None


def _parsed(text: str) -> Json:
    """Return the object or list in ``text``, possibly after some words, or None."""
    start = _JSON.search(text)
    if start is None:
        return None
    try:
        value = json.loads(text[start.start() :])
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None

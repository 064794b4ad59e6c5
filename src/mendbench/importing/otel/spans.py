"""Spans of OpenTelemetry files, in one shape: OTLP/JSON and the output of the Python SDK's ConsoleSpanExporter.

OTLP/JSON (opentelemetry-proto, "JSON Protobuf Encoding") nests spans in ``resourceSpans`` and ``scopeSpans``; values have their type
as a key, ids and times in nanoseconds are text. The collector's file exporter writes one export per line. The console exporter prints
one indented object per span, with plain ``attributes``, ids with ``0x`` and ISO times.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from mendbench.errors import BadInput
from mendbench.io.json_documents import parse_json
from mendbench.io.reading import MAX_RECORDING, read_text
from mendbench.model.json import Json

HINT = "name an OTLP/JSON file of the collector's file exporter, or the output of ConsoleSpanExporter"

_RESOURCES = ("resourceSpans", "batches")
"""The name in OTLP, and in the traces that Grafana Tempo's API returns."""
_SCOPES = ("scopeSpans", "instrumentationLibrarySpans")
"""The name in OTLP, and before version 0.16."""

_KINDS = {0: "", 1: "internal", 2: "server", 3: "client", 4: "producer", 5: "consumer"}
"""Enum ``SpanKind`` in opentelemetry-proto."""

_FAILED = (2, "STATUS_CODE_ERROR", "ERROR")
"""Status codes of a failed span: number and name in OTLP, and name in the SDK."""

_NS_PER_MS = 1_000_000
_GAP = re.compile(r"[\s,]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """One span."""

    trace: str
    id: str
    parent: str
    """Empty for a root span."""
    kind: str
    """``client``, ``server``, ``internal``, ``producer`` or ``consumer``; empty if unknown."""
    name: str
    start_ns: int
    elapsed_ms: int
    attributes: Mapping[str, Json]
    events: tuple[tuple[str, Mapping[str, Json]], ...]
    """Names and attributes, in order."""
    failed: bool
    message: str
    """The description of the status."""

    @property
    def place(self) -> str:
        """Its location in the file."""
        return f"span {self.id}"

    def first(self, *names: str) -> Json:
        """Return the value of the first of these attributes that is there and not empty, or None."""
        return next((value for name in names if (value := self.attributes.get(name)) not in (None, "")), None)

    def text(self, *names: str) -> str:
        """Return the first of these attributes as text; empty if there is none."""
        value = self.first(*names)
        return "" if value is None else str(value)


def holds_spans(value: Json) -> bool:
    """Return whether a parsed value is an OTLP export, or a span of the console exporter."""
    if not isinstance(value, dict):
        return False
    context = value.get("context")
    exported = any(isinstance(value.get(name), list) for name in _RESOURCES)
    return exported or (isinstance(context, dict) and "span_id" in context and "start_time" in value)


def read_spans(path: Path) -> list[Span]:
    """Return the spans in a file by start time, each once.

    Raises:
        BadInput: it cannot be read, or one of its values contains no spans.
    """
    found: dict[tuple[str, str], Span] = {}
    for number, value in enumerate(_values(path), 1):
        place = f"{path}: value {number}"
        if not holds_spans(value):
            raise BadInput(place, "no spans", HINT)
        try:
            for span in _spans(value):
                found[span.trace, span.id] = span
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise BadInput(place, f"no span ({error!r})", HINT) from None
    return sorted(found.values(), key=lambda span: span.start_ns)


def _values(path: Path) -> list[Json]:
    """Return the JSON values in a file, which follow each other; a last one that a crash truncated is left out."""
    text = read_text(path, MAX_RECORDING, "name the file to import")
    values: list[Json] = []
    at = _gap(text, 0)
    while at < len(text):
        try:
            end = json.JSONDecoder().raw_decode(text, at)[1]
            value = parse_json(text[at:end])
        except RecursionError:
            raise BadInput(str(path), "nested too deeply", HINT) from None
        except ValueError as error:
            if values and text[at] in "{[" and text.find("\n{", at) < 0:
                break
            line = text.count("\n", 0, at) + 1
            raise BadInput(f"{path}:{line}", f"no JSON ({error})", HINT) from None
        values += value if isinstance(value, list) else [value]
        at = _gap(text, end)
    return values


def _gap(text: str, at: int) -> int:
    found = _GAP.match(text, at)
    return found.end() if found else at


def _spans(value: Any) -> Iterator[Span]:
    if "context" in value:
        yield _console_span(value)
        return
    for resource in _all(value, _RESOURCES):
        for scope in _all(resource, _SCOPES):
            for span in scope.get("spans") or []:
                yield _otlp_span(span)


def _all(value: Any, names: tuple[str, ...]) -> list[Any]:
    return [item for name in names for item in value.get(name) or []]


def _otlp_span(span: Any) -> Span:
    start, end = int(span.get("startTimeUnixNano") or 0), int(span.get("endTimeUnixNano") or 0)
    kind, status = span.get("kind", 0), span.get("status") or {}
    return Span(
        trace=str(span["traceId"]),
        id=str(span["spanId"]),
        parent=str(span.get("parentSpanId") or ""),
        kind=_KINDS.get(kind, "") if isinstance(kind, int) else kind.removeprefix("SPAN_KIND_").lower(),
        name=str(span.get("name") or ""),
        start_ns=start,
        elapsed_ms=max(0, end - start) // _NS_PER_MS,
        attributes=_typed(span.get("attributes")),
        events=tuple((str(event.get("name")), _typed(event.get("attributes"))) for event in span.get("events") or []),
        failed=status.get("code") in _FAILED,
        message=str(status.get("message") or ""),
    )


def _console_span(span: Any) -> Span:
    context, status = span["context"], span.get("status") or {}
    start, end = _iso_ns(span["start_time"]), _iso_ns(span.get("end_time"))
    return Span(
        trace=_bare(context.get("trace_id")),
        id=_bare(context["span_id"]),
        parent=_bare(span.get("parent_id")),
        kind=str(span.get("kind") or "").removeprefix("SpanKind.").lower(),
        name=str(span.get("name") or ""),
        start_ns=start,
        elapsed_ms=max(0, end - start) // _NS_PER_MS,
        attributes=dict(span.get("attributes") or {}),
        events=tuple(
            (str(event.get("name")), dict(event.get("attributes") or {})) for event in span.get("events") or []
        ),
        failed=status.get("status_code") in _FAILED,
        message=str(status.get("description") or ""),
    )


def _bare(number: Any) -> str:
    return str(number or "").removeprefix("0x")


def _iso_ns(text: Any) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1_000_000) * 1000 if text else 0


def _typed(pairs: Any) -> dict[str, Json]:
    return {str(pair["key"]): _value(pair.get("value") or {}) for pair in pairs or []}


def _value(typed: Any) -> Json:
    """Return an ``AnyValue`` as JSON: 64-bit numbers come as text, and bytes as the list of their numbers."""
    if "intValue" in typed:
        return int(typed["intValue"])
    if "arrayValue" in typed:
        return [_value(item) for item in typed["arrayValue"].get("values") or []]
    if "kvlistValue" in typed:
        return _typed(typed["kvlistValue"].get("values"))
    if "bytesValue" in typed:
        try:
            return list(base64.b64decode(typed["bytesValue"]))
        except binascii.Error as error:
            raise ValueError(str(error)) from None
    return next((typed[name] for name in ("stringValue", "boolValue", "doubleValue") if name in typed), None)
